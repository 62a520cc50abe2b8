/** Days as `2026-11-30` and months as `2026-11`, as endpoints name them. */

const dayMs = 86_400_000
const atUtc = (day: string): number => Date.parse(`${day}T00:00:00Z`)
const isoOf = (ms: number): string => new Date(ms).toISOString()

export type Span = { readonly from: string; readonly to: string }

/** The month that is so many months after one. */
export function monthAfter(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return isoOf(Date.UTC(year, number - 1 + count, 1)).slice(0, 7)
}

export const dayAfter = (day: string): string => isoOf(atUtc(day) + dayMs).slice(0, 10)

/** The first and the last day of a month. */
export const wholeMonth = (month: string): Span => ({
  from: `${month}-01`,
  to: isoOf(atUtc(`${monthAfter(month, 1)}-01`) - dayMs).slice(0, 10),
})

/** The days of a span, of no more than `most`. */
export function daysOf({ from, to }: Span, most: number): readonly string[] {
  const days: string[] = []
  for (let ms = atUtc(from); ms <= atUtc(to) && days.length < most; ms += dayMs) days.push(isoOf(ms).slice(0, 10))
  return days
}

/** When a day begins in a time zone, in seconds since 1970; where the clocks change at midnight, within an hour. */
export function beginOf(day: string, timeZone: string): number {
  const form = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const midnightBy = (ms: number): number => {
    const offset = form.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(offset) ?? []
    const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
    return atUtc(day) - ahead * 60_000
  }
  // The clocks of the zone may change between its midnight and that of UTC.
  return midnightBy(midnightBy(atUtc(day))) / 1000
}
