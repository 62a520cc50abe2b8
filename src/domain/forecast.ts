import {
  addDays,
  common,
  type Day,
  dayOf,
  daysBetween,
  firstDay,
  type Month,
  monthOf,
  nextMonth,
  type Span,
  wholeMonth,
} from './calendar.ts'
import { type ChargeMode, dayPart, monthPart, rest } from './charges.ts'
import { type Money, minus, plus, zero } from './money.ts'

/** A recurring charge: a tariff or a service. */
export type RecurringCharge = {
  /** The price for a month. */
  readonly price: Money
  /** The first day that is charged. */
  readonly from: Day
  /** The last day that is charged; null: there is no end. */
  readonly to: Day | null
  /** What has been charged already: this month, today, or neither. */
  readonly charged: 'month' | 'day' | 'nothing'
}

/** A single charge, taken before anything else on its day. A negative amount is a refund. */
export type OneTimeCharge = { readonly day: Day; readonly amount: Money }

export type ForecastInput = {
  readonly balance: Money
  /** The balance below which access is closed. */
  readonly limit: Money
  /** The last day of an unlimited term, during which no debt closes access; null: there is none. */
  readonly unlimitedThrough: Day | null
  readonly today: Day
  /** How this month is charged, and how later months are. */
  readonly modes: { readonly now: ChargeMode; readonly later: ChargeMode }
  readonly recurring: readonly RecurringCharge[]
  readonly oneTime: readonly OneTimeCharge[]
}

/** A balance that lasts longer than this counts as lasting for ever. */
const monthsAhead = 36

/**
 * The last day on which access is still open if nobody pays: the coming charges (contract section 5, Charges) are taken
 * night by night until the balance falls below its limit. Null: the charges known now do not exhaust the balance within
 * three years.
 */
export function lastPaidDay(input: ForecastInput): Day | null {
  const { limit, unlimitedThrough, today } = input
  const recurring = groupedByEquality(input.recurring)
  let balance = input.balance
  let month = monthOf(today)
  for (let ahead = 0; ahead <= monthsAhead; ahead++, month = nextMonth(month)) {
    for (const { day, amount } of chargesOf(month, input, recurring)) {
      balance = minus(balance, amount)
      const isFree = unlimitedThrough !== null && day <= unlimitedThrough
      if (balance < limit && !isFree) return addDays(day, -1)
    }
  }
  return null
}

/**
 * The charges that a change of tariff on a day causes: the difference in price for the rest of a month that was charged
 * as a whole.
 */
export function changeOfPrice(before: Money, after: Money, day: Day, mode: ChargeMode): OneTimeCharge[] {
  if (mode === 'daily' || day === firstDay(monthOf(day))) return []
  return [{ day, amount: minus(rest(after, day), rest(before, day)) }]
}

/** The last day that is at least partly before an instant, in a time zone. */
export const lastDayBefore = (end: Date, zone: string): Day => dayOf(new Date(end.getTime() - 1), zone)

type Counted = { readonly item: RecurringCharge; readonly count: bigint }

/**
 * The thousand lines of a company mostly have the same tariff, so equal charges are calculated once and multiplied by
 * their number.
 */
function groupedByEquality(recurring: readonly RecurringCharge[]): readonly Counted[] {
  const groups = Map.groupBy(recurring, ({ price, from, to, charged }) => `${price} ${from} ${to} ${charged}`)
  return [...groups.values()].map((equal) => ({ item: equal[0]!, count: BigInt(equal.length) }))
}

/** What is taken for some days of a month, and on which day. */
export type Taken = OneTimeCharge & { readonly days: Span }

/** The day on which what is due is taken: overdue charges in the coming night. */
export const takenOn = (due: Day, today: Day): Day => (due > today ? due : addDays(today, 1))

/** What a recurring charge takes of a month after today. */
export function takenIn(
  month: Month,
  item: RecurringCharge,
  { today, modes }: Pick<ForecastInput, 'today' | 'modes'>,
): Taken[] {
  const whole = wholeMonth(month)
  const isThisMonth = month === monthOf(today)
  const mode = isThisMonth ? modes.now : modes.later
  const first = isThisMonth && mode === 'daily' ? (item.charged === 'nothing' ? today : addDays(today, 1)) : whole.from
  const days = common(whole, { from: item.from > first ? item.from : first, to: item.to ?? whole.to })
  if (!days) return []
  if (mode === 'daily')
    return daysBetween(days).map((day) => ({
      day: takenOn(day, today),
      days: { from: day, to: day },
      amount: dayPart(item.price, day),
    }))
  if (isThisMonth && item.charged === 'month') return []
  return [{ day: takenOn(days.from, today), days, amount: monthPart(item.price, days) }]
}

/** The charges of a month after today, one sum per day. */
function chargesOf(month: Month, input: ForecastInput, recurring: readonly Counted[]): OneTimeCharge[] {
  const { today, oneTime, unlimitedThrough } = input
  const sums = new Map<Day, Money>()
  const add = (due: Day, amount: Money) => {
    const day = takenOn(due, today)
    sums.set(day, plus(sums.get(day) ?? zero, amount))
  }
  for (const { day, amount } of oneTime) if (monthOf(takenOn(day, today)) === month) add(day, amount)
  // A debt that the unlimited term allowed closes access on the first day after it, so that day is included.
  if (unlimitedThrough !== null && monthOf(addDays(unlimitedThrough, 1)) === month)
    add(addDays(unlimitedThrough, 1), zero)
  for (const { item, count } of recurring)
    for (const { day, amount } of takenIn(month, item, input)) add(day, (amount * count) as Money)
  return [...sums].map(([day, amount]) => ({ day, amount })).sort((a, b) => (a.day < b.day ? -1 : 1))
}
