/**
 * What tariffs and services cost, said once more as simply as it can be: days by the wall clock, plain kopecks, and no
 * database. It shares nothing with the program, so that the two can disagree.
 */
export type Mode = 'monthly' | 'daily'

/** A time of use, up to `to`; `price` is for a month, in kopecks. */
export type Use = { readonly from: number; readonly to: number; readonly price: number }

type Change = { readonly at: number; readonly before: number; readonly after: number }

/** What is paid for. The uses are in order and do not overlap, and the last one may go on. */
export type Used = { readonly uses: readonly Use[]; readonly changes: readonly Change[] }

const formatters = new Map<string, Intl.DateTimeFormat>()

/** `2026-11-21`, by the clocks of a zone. */
export function dayOfWall(at: number, zone: string): string {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
    formatters.set(zone, formatter)
  }
  return formatter.format(at)
}

const daysOfMonth = (month: string): string[] =>
  Array.from({ length: 31 }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`).filter(
    (day) => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day),
  )

/** The last day of a use; of one that goes on there is none. */
const lastDayOf = (to: number, zone: string): string =>
  to === Number.POSITIVE_INFINITY ? '9999-12-31' : dayOfWall(to - 1, zone)

/** The price of the last days of a month, half up. */
const rest = (price: number, days: number, of: number): number => Math.floor((2 * price * days + of) / (2 * of))

/** By the day: each touched day, at the price of what was used last on it. */
function byDay({ uses }: Used, first: string, last: string, zone: string): number {
  const prices = new Map<string, number>()
  for (const { from, to, price } of uses)
    for (const day of touched(from, to, last, zone)) if (day >= first) prices.set(day, price)
  return [...prices].reduce((sum, [day, price]) => {
    const days = daysOfMonth(day.slice(0, 7))
    const each = Math.floor(price / days.length)
    return sum + (day === days.at(-1) ? price - each * (days.length - 1) : each)
  }, 0)
}

function touched(from: number, to: number, last: string, zone: string): string[] {
  const days: string[] = []
  const end = lastDayOf(to, zone)
  for (let day = dayOfWall(from, zone); day <= end && day <= last; day = dayAfter(day)) days.push(day)
  return days
}

export const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/**
 * By the month: the first run that finds it in use charges from the day on which that use began to the month's end, and
 * a tariff that changes later settles the days that are left. Of uses before that, and of a month in which no run has
 * found any, the touched days are paid.
 */
function byMonth({ uses, changes }: Used, month: string, runs: readonly Run[], zone: string): number {
  const days = daysOfMonth(month)
  const part = (price: number, from: number, to: number) =>
    rest(price, days.length - from, days.length) - rest(price, days.length - to - 1, days.length)
  const run = runs.find(({ at, since }) => {
    const use = uses.findLast(({ from }) => from <= at)
    return (
      use &&
      use.to > at &&
      use.price > 0 &&
      since <= days.at(-1)! &&
      dayOfWall(at, zone) >= days[0]! &&
      dayOfWall(use.from, zone) <= days.at(-1)!
    )
  })
  const current = run ? uses.findLastIndex(({ from }) => from <= run.at) : uses.length
  let sum = 0
  for (const [at, { from, to, price }] of uses.slice(0, current).entries()) {
    const next = uses[at + 1]
    const paid = days.flatMap((day, index) => {
      const isUsed = day >= dayOfWall(from, zone) && day <= lastDayOf(to, zone)
      return isUsed && (!next || day < dayOfWall(next.from, zone)) ? [index] : []
    })
    if (paid.length > 0) sum += part(price, paid[0]!, paid.at(-1)!)
  }
  if (!run) return sum
  const { from, price } = uses[current]!
  sum += part(price, Math.max(0, days.indexOf(dayOfWall(from, zone))), days.length - 1)
  for (const { at, before, after } of changes) {
    const index = days.indexOf(dayOfWall(at, zone))
    if (at > run.at && index >= 0)
      sum += rest(after, days.length - index, days.length) - rest(before, days.length - index, days.length)
  }
  return sum
}

/** A run of the worker, and the first day that it charges. */
export type Run = { readonly at: number; readonly since: string }

/** All that has been charged by the last of the runs, which the first one began. */
export function costOf(used: Used, mode: Mode, runs: readonly Run[], zone: string): number {
  const [first, last] = [dayOfWall(runs[0]!.at, zone), dayOfWall(runs.at(-1)!.at, zone)]
  if (mode === 'daily') return byDay(used, first, last, zone)
  let sum = 0
  for (let day = `${first.slice(0, 7)}-01`; day <= last; day = dayAfter(day))
    if (day.endsWith('-01')) sum += byMonth(used, day.slice(0, 7), runs, zone)
  return sum
}
