import { useState } from 'react'
import { isDate } from '../../format/typed-dates.ts'
import { DateField } from '../form/date-field.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Filters } from './address.ts'
import styles from './list.module.css'
import { listTexts } from './texts.ts'

/** What endpoints call the two ends of a period. */
const periods = [
  ['from', 'to'],
  ['date_from', 'date_to'],
] as const

type PeriodProps = {
  readonly filters: readonly string[]
  readonly address: Filters
  /** What is shown where the address has no day. */
  readonly otherwise?: Filters
  readonly onChange: (change: Filters) => void
}

/** The first and the last day of what is listed, where the endpoint takes a period. */
export function Period({ filters, address, otherwise = {}, onChange }: PeriodProps) {
  const t = useTexts(listTexts)
  const names = periods.find(([from]) => filters.includes(from))
  if (!names) return null
  const [from, to] = names
  return (
    <div className={styles.period}>
      <Day
        label={t.from}
        day={address[from]}
        otherwise={otherwise[from]}
        latest={address[to] ?? otherwise[to]}
        onChange={(day) => onChange({ [from]: day })}
      />
      <span aria-hidden="true">–</span>
      <Day
        label={t.to}
        day={address[to]}
        otherwise={otherwise[to]}
        earliest={address[from] ?? otherwise[from]}
        onChange={(day) => onChange({ [to]: day })}
      />
    </div>
  )
}

type DayProps = {
  readonly label: string
  /** Of the address. */
  readonly day: string | undefined
  readonly otherwise: string | undefined
  readonly earliest?: string | undefined
  readonly latest?: string | undefined
  readonly onChange: (day: string | undefined) => void
}

/** What is being typed is not asked for, nor a year of long ago, which is one that is not typed to its end. */
const isWhole = (day: string): boolean => isDate('day', day) && day >= '1970'

function Day({ label, day = '', otherwise = '', earliest, latest, onChange }: DayProps) {
  /** What stands in the field while it is no day, beside the day of the address at that time. */
  const [unread, setUnread] = useState({ typed: '', beside: '' })
  const change = (next: string) => {
    setUnread({ typed: next, beside: day })
    if (next === '') onChange(undefined)
    else if (isWhole(next)) onChange(next)
  }
  return (
    <DateField
      kind="day"
      aria-label={label}
      title={label}
      value={unread.beside === day && unread.typed !== '' ? unread.typed : day || otherwise}
      earliest={earliest}
      latest={latest}
      onChange={change}
    />
  )
}
