import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useDoor } from '../../api/use-door.ts'
import { useTexts } from '../../texts/texts.ts'
import { homesDoor, type PlaceKind, useNode } from './node.ts'
import { switchTexts } from './texts.ts'

type HomeChoiceProps = {
  readonly value: string | null
  readonly onChange: (id: string | null) => void
  /** Left out: a city, a street or a house. */
  readonly kind?: PlaceKind
  readonly name?: string
  readonly label?: string
  readonly description?: ReactNode
  readonly error?: ReactNode
  readonly className?: string
}

const waitMs = 150
const listedMax = 30

/** Chooses an address by the beginnings of its words, such as `тв мир 7`. */
export function HomeChoice({ value, onChange, kind, label, ...props }: HomeChoiceProps) {
  const t = useTexts(switchTexts)
  const chosen = useNode(value === null ? null : Number(value))
  const around = useNode(chosen?.parent ?? null)
  const isKnown = chosen !== undefined && (chosen.parent === null || around !== undefined)
  const name = isKnown ? [around?.name, chosen.name].filter(Boolean).join(', ') : ''
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed === name ? '' : typed.trim(), waitMs)
  const query = { limit: listedMax, ...(kind && { kind }), ...(q !== '' && { q }) }
  const found = useDoor(homesDoor, { query }).data?.items ?? []
  const options = found.map(({ id, address }) => ({ value: String(id), label: address }))
  const isListed = options.some((option) => option.value === value)
  const own = isKnown && !isListed ? [{ value: String(chosen.id), label: name }] : []
  return (
    <Select
      {...props}
      {...(label === undefined ? { 'aria-label': t.place } : { label })}
      placeholder={t.findPlace}
      data={[...own, ...options]}
      // The door has looked already.
      filter={({ options: all }) => all}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={t.nothingFound}
      searchable
      clearable
      autoComplete="off"
    />
  )
}
