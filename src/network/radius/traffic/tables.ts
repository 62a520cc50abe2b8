import { monthOf } from '../../../domain/calendar.ts'
import { dayOfNumber, modulo } from './local-days.ts'

/**
 * How long traffic is kept. Steps stay for today and the two days before; hours for this month and the two before;
 * days for this year and the three before. Each table has one of the periods that are kept, one that is being emptied,
 * and of days and hours one that begins.
 */
const stepDaysBefore = 2
const hourMonthsBefore = 2
const dayYearsBefore = 3

const stepTables = 5
const hourTables = 4
const dayTables = 5

export type Kind = 'steps' | 'hours' | 'days'

const counts = { steps: stepTables, hours: hourTables, days: dayTables } as const satisfies Record<Kind, number>

/** The month, counted from 1970. */
const monthNumber = (day: number): number => {
  const month = monthOf(dayOfNumber(day))
  return (Number(month.slice(0, 4)) - 1970) * 12 + Number(month.slice(5)) - 1
}
const yearOf = (day: number): number => Number(dayOfNumber(day).slice(0, 4))

const dayNumber = (year: number, month: number): number => Date.UTC(year, month, 1) / 86_400_000

const turnOf = {
  steps: (day: number) => day,
  hours: monthNumber,
  days: yearOf,
} as const satisfies Record<Kind, (day: number) => number>

const nameOf = (kind: Kind, turn: number): string => `traffic_${kind}_${modulo(turn, counts[kind])}`

/** The table that has the rows of a day. */
export const tableOf = (kind: Kind, day: number): string => nameOf(kind, turnOf[kind](day))

export const tablesOf = (kind: Kind): string[] => Array.from({ length: counts[kind] }, (_, turn) => nameOf(kind, turn))

/** The first day that is kept of each kind, where `today` is the day now. */
export const firstKept = {
  steps: (today: number) => today - stepDaysBefore,
  hours: (today: number) => dayNumber(1970, monthNumber(today) - hourMonthsBefore),
  days: (today: number) => dayNumber(yearOf(today) - dayYearsBefore, 0),
} as const satisfies Record<Kind, (today: number) => number>

/** The table that has nothing that is kept any longer, and whose turn comes with the next period. */
export const forgotten = (kind: 'hours' | 'days', today: number): string => nameOf(kind, turnOf[kind](today) + 1)
