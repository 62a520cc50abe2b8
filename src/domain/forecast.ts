import { addDays, common, type Day, dayOf, firstDay, type Month, monthOf, nextMonth, wholeMonth } from './calendar.ts'
import { type ChargeMode, dayPart, monthPart, rest } from './charges.ts'
import { type Money, minus, plus, zero } from './money.ts'

/** A tariff or a service that goes on costing. */
export type Standing = {
  /** Of a month. */
  readonly price: Money
  /** The first day that costs something. */
  readonly from: Day
  /** The last such day; null: it goes on. */
  readonly to: Day | null
  /** What of the present has been charged already: this month, today, or neither. */
  readonly charged: 'month' | 'day' | 'nothing'
}

/** Money that goes once, before anything else happens on its day. Negative: it comes back. */
export type Lump = { readonly day: Day; readonly amount: Money }

export type Outlook = {
  readonly balance: Money
  /** Below it access closes. */
  readonly limit: Money
  /** The last day on which no debt closes access; null: none. */
  readonly unlimitedThrough: Day | null
  readonly today: Day
  /** How this month is charged, and the ones after it. */
  readonly modes: { readonly now: ChargeMode; readonly later: ChargeMode }
  readonly standing: readonly Standing[]
  readonly lumps: readonly Lump[]
}

/** What a balance lasts beyond is for ever. */
const monthsAhead = 36

/**
 * The last day on which access is still open when nobody pays: the charges to come (contract section 5, Charges), night after night,
 * until the balance is below its limit. Null: what is known now does not exhaust it within three years.
 */
export function lastPaidDay(outlook: Outlook): Day | null {
  const { limit, unlimitedThrough, today } = outlook
  const standing = countedAlike(outlook.standing)
  let balance = outlook.balance
  let month = monthOf(today)
  for (let ahead = 0; ahead <= monthsAhead; ahead++, month = nextMonth(month)) {
    for (const { day, amount } of movesOf(month, outlook, standing)) {
      balance = minus(balance, amount)
      const isFree = unlimitedThrough !== null && day <= unlimitedThrough
      if (balance < limit && !isFree) return addDays(day, -1)
    }
  }
  return null
}

/** The lumps that a change of tariff on a day makes of two prices: what is left of a month that was charged as a whole. */
export function changeOfPrice(before: Money, after: Money, day: Day, mode: ChargeMode): Lump[] {
  if (mode === 'daily' || day === firstDay(monthOf(day))) return []
  return [{ day, amount: minus(rest(after, day), rest(before, day)) }]
}

/** The last day that something which ends at an instant has a part of. */
export const lastDayBefore = (end: Date, zone: string): Day => dayOf(new Date(end.getTime() - 1), zone)

type Counted = { readonly item: Standing; count: bigint }

/** A company's thousand lines are mostly one tariff: what is alike is worked out once, and counts as often as it is there. */
function countedAlike(standing: readonly Standing[]): readonly Counted[] {
  const counted = new Map<string, Counted>()
  for (const item of standing) {
    const alike = `${item.price} ${item.from} ${item.to} ${item.charged}`
    const known = counted.get(alike)
    if (known) known.count++
    else counted.set(alike, { item, count: 1n })
  }
  return [...counted.values()]
}

/** What moves in a month after today, day by day. What is overdue goes with the coming night. */
function movesOf(month: Month, outlook: Outlook, standing: readonly Counted[]): Lump[] {
  const { today, modes, lumps, unlimitedThrough } = outlook
  const whole = wholeMonth(month)
  const isThisMonth = month === monthOf(today)
  const [tomorrow, mode] = [addDays(today, 1), isThisMonth ? modes.now : modes.later]
  const sums = new Map<Day, Money>()
  const add = (wanted: Day, amount: Money) => {
    const day = wanted > today ? wanted : tomorrow
    sums.set(day, plus(sums.get(day) ?? zero, amount))
  }
  for (const lump of lumps) if (monthOf(lump.day > today ? lump.day : tomorrow) === month) add(lump.day, lump.amount)
  // A debt that no limit minded shows on the first day that minds it.
  if (unlimitedThrough !== null && monthOf(addDays(unlimitedThrough, 1)) === month)
    add(addDays(unlimitedThrough, 1), zero)
  for (const { item, count } of standing) {
    const first = isThisMonth && mode === 'daily' ? (item.charged === 'nothing' ? today : tomorrow) : whole.from
    const days = common(whole, {
      from: item.from > first ? item.from : first,
      to: item.to ?? whole.to,
    })
    if (!days) continue
    const addAll = (day: Day, part: Money) => add(day, (part * count) as Money)
    if (mode === 'daily')
      for (let day = days.from; day <= days.to; day = addDays(day, 1)) addAll(day, dayPart(item.price, day))
    else if (!(isThisMonth && item.charged === 'month')) addAll(days.from, monthPart(item.price, days))
  }
  return [...sums].map(([day, amount]) => ({ day, amount })).sort((a, b) => (a.day < b.day ? -1 : 1))
}
