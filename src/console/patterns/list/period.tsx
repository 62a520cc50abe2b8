import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import type { Filters } from './address.ts'
import styles from './list.module.css'
import { listTexts } from './texts.ts'

/** What doors call the two ends of a period. */
const periods = [
  ['from', 'to'],
  ['date_from', 'date_to'],
] as const

type PeriodProps = {
  readonly filters: readonly string[]
  readonly address: Filters
  readonly onChange: (change: Filters) => void
}

/** The first and the last day of what is listed, where the door takes a period. */
export function Period({ filters, address, onChange }: PeriodProps) {
  const t = useTexts(listTexts)
  const names = periods.find(([from]) => filters.includes(from))
  if (!names) return null
  const [from, to] = names
  return (
    <div className={styles.period}>
      <Day label={t.from} day={address[from]} latest={address[to]} onChange={(day) => onChange({ [from]: day })} />
      <span aria-hidden="true">–</span>
      <Day label={t.to} day={address[to]} earliest={address[from]} onChange={(day) => onChange({ [to]: day })} />
    </div>
  )
}

type DayProps = {
  readonly label: string
  readonly day: string | undefined
  readonly earliest?: string | undefined
  readonly latest?: string | undefined
  readonly onChange: (day: string | undefined) => void
}

/** While a year is being typed the field has one of long ago, such as 0020; such a day is not asked for. */
const isWhole = (day: string): boolean => day >= '1970'

function Day({ label, day, earliest, latest, onChange }: DayProps) {
  const [typed, setTyped] = useState(day ?? '')
  useEffect(() => setTyped(day ?? ''), [day])
  const change = (next: string) => {
    setTyped(next)
    if (next === '') onChange(undefined)
    else if (isWhole(next)) onChange(next)
  }
  return (
    <TextInput
      type="date"
      aria-label={label}
      title={label}
      value={typed}
      min={earliest}
      max={latest}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}
