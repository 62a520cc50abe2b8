import type { Account, Subscriber } from '../../domain/account.ts'
import { isUnlimited } from '../../domain/account.ts'
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
import { type Money, moneyFromUnits, moneyOrNull, zero } from '../../domain/money.ts'
import { chargeKeys } from '../../domain/money-keys.ts'
import { promiseServices, promiseSystemType } from '../../domain/promise.ts'
import type { ClientParts } from './parts.ts'

type Row = {
  readonly subscriber_id: string
  readonly link_id: string | null
  readonly own: string | null
  readonly sum: string | null
  readonly price: string
  readonly count: number
  readonly begins: Date
  readonly ends: Date | null
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
const recurringText = `SELECT abonent.id AS subscriber_id, NULL::int8 AS link_id, NULL::int8 AS own, NULL::int8 AS sum, coalesce(tarif.price, 0) AS price, 1 AS count,
    greatest(abonent.create_date, abonent.charged_from, tarif.priced_from) AS begins, NULL::timestamptz AS ends,
    next.price AS next_price, CASE WHEN next.id IS NOT NULL THEN next_tarif_date END AS next_date,
    ${isTaken(chargeKeys.tariff.sql('abonent.id', '$2'))} AS month_charged,
    ${isTaken(chargeKeys.tariff.sql('abonent.id', '$3'))} AS day_charged
  FROM abonents AS abonent LEFT JOIN tarifs AS tarif ON tarif.id = tarif_id LEFT JOIN tarifs AS next ON next.id = next_tarif_id
  WHERE abonent.id = ANY($1)
  UNION ALL
  SELECT abonent.id, link.id, link.summ, service.summa, service.price, link.countt,
    greatest(abonent.create_date, abonent.charged_from, link.create_date, link.charged_from, service.priced_from), link.end_time,
    NULL, NULL,
    ${isTaken(chargeKeys.service.sql('abonent.id', 'link.id', '$2'))},
    ${isTaken(chargeKeys.service.sql('abonent.id', 'link.id', '$3'))}
  FROM abonents AS abonent JOIN users_uslugas AS link ON link.abonent_id = abonent.id JOIN uslugas AS service ON service.id = usluga_id
  WHERE abonent.id = ANY($1) AND link.enabled AND service.id <> ALL($4)
    AND service.system_type IS DISTINCT FROM ${promiseSystemType} AND link.system_type IS DISTINCT FROM ${promiseSystemType}`

const settingsText = `SELECT (SELECT mode FROM charge_months WHERE month = $1) AS mode,
  (SELECT json_object_agg(id, price::text) FROM uslugas WHERE id = ANY($2)) AS promise_prices`

/** An account, and whether its access may be open: a closed one has nothing to forecast. */
export type AccountToForecast = { readonly account: Account; readonly mayBeOpen: boolean }

/**
 * The last day that each balance covers, given all charges to the account: tariffs of its subscribers and planned
 * changes of them, services, and limits of promise payments that are taken back. Null: access is closed now, or the
 * known charges do not exhaust the balance.
 */
export async function balancesLastThrough(
  parts: ClientParts,
  wanted: readonly AccountToForecast[],
): Promise<ReadonlyMap<AccountId, Day | null>> {
  const now = parts.clock.now()
  const lasts = new Map<AccountId, Day | null>(wanted.map(({ account }) => [account.id, null]))
  const open = new Map<AccountId, Account>()
  for (const { account, mayBeOpen } of wanted) {
    const isForever = isUnlimited(account, now) && account.unlimitedUntil === null
    if (mayBeOpen && !isForever) open.set(account.id, account)
  }
  if (open.size === 0) return lasts
  const { pool, settings } = parts
  const zone = settings.get('TIME_ZONE')
  const today = dayOf(now, zone)
  const promiseIds = Object.values(promiseServices)
  const payers = [...open.values()].flatMap(payersOf)
  const [found, known] = await Promise.all([
    pool.query<Row>(recurringText, [payers, monthOf(today), today, promiseIds]),
    pool.query<{ mode: ChargeMode | null; promise_prices: Record<string, string> | null }>(settingsText, [
      monthOf(today),
      promiseIds,
    ]),
  ])
  const later = settings.get('TARIFF_CHARGE_MODE')
  const { mode, promise_prices } = known.rows[0]!
  const fee = (id: number) =>
    settings.get('LK_PROMISE_PAY_DAILY_CHARGE') ? moneyFromUnits(promise_prices?.[String(id)] ?? 0) : zero
  const rowsOf = Map.groupBy(found.rows, (row) => Number(row.subscriber_id))
  const present: Present = { now, today, zone, dayAt: daysOf(zone), modes: { now: mode ?? later, later }, fee }
  for (const account of open.values()) {
    const rows = payersOf(account).flatMap((id) => rowsOf.get(id) ?? [])
    lasts.set(account.id, lastPaidDay(forecastInputOf(account, rows, present)))
  }
  return lasts
}

const payersOf = ({ subscribers }: Account): SubscriberId[] =>
  subscribers.filter(({ deleted, blocks }) => !deleted && !blocks.client).map(({ id }) => id)

type Present = {
  readonly now: Date
  readonly today: Day
  readonly zone: string
  readonly dayAt: (instant: Date) => Day
  readonly modes: ForecastInput['modes']
  /** The daily fee of a promise payment, by its service. */
  readonly fee: (uslugaId: number) => Money
}

function forecastInputOf(account: Account, rows: readonly Row[], present: Present): ForecastInput {
  const { now, today, zone, modes } = present
  const charges = rows.map((row) => chargesOf(row, account, present))
  return {
    balance: account.balance,
    limit: account.limit,
    unlimitedThrough:
      isUnlimited(account, now) && account.unlimitedUntil ? lastDayBefore(account.unlimitedUntil, zone) : null,
    today,
    modes,
    recurring: charges.flatMap((charge) => charge.recurring),
    oneTime: [
      ...charges.flatMap((charge) => charge.oneTime),
      ...account.subscribers.flatMap((subscriber) => promiseCharges(subscriber, present)),
    ],
  }
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

type Charges = { readonly recurring: readonly RecurringCharge[]; readonly oneTime: readonly OneTimeCharge[] }

function chargesOf(row: Row, account: Account, { modes, today, zone, dayAt }: Present): Charges {
  const begins = account.sleepUntil && account.sleepUntil > row.begins ? account.sleepUntil : row.begins
  const from = dayAt(begins)
  const to = row.ends && lastDayBefore(row.ends, zone)
  const charged = row.month_charged ? 'month' : row.day_charged ? 'day' : 'nothing'
  const price = servicePrice({
    own: moneyOrNull(row.own),
    sum: moneyOrNull(row.sum),
    price: moneyFromUnits(row.price),
    count: row.count,
  })
  if (row.next_date === null || row.next_price === null)
    return { recurring: [{ price, from, to, charged }], oneTime: [] }
  const planned = dayAt(row.next_date)
  const day = planned > today ? planned : addDays(today, 1)
  const mode = monthOf(day) === monthOf(today) ? modes.now : modes.later
  const next = moneyFromUnits(row.next_price)
  const oneTime = changeOfPrice(price, next, day, mode)
  // A month charged as a whole is settled on the day of the change, and the new price applies from the next month.
  const [lastOld, firstNew] = oneTime.length > 0 ? wholeMonths(day) : [addDays(day, -1), day]
  const later: RecurringCharge = { price: next, from: from > firstNew ? from : firstNew, to: null, charged: 'nothing' }
  return { recurring: [{ price, from, to: lastOld, charged }, later], oneTime }
}

/** The last day of a day's month and the first day of the next one. */
const wholeMonths = (day: Day): [Day, Day] => {
  const first = firstDay(nextMonth(monthOf(day)))
  return [addDays(first, -1), first]
}

/** The daily fees of a promise payment, and its limit, which is taken back when the promise ends. */
function promiseCharges({ promise }: Subscriber, { today, zone, fee }: Present): OneTimeCharge[] {
  if (!promise) return []
  const last = lastDayBefore(promise.until, zone)
  const daily = fee(promise.uslugaId)
  const days = daily > zero && last > today ? daysBetween({ from: addDays(today, 1), to: last }) : []
  return [...days.map((day) => ({ day, amount: daily })), { day: addDays(last, 1), amount: promise.limit }]
}
