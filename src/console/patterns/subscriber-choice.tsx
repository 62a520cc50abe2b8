import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEndpoint } from '../api/use-endpoint.ts'
import { useLookup } from './lookup.ts'
import { chapter, useTexts } from '../texts/texts.ts'

const texts = chapter({
  find: ['Имя, договор или телефон', 'Name, contract or phone'],
  nobody: ['Никого не нашлось', 'Nobody was found'],
})

type SubscriberChoiceProps = {
  readonly value: string | null
  readonly onChange: (id: string | null) => void
  readonly name?: string
  readonly label: string
  readonly error?: ReactNode
  readonly 'data-autofocus'?: boolean
}

const listedMax = 20

/** Chooses a subscriber by name, contract or phone. */
export function SubscriberChoice({ value, onChange, ...props }: SubscriberChoiceProps) {
  const t = useTexts(texts)
  const chosen = useEndpoint(
    'GET /admin/Abonents/subscribers/{id}/',
    { path: { id: Number(value ?? 0) } },
    { isEnabled: value !== null },
  )
  const known = chosen.data?.subscriber
  const nameOf = (one: { readonly name: string; readonly contract_number: string | null }) =>
    [one.name, one.contract_number].filter(Boolean).join(', ')
  const ownName = known ? nameOf(known) : ''
  const { q, fieldsOf } = useLookup(ownName)
  const { data } = useEndpoint(
    'GET /admin/Abonents/subscribers/',
    { query: { q, sort: 'match', limit: listedMax } },
    { isEnabled: q !== '' },
  )
  const options = (data?.items ?? []).map((one) => ({ value: String(one.id), label: nameOf(one) }))
  const isListed = options.some((option) => option.value === value)
  const own = known && value !== null && !isListed ? [{ value, label: ownName }] : []
  return (
    <Select
      {...props}
      placeholder={t.find}
      data={[...own, ...options]}
      {...fieldsOf(data).fields}
      value={value}
      onChange={onChange}
      nothingFoundMessage={q === '' ? undefined : t.nobody}
      clearable
    />
  )
}
