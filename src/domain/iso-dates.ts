import type { Day } from './calendar.ts'

/**
 * ISO 8601 dates and datetimes as text. They stay text on their way to PostgreSQL, which keeps microseconds and knows
 * the time zone of values without an offset; the functions here only make sure that PostgreSQL accepts them.
 */
const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
/** The plus of an offset may be a space: it has become one in an address that was not escaped. */
const datetimePattern =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?| \d{2}:\d{2})?$/

/** The date as PostgreSQL reads it, or null. */
export function readDate(text: string): Day | null {
  const match = datePattern.exec(text)
  return match && isDay(match[1]!, match[2]!, match[3]!) ? (text as Day) : null
}

/** Offsets are below 16 hours, so between these the year has four digits in every time zone. */
const firstMs = Date.parse('0001-01-01T16:00:00Z')
const lastMs = Date.parse('9999-12-31T08:00:00Z')

/**
 * A datetime, or a date that stands for its first moment, or null. Without an offset it is in the time zone of the
 * database session.
 */
export function readMoment(text: string): string | null {
  if (readDate(text)) return text
  const match = datetimePattern.exec(text)
  if (!match) return null
  const [, year, month, day, hour, minute, second = '00', fraction = '0', sent = ''] = match
  const offset = sent.replace(' ', '+')
  if (!isDay(year!, month!, day!) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  if (!isOffset(offset)) return null
  if (offset !== '') {
    const wallMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    const ms = wallMs - offsetMs(offset)
    if (ms < firstMs || ms > lastMs) return null
  }
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${offset.toUpperCase()}`
}

const isUtc = (offset: string): boolean => offset === '' || offset.toUpperCase() === 'Z'
const hoursOf = (offset: string): number => Number(offset.slice(1, 3))
const minutesOf = (offset: string): number => Number(offset.slice(3).replace(':', '') || 0)

/** PostgreSQL accepts offsets below 16 hours; the widest in use is 14. */
const isOffset = (offset: string): boolean => isUtc(offset) || (hoursOf(offset) <= 15 && minutesOf(offset) <= 59)

function offsetMs(offset: string): number {
  if (isUtc(offset)) return 0
  return (offset.startsWith('-') ? -1 : 1) * (hoursOf(offset) * 60 + minutesOf(offset)) * 60_000
}

function isDay(year: string, month: string, day: string): boolean {
  if (year === '0000') return false
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}
