import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useDoor } from '../../api/use-door.ts'
import { useTexts } from '../../texts/texts.ts'
import { cashTexts } from './texts.ts'

const door = 'GET /admin/Abonents/subscribers/'
export type Payer = Item<typeof door>

const waitMs = 150
const listedMax = 12

type PayerChoiceProps = {
  readonly chosen: Payer | null
  readonly onChosen: (payer: Payer | null) => void
}

/** Finds who pays by name, contract, phone, address or login. */
export function PayerChoice({ chosen, onChosen }: PayerChoiceProps) {
  const t = useTexts(cashTexts)
  const [typed, setTyped] = useState('')
  const name = chosen ? nameOf(chosen) : ''
  const [q] = useDebouncedValue(typed === name ? '' : typed.trim(), waitMs)
  const { data } = useDoor(door, { query: { q, limit: listedMax } }, q !== '')
  const found = q === '' ? [] : (data?.items ?? [])
  const offered = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  return (
    <Select
      label={t.find}
      description={t.findSays}
      data={offered.map((one) => ({ value: String(one.id), label: nameOf(one) }))}
      // The door has looked already.
      filter={({ options }) => options}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(value) => onChosen(offered.find(({ id }) => String(id) === value) ?? null)}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={typed.trim() === '' ? undefined : t.nobody}
      searchable
      clearable
      selectFirstOptionOnChange
      autoComplete="off"
      autoFocus
    />
  )
}

const nameOf = ({ name, contract_number, address }: Payer): string =>
  [name, contract_number, address].filter(Boolean).join(' · ')
