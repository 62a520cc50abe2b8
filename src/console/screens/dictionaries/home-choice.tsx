import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useLookup } from '../../patterns/lookup.ts'
import { useTexts } from '../../texts/texts.ts'
import { homesEndpoint, type PlaceKind, useNode } from './node.ts'
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

const listedMax = 30

/** Chooses an address by the beginnings of its words, such as `тв мир 7`. */
export function HomeChoice({ value, onChange, kind, label, ...props }: HomeChoiceProps) {
  const t = useTexts(switchTexts)
  const chosen = useNode(value === null ? null : Number(value))
  const around = useNode(chosen?.parent ?? null)
  const isKnown = chosen !== undefined && (chosen.parent === null || around !== undefined)
  const name = isKnown ? [around?.name, chosen.name].filter(Boolean).join(', ') : ''
  const { q, fieldsOf } = useLookup(name)
  const query = { limit: listedMax, ...(kind && { kind }), ...(q !== '' && { q }) }
  const { data } = useEndpoint(homesEndpoint, { query })
  const options = (data?.items ?? []).map(({ id, address }) => ({ value: String(id), label: address }))
  const isListed = options.some((option) => option.value === value)
  const own = isKnown && !isListed ? [{ value: String(chosen.id), label: name }] : []
  return (
    <Select
      {...props}
      {...(label === undefined ? { 'aria-label': t.place } : { label })}
      placeholder={t.findPlace}
      data={[...own, ...options]}
      {...fieldsOf(data).fields}
      value={value}
      onChange={onChange}
      nothingFoundMessage={t.nothingFound}
      clearable
    />
  )
}
