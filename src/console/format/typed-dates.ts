import type { Language } from '../../domain/language.ts'

/**
 * A day as endpoints name it, `2026-11-30`, or a minute of one, `2026-11-30T09:05`, both by the clock of the office.
 */
export type DateKind = 'day' | 'minute'

const written = { day: /^\d{4}-\d\d-\d\d$/, minute: /^\d{4}-\d\d-\d\dT\d\d:\d\d$/ }

/** Whether a text is what endpoints take, and not something that somebody is still typing. */
export const isDate = (kind: DateKind, text: string): boolean => written[kind].test(text)

/** As the console writes it everywhere: `30.11.2026, 09:05`, `30/11/2026, 09:05`. What is no date stays as it is. */
export function dateText(kind: DateKind, value: string, language: Language): string {
  if (!isDate(kind, value)) return value
  const [day, time] = value.split('T') as [string, string?]
  const text = day.split('-').reverse().join(signs[language])
  return time === undefined ? text : `${text}, ${time}`
}

const signs = { ru: '.', en: '/' } as const satisfies Record<Language, string>

/** The day first, as in both languages, or the year, as in files; without any sign, as on a keyboard of digits. */
const days = [
  /^(?<day>\d{1,2})[./,\- ](?<month>\d{1,2})[./,\- ](?<year>\d{4})$/,
  /^(?<day>\d\d)(?<month>\d\d)(?<year>\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/,
]

/** A date as people type it, as endpoints take it; null: it is none, or not yet. */
export function readDate(kind: DateKind, typed: string): string | null {
  const text = typed.trim()
  if (kind === 'day') return readDay(text)
  const [, dayTyped = '', hour = '', minute = ''] = /^(.*?)(?:,\s*|\s+|T)(\d{1,2})[:.](\d\d)$/.exec(text) ?? []
  const day = readDay(dayTyped)
  if (day === null || Number(hour) > 23 || Number(minute) > 59) return null
  return `${day}T${hour.padStart(2, '0')}:${minute}`
}

function readDay(text: string): string | null {
  const found = days.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!found) return null
  const { year = '', month = '', day = '' } = found
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${iso}T00:00:00Z`)
  // The 31st of a short month would be the first of the next one.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(iso) ? iso : null
}
