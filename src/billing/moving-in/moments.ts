import { localMoment } from '../../domain/calendar.ts'

/** When it is, and where: a source tells most times without a zone, by the clock of the provider. */
export type Present = { readonly now: Date; readonly zone: string }

const hasZone = /\d(?:Z|[+-]\d\d:?\d\d)$|(?:UTC|GMT)$/i

/** A moment, or the beginning of a day, as a source writes it; null: it is none. */
export function momentOf(text: string, zone: string): Date | null {
  const trimmed = text.trim()
  // A day in this form alone would be taken for one in UTC.
  const shown = new Date(/^\d{4}-\d\d-\d\d$/.test(trimmed) ? `${trimmed}T00:00` : trimmed)
  if (Number.isNaN(shown.getTime())) return null
  if (trimmed.includes(':') && hasZone.test(trimmed)) return shown
  const date = [shown.getFullYear(), shown.getMonth(), shown.getDate()] as const
  return localMoment(Date.UTC(...date, shown.getHours(), shown.getMinutes(), shown.getSeconds()), zone)
}
