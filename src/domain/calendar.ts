declare const kind: unique symbol

/** A calendar day in some time zone: `2026-11-21`. Days and months compare as text. */
export type Day = string & { readonly [kind]: 'day' }

/** A calendar month: `2026-11`. */
export type Month = string & { readonly [kind]: 'month' }

/** Days from the first to the last, both included. */
export type Span = { readonly from: Day; readonly to: Day }

export const dayMs = 86_400_000
const [earliest, latest] = ['0001-01-01' as Day, '9999-12-31' as Day]
/** All days of four-digit years. */
export const everyDay: Span = { from: earliest, to: latest }

// Creating a formatter costs a thousand times as much as using it.
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
    formatters.set(zone, formatter)
  }
  return formatter
}

type Part = Intl.DateTimeFormatPartTypes

/** The date and time in a time zone, each part as text. */
const wallClock = (instant: Date, zone: string): Partial<Record<Part, string>> =>
  Object.fromEntries(
    formatterOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  )

/**
 * The day of an instant in a time zone such as `Europe/Moscow`; an instant outside the four-digit years counts as the
 * nearest day within them.
 */
export function dayOf(instant: Date, zone: string): Day {
  const { era = '', year = '', month = '', day = '' } = wallClock(instant, zone)
  if (era.startsWith('B')) return earliest
  return year.length > 4 ? latest : (`${year.padStart(4, '0')}-${month}-${day}` as Day)
}

export const monthOf = (day: Day): Month => day.slice(0, 7) as Month

/** The number of the day in its month, 1 to 31. */
export const numberOf = (day: Day): number => Number(day.slice(8))

/** The number of days in a month, 28 to 31. */
export function daysIn(month: Month): number {
  // The calendar repeats after 400 years, and Date.UTC takes years below 100 for those of the twentieth century.
  const year = Number(month.slice(0, 4)) + 400
  return new Date(Date.UTC(year, Number(month.slice(5)), 0)).getUTCDate()
}

export const firstDay = (month: Month): Day => `${month}-01` as Day

export const lastDay = (month: Month): Day => `${month}-${daysIn(month)}` as Day

/** No month has more than 31 days, and none fewer than 28. */
export const nextMonth = (month: Month): Month => monthOf(addDays(firstDay(month), 31))

export const monthBefore = (month: Month): Month => monthOf(addDays(firstDay(month), -1))

export const addDays = (day: Day, count: number): Day =>
  new Date(utcMidnight(day) + count * dayMs).toISOString().slice(0, 10) as Day

/** Every day of a span, both ends included. */
export function daysBetween({ from, to }: Span): Day[] {
  const days: Day[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}

export const wholeMonth = (month: Month): Span => ({ from: firstDay(month), to: lastDay(month) })

/** The days that two spans have in common; null: there are none. */
export function common(a: Span, b: Span): Span | null {
  const [from, to] = [a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to]
  return from <= to ? { from, to } : null
}

/**
 * The instant a day begins in a time zone. Where the clocks go forward over midnight, the day begins later; a day that
 * a zone skipped entirely (Apia, 2011-12-30) begins with the next one.
 */
export const startOfDay = (day: Day, zone: string): Date => localMoment(utcMidnight(day), zone)

/**
 * The instant at which clocks of a zone show what those of UTC show at `wallMs`. Where clocks go back and the time
 * occurs twice, the first one counts; where they go forward over it, it is later by what was skipped.
 */
export function localMoment(wallMs: number, zone: string): Date {
  // A change of the clocks that touches this time lies between the offsets of the day before and of the day after.
  const [before, after] = [-dayMs, dayMs].map((away) => wallMs - offsetMs(new Date(wallMs + away), zone)) as [
    number,
    number,
  ]
  const found = [before, after].filter((ms) => ms + offsetMs(new Date(ms), zone) === wallMs)
  return new Date(found.length > 0 ? Math.min(...found) : before)
}

/** How many milliseconds the local time of a zone is ahead of UTC at an instant. */
export function offsetMs(instant: Date, zone: string): number {
  const { year, month, day, hour, minute, second } = wallClock(instant, zone)
  const shown = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return shown - Math.floor(instant.getTime() / 1000) * 1000
}

/** `2027-01-15T11:00:00+03:00`: an instant by the clocks of a zone, to the second. */
export function zonedText(instant: Date, zone: string): string {
  const offset = offsetMs(instant, zone)
  const minutes = Math.round(Math.abs(offset) / 60_000)
  const written = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
  return `${new Date(instant.getTime() + offset).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${written}`
}

const utcMidnight = (day: Day): number => Date.parse(`${day}T00:00:00Z`)
