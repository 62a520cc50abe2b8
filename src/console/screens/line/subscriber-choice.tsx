import { Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useLookup } from '../../patterns/lookup.ts'
import { useTexts } from '../../texts/texts.ts'
import { lineTexts } from './texts.ts'

type SubscriberChoiceProps = Pick<SelectProps, 'name' | 'value' | 'error' | 'onChange' | 'label'>

const listedMax = 20

/** Chooses a subscriber by name, contract, phone, login or whatever else the list of subscribers finds them by. */
export function SubscriberChoice(props: SubscriberChoiceProps) {
  const t = useTexts(lineTexts)
  const format = useFormat()
  const [chosen, setChosen] = useState<{ readonly value: string; readonly label: string } | null>(null)
  const { q, fieldsOf } = useLookup(chosen?.label)
  const query = { limit: listedMax, ...(q !== '' && { q }) }
  const { data } = useEndpoint('GET /admin/Abonents/subscribers/', { query })
  const { fields, isPresent } = fieldsOf(data)
  const options = (data?.items ?? []).map(({ id, name, contract_number: contract, address }) => ({
    value: String(id),
    label: [name, contract, address && format.address(address)].filter(Boolean).join(' · '),
  }))
  const isListed = options.some(({ value }) => value === chosen?.value)
  return (
    <Select
      {...props}
      onChange={(value, option) => {
        setChosen(value === null ? null : { value, label: option?.label ?? '' })
        props.onChange?.(value, option)
      }}
      placeholder={t.findSubscriber}
      data={chosen && !isListed ? [chosen, ...options] : options}
      {...fields}
      nothingFoundMessage={t.nobodyFound}
      // Opened at once it would cover what is below, and nobody looks for a subscriber among the first ones.
      openOnFocus={false}
      selectFirstOptionOnChange={isPresent}
      data-autofocus
    />
  )
}
