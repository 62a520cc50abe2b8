import type { SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'

const waitMs = 150

/**
 * What is typed into a choice whose options a door finds. `q` is what to ask the door for: nothing while the field has
 * the name of what is chosen. `fields` are for the choice itself.
 */
export function useLookup(chosenName: string | undefined) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed === chosenName ? '' : typed.trim(), waitMs)
  const fields = {
    searchable: true,
    searchValue: typed,
    onSearchChange: setTyped,
    // The door has looked already.
    filter: ({ options }) => options,
    autoComplete: 'off',
  } satisfies Partial<SelectProps>
  return { typed, q, fields }
}
