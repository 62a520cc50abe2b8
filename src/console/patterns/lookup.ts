import type { SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'

const waitMs = 150

/**
 * What is typed into a choice whose options an endpoint finds. `q` is what to ask the endpoint for: nothing while the
 * field has the name of what is chosen. `fieldsOf` makes the fields of the choice itself from the endpoint's answer to
 * `q`, undefined while there is none: what the endpoint has found for an earlier text is shown, but neither Enter nor a
 * click chooses it.
 */
export function useLookup(chosenName: string | undefined) {
  const [typed, setTyped] = useState('')
  const wanted = typed === chosenName ? '' : typed.trim()
  const [q] = useDebouncedValue(wanted, waitMs)
  const fieldsOf = (answer: unknown) => {
    const isPresent = q === wanted && (q === '' || answer !== undefined)
    return {
      isPresent,
      fields: {
        searchable: true,
        searchValue: typed,
        onSearchChange: setTyped,
        // The endpoint has looked already.
        filter: ({ options }) => (isPresent ? options : options.map((option) => ({ ...option, disabled: true }))),
        autoComplete: 'off',
      } satisfies Partial<SelectProps>,
    }
  }
  return { typed, q, fieldsOf }
}
