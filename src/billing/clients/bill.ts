import { type Account, reachOf, type Subscriber } from '../../domain/account.ts'
import { type Day, dayOf, firstDay, type Month, monthOf, nextMonth, type Span } from '../../domain/calendar.ts'
import { type OneTimeCharge, type RecurringCharge, takenIn, takenOn } from '../../domain/forecast.ts'
import { type Money, plus, zero } from '../../domain/money.ts'
import {
  balanceLastsThrough,
  type BillParts,
  type ChargeFor,
  type ComingCharges,
  promiseCharges,
  type PromiseTerms,
  promiseTermsOf,
  readComingCharges,
  type SupposedTariff,
} from './charges-to-come.ts'

/** A charge to come: what one thing costs within one month. A negative amount is given back. */
type BillLine = ChargeFor & {
  /** When it is taken; of what is charged day by day, the first time. */
  readonly day: Day
  /** The days it is for; null of a single charge, such as the end of a promise payment. */
  readonly days: Span | null
  readonly amount: Money
  /** How many times something is taken. */
  readonly times: number
}

/** What a subscriber will be charged until the end of the next month. */
export type Bill = {
  readonly lines: readonly BillLine[]
  /** The first day on which anything is taken, with all that is taken on it; null: nothing is. */
  readonly nextCharge: OneTimeCharge | null
  /** The last day that the balance of the account covers; null: access is closed now, or there is no such day. */
  readonly lastsThrough: Day | null
}

/** What has not been done, and would be charged if it were. */
export type Supposed = {
  readonly tariff?: SupposedTariff | null
  readonly service?: RecurringCharge & ChargeFor
}

/**
 * The bill of a subscriber, by the charges of which the last paid day is made. With `supposed` it is the bill as it
 * would be; `account` is then as it would be too.
 */
export async function readBill(
  parts: BillParts,
  account: Account,
  subscriber: Subscriber,
  { tariff = null, service }: Supposed = {},
): Promise<Bill> {
  const read = await readComingCharges(parts, new Map([[account.id, account]]), tariff)
  const known = read.get(account.id)!
  const charges = service ? { ...known, recurring: [...known.recurring, service] } : known
  const now = parts.clock.now()
  const isOpen = reachOf(account, subscriber, now) === 'open'
  const own = ownOf(parts, charges, subscriber)
  return {
    lines: linesOf(own, charges),
    nextCharge: nextChargeOf(own, charges),
    lastsThrough: isOpen ? balanceLastsThrough(parts, account, charges, now) : null,
  }
}

type Own = { readonly recurring: readonly (RecurringCharge & ChargeFor)[]; readonly single: readonly BillLine[] }

/** The charges of one subscriber of the account. */
function ownOf(parts: BillParts, charges: ComingCharges, subscriber: Subscriber): Own {
  const isOwn = ({ subscriberId }: ChargeFor) => subscriberId === subscriber.id
  const terms = promiseTermsOf(parts, charges)
  const single = [...charges.oneTime.filter(isOwn), ...promiseCharges(subscriber, terms)].map((charge) =>
    charge.kind === 'promiseEnd'
      ? { ...singleLine(charge, terms.today), day: promiseEndDay(subscriber, terms) }
      : singleLine(charge, terms.today),
  )
  return { recurring: charges.recurring.filter(isOwn), single }
}

/** A bill is of this month and the next one. */
const monthsOf = ({ today }: Pick<ComingCharges, 'today'>): [Month, Month] => [
  monthOf(today),
  nextMonth(monthOf(today)),
]
const endOf = (charges: Pick<ComingCharges, 'today'>): Day => firstDay(nextMonth(monthsOf(charges)[1]))

const byDay = (a: { readonly day: Day }, b: { readonly day: Day }): number =>
  a.day < b.day ? -1 : a.day > b.day ? 1 : 0

function linesOf({ recurring, single }: Own, charges: ComingCharges): BillLine[] {
  const end = endOf(charges)
  const repeated = recurring.flatMap((item) => monthsOf(charges).flatMap((month) => lineOf(item, month, charges)))
  return [...repeated, ...joined(single)].filter(({ day, amount }) => day < end && amount !== 0n).sort(byDay)
}

/** What is charged day by day counts with one day, and what is given back on the same day is taken off. */
function nextChargeOf({ recurring, single }: Own, charges: ComingCharges): OneTimeCharge | null {
  const end = endOf(charges)
  const repeated = recurring.flatMap((item) => monthsOf(charges).flatMap((month) => takenIn(month, item, charges)))
  const sums = [...Map.groupBy<Day, OneTimeCharge>([...repeated, ...single], ({ day }) => day)].map(([day, taken]) => ({
    day,
    amount: taken.map(({ amount }) => amount).reduce(plus),
  }))
  return sums.filter(({ day, amount }) => day < end && amount > zero).sort(byDay)[0] ?? null
}

function lineOf(item: RecurringCharge & ChargeFor, month: Month, charges: ComingCharges): BillLine[] {
  const taken = takenIn(month, item, charges)
  const [first] = taken
  if (!first) return []
  const { subscriberId, kind, linkId, name } = item
  const days = { from: first.days.from, to: taken.at(-1)!.days.to }
  const amount = taken.map((one) => one.amount).reduce(plus)
  return [{ subscriberId, kind, linkId, name, day: first.day, days, amount, times: taken.length }]
}

const singleLine = ({ day, amount, ...what }: OneTimeCharge & ChargeFor, today: Day): BillLine => ({
  ...what,
  day: takenOn(day, today),
  days: null,
  amount,
  times: 1,
})

/**
 * A limit is taken back within the day on which its promise ends. That day still counts among those that the balance
 * covers, so the forecast has the end on the next one.
 */
function promiseEndDay({ promise }: Subscriber, { today, zone }: PromiseTerms): Day {
  const day = dayOf(promise!.until, zone)
  return day > today ? day : today
}

/** The daily fees of a promise payment are one line for each month. */
function joined(lines: readonly BillLine[]): BillLine[] {
  const fees = lines.filter(({ kind }) => kind === 'promiseFee')
  const byMonth = [...Map.groupBy(fees, ({ day }) => monthOf(day)).values()]
  return [
    ...lines.filter(({ kind }) => kind !== 'promiseFee'),
    ...byMonth.map((some) => ({
      ...some[0]!,
      days: { from: some[0]!.day, to: some.at(-1)!.day },
      amount: some.map(({ amount }) => amount).reduce(plus),
      times: some.length,
    })),
  ]
}
