import { type Account, isUnlimited, type Subscriber } from '../../domain/account.ts'
import { addDays, type Day, dayOf, daysBetween, firstDay, monthOf, nextMonth } from '../../domain/calendar.ts'
import { type ChargeMode, servicePrice } from '../../domain/charges.ts'
import {
  changeOfPrice,
  type ForecastInput,
  lastDayBefore,
  lastPaidDay,
  type OneTimeCharge,
  type RecurringCharge,
} from '../../domain/forecast.ts'
import type { AccountId, SubscriberId } from '../../domain/ids.ts'
import { latest } from '../../domain/moments.ts'
import { type Money, moneyFromUnits, moneyOrNull, zero } from '../../domain/money.ts'
import { chargeKeys } from '../../domain/money-keys.ts'
import { promiseServices, promiseSystemType } from '../../domain/promise.ts'
import type { ClientParts } from './parts.ts'

type Row = {
  readonly subscriber_id: string
  readonly link_id: string | null
  /** Null: there is no tariff. */
  readonly name: string | null
  readonly own: string | null
  readonly sum: string | null
  readonly price: string
  readonly count: number
  readonly begins: Date
  /** When the tariff or the service got a price. */
  readonly priced_from: Date | null
  readonly ends: Date | null
  readonly next_name: string | null
  readonly next_price: string | null
  readonly next_date: Date | null
  readonly month_charged: boolean
  readonly day_charged: boolean
}

const isTaken = (key: string) => `EXISTS (SELECT FROM money_keys WHERE key = ${key})`

/**
 * The tariffs and services of the subscribers $1, and whether month $2 and day $3 have been charged. Promise payments
 * are forecast separately.
 */
const recurringText = `SELECT abonent.id AS subscriber_id, NULL::int8 AS link_id, tarif.name, NULL::int8 AS own, NULL::int8 AS sum, coalesce(tarif.price, 0) AS price, 1 AS count,
    greatest(abonent.create_date, abonent.charged_from) AS begins, tarif.priced_from, NULL::timestamptz AS ends,
    next.name AS next_name, next.price AS next_price, CASE WHEN next.id IS NOT NULL THEN next_tarif_date END AS next_date,
    ${isTaken(chargeKeys.tariff.sql('abonent.id', '$2'))} AS month_charged,
    ${isTaken(chargeKeys.tariff.sql('abonent.id', '$3'))} AS day_charged
  FROM abonents AS abonent LEFT JOIN tarifs AS tarif ON tarif.id = tarif_id LEFT JOIN tarifs AS next ON next.id = next_tarif_id
  WHERE abonent.id = ANY($1)
  UNION ALL
  SELECT abonent.id, link.id, service.name, link.summ, service.summa, service.price, link.countt,
    greatest(abonent.create_date, abonent.charged_from, link.create_date, link.charged_from), service.priced_from, link.end_time,
    NULL, NULL, NULL,
    ${isTaken(chargeKeys.service.sql('abonent.id', 'link.id', '$2'))},
    ${isTaken(chargeKeys.service.sql('abonent.id', 'link.id', '$3'))}
  FROM abonents AS abonent JOIN users_uslugas AS link ON link.abonent_id = abonent.id JOIN uslugas AS service ON service.id = usluga_id
  WHERE abonent.id = ANY($1) AND link.enabled AND service.id <> ALL($4)
    AND service.system_type IS DISTINCT FROM ${promiseSystemType} AND link.system_type IS DISTINCT FROM ${promiseSystemType}`

const settingsText = `SELECT (SELECT mode FROM charge_months WHERE month = $1) AS mode,
  (SELECT json_object_agg(id, price::text) FROM uslugas WHERE id = ANY($2)) AS promise_prices`

/** Whose charge it is, and for what. */
export type ChargeFor = {
  readonly subscriberId: SubscriberId
  readonly kind: 'tariff' | 'service' | 'promiseFee' | 'promiseEnd'
  /** The row of users_uslugas; null of a tariff. */
  readonly linkId: number | null
  /** Of the tariff or the service. */
  readonly name: string
}

/** The known charges to one account, of all its subscribers, without those of promise payments. */
export type ComingCharges = Pick<ForecastInput, 'modes' | 'today'> & {
  readonly recurring: readonly (RecurringCharge & ChargeFor)[]
  readonly oneTime: readonly (OneTimeCharge & ChargeFor)[]
  /** Prices of services of promise payments, by service. */
  readonly promisePrices: Readonly<Record<string, string>>
}

/** A change of tariff that has not been made: what would be charged if it were. */
export type SupposedTariff = {
  readonly subscriberId: SubscriberId
  readonly name: string
  readonly price: Money
  readonly pricedFrom: Date | null
  /** The moment from which it would be planned; null: it would be changed at once. */
  readonly planned: Date | null
  /** From when on the subscriber would be charged (domain/account.ts chargedFrom). */
  readonly chargedFrom: Date | null
}

/** What reading of charges needs. */
export type BillParts = Pick<ClientParts, 'pool' | 'settings' | 'clock'>

/** Reads the charges that accounts will bear, with as many queries as for one. */
export async function readComingCharges(
  { pool, settings, clock }: BillParts,
  accounts: ReadonlyMap<AccountId, Account>,
  supposed: SupposedTariff | null = null,
): Promise<ReadonlyMap<AccountId, ComingCharges>> {
  if (accounts.size === 0) return new Map()
  const zone = settings.get('TIME_ZONE')
  const today = dayOf(clock.now(), zone)
  const promiseIds = Object.values(promiseServices)
  const payers = [...accounts.values()].flatMap(payersOf)
  const [found, known] = await Promise.all([
    pool.query<Row>(recurringText, [payers, monthOf(today), today, promiseIds]),
    pool.query<{ mode: ChargeMode | null; promise_prices: Record<string, string> | null }>(settingsText, [
      monthOf(today),
      promiseIds,
    ]),
  ])
  const later = settings.get('TARIFF_CHARGE_MODE')
  const { mode, promise_prices } = known.rows[0]!
  const present: Present = { today, dayAt: daysOf(zone), zone, modes: { now: mode ?? later, later } }
  const rowsOf = Map.groupBy(found.rows, (row) => Number(row.subscriber_id))
  const charges = new Map<AccountId, ComingCharges>()
  for (const account of accounts.values()) {
    const rows = payersOf(account).flatMap((id) => rowsOf.get(id) ?? [])
    const parts = rows.map((row) => chargesOf(supposed ? supposing(row, supposed) : row, account, present))
    charges.set(account.id, {
      recurring: parts.flatMap(({ recurring }) => recurring),
      oneTime: parts.flatMap(({ oneTime }) => oneTime),
      modes: present.modes,
      today,
      promisePrices: promise_prices ?? {},
    })
  }
  return charges
}

/**
 * The last day that the balance covers, given all charges to the account: tariffs of its subscribers and planned
 * changes of them, services, and limits of promise payments that are taken back. Null: the known charges do not exhaust
 * the balance. Whether access is open now is for the caller to know.
 */
export function balanceLastsThrough(
  { settings }: Pick<ClientParts, 'settings'>,
  account: Account,
  { promisePrices, ...charges }: ComingCharges,
  now: Date,
): Day | null {
  const terms = promiseTermsOf({ settings }, { promisePrices, ...charges })
  const unlimited = isUnlimited(account, now)
  if (unlimited && account.unlimitedUntil === null) return null
  return lastPaidDay({
    ...charges,
    balance: account.balance,
    limit: account.limit,
    unlimitedThrough: unlimited && account.unlimitedUntil ? lastDayBefore(account.unlimitedUntil, terms.zone) : null,
    oneTime: [...charges.oneTime, ...account.subscribers.flatMap((subscriber) => promiseCharges(subscriber, terms))],
  })
}

export const promiseTermsOf = (
  { settings }: Pick<ClientParts, 'settings'>,
  { promisePrices, today }: Pick<ComingCharges, 'promisePrices' | 'today'>,
): PromiseTerms => ({
  today,
  zone: settings.get('TIME_ZONE'),
  fee: (id) => (settings.get('LK_PROMISE_PAY_DAILY_CHARGE') ? moneyFromUnits(promisePrices[String(id)] ?? 0) : zero),
})

/** Whose charges an account bears. */
const payersOf = ({ subscribers }: Account): SubscriberId[] =>
  subscribers.filter(({ deleted, blocks }) => !deleted && !blocks.client).map(({ id }) => id)

type Present = {
  readonly today: Day
  readonly zone: string
  readonly dayAt: (instant: Date) => Day
  readonly modes: ForecastInput['modes']
}

/**
 * Days of a time zone, each instant looked up once: the lines of a company begin with one import or one price, and a
 * look-up in the calendar takes several microseconds.
 */
function daysOf(zone: string): (instant: Date) => Day {
  const known = new Map<number, Day>()
  return (instant) => {
    const ms = instant.getTime()
    const day = known.get(ms) ?? dayOf(instant, zone)
    known.set(ms, day)
    return day
  }
}

/** The row of the subscriber's tariff as it would be. */
function supposing(row: Row, { subscriberId, name, price, pricedFrom, planned, chargedFrom }: SupposedTariff): Row {
  if (row.link_id !== null || Number(row.subscriber_id) !== subscriberId) return row
  if (planned) return { ...row, next_name: name, next_price: String(price), next_date: planned }
  return {
    ...row,
    name,
    price: String(price),
    begins: chargedFrom ? latest(row.begins, chargedFrom) : row.begins,
    priced_from: pricedFrom,
    next_name: null,
    next_price: null,
    next_date: null,
  }
}

type Charges = Pick<ComingCharges, 'recurring' | 'oneTime'>

function chargesOf(row: Row, account: Account, { modes, today, zone, dayAt }: Present): Charges {
  const from = dayAt(latest(row.begins, row.priced_from, account.sleepUntil))
  const to = row.ends && lastDayBefore(row.ends, zone)
  const charged = row.month_charged ? 'month' : row.day_charged ? 'day' : 'nothing'
  const price = servicePrice({
    own: moneyOrNull(row.own),
    sum: moneyOrNull(row.sum),
    price: moneyFromUnits(row.price),
    count: row.count,
  })
  const what = {
    subscriberId: Number(row.subscriber_id) as SubscriberId,
    kind: row.link_id === null ? 'tariff' : 'service',
    linkId: row.link_id === null ? null : Number(row.link_id),
    name: row.name ?? '',
  } as const satisfies ChargeFor
  if (row.next_date === null || row.next_price === null)
    return { recurring: [{ ...what, price, from, to, charged }], oneTime: [] }
  const planned = dayAt(row.next_date)
  const day = planned > today ? planned : addDays(today, 1)
  const mode = monthOf(day) === monthOf(today) ? modes.now : modes.later
  const next = moneyFromUnits(row.next_price)
  const whatNext = { ...what, name: row.next_name ?? '' }
  const oneTime = changeOfPrice(price, next, day, mode).map((charge) => ({ ...whatNext, ...charge }))
  // A month charged as a whole is settled on the day of the change, and the new price applies from the next month.
  const [lastOld, firstNew] = oneTime.length > 0 ? wholeMonths(day) : [addDays(day, -1), day]
  const later = { ...whatNext, price: next, from: from > firstNew ? from : firstNew, to: null } as const
  return {
    recurring: [
      { ...what, price, from, to: lastOld, charged },
      { ...later, charged: 'nothing' },
    ],
    oneTime,
  }
}

/** The last day of a day's month and the first day of the next one. */
const wholeMonths = (day: Day): [Day, Day] => {
  const first = firstDay(nextMonth(monthOf(day)))
  return [addDays(first, -1), first]
}

export type PromiseTerms = {
  readonly today: Day
  readonly zone: string
  /** The daily fee of a promise payment, by its service. */
  readonly fee: (uslugaId: number) => Money
}

/** The daily fees of a promise payment, and its limit, which is taken back when the promise ends. */
export function promiseCharges(
  { id, promise }: Subscriber,
  { today, zone, fee }: PromiseTerms,
): (OneTimeCharge & ChargeFor)[] {
  if (!promise) return []
  const last = lastDayBefore(promise.until, zone)
  const daily = fee(promise.uslugaId)
  const days = daily > zero && last > today ? daysBetween({ from: addDays(today, 1), to: last }) : []
  const what = { subscriberId: id, linkId: promise.linkId, name: '' }
  return [
    ...days.map((day) => ({ ...what, kind: 'promiseFee' as const, day, amount: daily })),
    { ...what, kind: 'promiseEnd', day: addDays(last, 1), amount: promise.limit },
  ]
}
