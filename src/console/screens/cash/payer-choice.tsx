import { Select } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useLookup } from '../../patterns/lookup.ts'
import { useTexts } from '../../texts/texts.ts'
import { cashTexts } from './texts.ts'

const endpoint = 'GET /admin/Abonents/subscribers/'
export type Payer = Item<typeof endpoint>

const listedMax = 12

type PayerChoiceProps = {
  readonly chosen: Payer | null
  readonly onChosen: (payer: Payer | null) => void
  readonly isOff: boolean
}

/**
 * Finds who pays by name, contract, phone, address or login. Enter may come before the answer, as from who knows the
 * contract or from a scanner; the only one found is chosen then.
 */
export function PayerChoice({ chosen, onChosen, isOff }: PayerChoiceProps) {
  const t = useTexts(cashTexts)
  const nameOf = useNameOf()
  const name = chosen ? nameOf(chosen) : ''
  const { typed, q, fieldsOf } = useLookup(name)
  const { data } = useEndpoint(endpoint, { query: { q, sort: 'match', limit: listedMax } }, { isEnabled: q !== '' })
  const { fields, isPresent } = fieldsOf(data)
  const found = q === '' ? [] : (data?.items ?? [])
  const offered = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  const [isHurried, setHurried] = useState(false)
  useEffect(() => {
    if (!isHurried || !isPresent) return
    setHurried(false)
    if (found.length === 1) onChosen(found[0]!)
  }, [isHurried, isPresent, found, onChosen])
  return (
    <Select
      label={t.find}
      description={t.findSays}
      data={offered.map((one) => ({ value: String(one.id), label: nameOf(one) }))}
      {...fields}
      onKeyDown={({ key }) => setHurried(key === 'Enter' && !isPresent)}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(value) => onChosen(offered.find(({ id }) => String(id) === value) ?? null)}
      nothingFoundMessage={typed.trim() === '' ? undefined : t.nobody}
      clearable
      selectFirstOptionOnChange={isPresent}
      disabled={isOff}
      autoFocus
    />
  )
}

function useNameOf(): (payer: Payer) => string {
  const format = useFormat()
  return ({ name, contract_number, address }) =>
    [name, contract_number, address && format.address(address)].filter(Boolean).join(' · ')
}
