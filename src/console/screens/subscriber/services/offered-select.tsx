import { Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '../../../format/format.ts'
import { useTexts } from '../../../texts/texts.ts'
import { servicesTexts } from './texts.ts'

type OfferedSelectProps = Pick<SelectProps, 'name' | 'value' | 'error' | 'onChange' | 'label'> & {
  readonly offered: readonly { readonly id: number; readonly name: string; readonly price: string }[]
}

/** A choice among tariffs or services, each with its price for a month. */
export function OfferedSelect({ offered, ...field }: OfferedSelectProps) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  const [typed, setTyped] = useState('')
  return (
    <Select
      {...field}
      data={offered.map(({ id, name, price }) => ({ value: String(id), label: t.aMonth(name, format.money(price)) }))}
      searchable
      onSearchChange={setTyped}
      // Where they are offered after something was typed, Enter still chooses the first of them.
      selectFirstOptionOnChange={typed !== '' && offered.length > 0}
      data-autofocus
    />
  )
}
