import { type Account, inDebt, isAsleep, type Subscriber } from '../../domain/account.ts'
import { blockReasons } from '../../domain/block.ts'
import type { Day } from '../../domain/calendar.ts'
import { servicePrice } from '../../domain/charges.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { formatRubles, type Money, minus, moneyFromUnits, moneyOrNull, plus, zero } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import { promiseServices, promiseSystemType } from '../../domain/promise.ts'
import { asSentence, dayText, momentText } from '../../domain/wording.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import { toIdOrNull } from '../../platform/storage/int8.ts'
import type { SubscriberStatus } from '../accounts/subscribers.ts'
import { balancesLastThrough } from './charges-to-come.ts'
import type { ClientParts } from './parts.ts'
import { type ClosedReason, closedWords, noticeWords } from './words.ts'

type Row = RowOf<typeof Abonent, 'id' | 'name' | 'contract_number' | 'address' | 'email' | 'sms'> &
  Joined<RowOf<typeof Tarif, 'speed_mbit'>> & {
    readonly tariff_id: string | null
    readonly tariff_name: string | null
    readonly tariff_price: string | null
    readonly services: readonly { own: string | null; sum: string | null; price: string | null; count: number }[] | null
    readonly paid_amount: string | null
    readonly paid_at: Date | null
  }

/** The services that are charged now: on and not ended. Promise payments are not among them. */
const services = `(SELECT json_agg(json_build_object('own', link.summ::text, 'sum', service.summa::text, 'price', service.price::text, 'count', link.countt))
  FROM users_uslugas AS link JOIN uslugas AS service ON service.id = usluga_id
  WHERE link.abonent_id = abonents.id AND link.enabled AND (link.end_time IS NULL OR link.end_time > $2)
    AND service.id NOT IN (${Object.values(promiseServices).join()})
    AND service.system_type IS DISTINCT FROM ${promiseSystemType} AND link.system_type IS DISTINCT FROM ${promiseSystemType}) AS services`

const profile = `SELECT abonents.id, abonents.name, contract_number, tarifs.id AS tariff_id, tarifs.name AS tariff_name, tarifs.price AS tariff_price,
    speed_mbit, abonents.address, email, sms, ${services}, paid.op_summa AS paid_amount, paid.op_date AS paid_at
  FROM abonents LEFT JOIN tarifs ON tarifs.id = tarif_id LEFT JOIN LATERAL (
    SELECT op_summa, op_date FROM finance_operations WHERE account_id = abonents.account_id AND op_summa > 0 AND NOT storno
      AND op_type_id NOT IN (${operationTypes.promise}, ${operationTypes.recalculation}) ORDER BY op_id DESC LIMIT 1) AS paid ON true
  WHERE abonents.id = ANY($1)`

/**
 * The account status of a client. Null: there is no such subscriber, or it is deleted. Rejects with Unavailable while
 * the database is unavailable.
 */
export async function clientStatus(
  parts: ClientParts,
  id: SubscriberId,
  language: Language,
): Promise<ClientStatus | null> {
  return (await clientStatuses(parts, [id], language)).get(id) ?? null
}

/** The account statuses of many clients, with as many queries as for one. */
export async function clientStatuses(
  parts: ClientParts,
  ids: readonly SubscriberId[],
  language: Language,
): Promise<Map<SubscriberId, ClientStatus>> {
  const now = parts.clock.now()
  const known = (await Promise.all(ids.map((id) => parts.subscribers.status(id)))).filter(
    (status) => status !== null && !status.subscriber.deleted,
  ) as SubscriberStatus[]
  const toForecast = known.map(({ account, subscriber }) => {
    const closed = closedReason(account, subscriber, now)
    return { account, mayBeOpen: closed === null || (closed === 'asleep' && !inDebt(account, now)) }
  })
  const [until, { rows }] = await Promise.all([
    balancesLastThrough(parts, toForecast),
    parts.pool.query<Row>(profile, [known.map(({ subscriber }) => subscriber.id), now]),
  ])
  const profiles = new Map(rows.map((row) => [Number(row.id), row]))
  const statuses = new Map<SubscriberId, ClientStatus>()
  for (const status of known) {
    const row = profiles.get(status.subscriber.id)
    const day = until.get(status.account.id) ?? null
    if (row) statuses.set(status.subscriber.id, statusOf(parts, status, row, day, language, now))
  }
  return statuses
}

/** The account status object of specification 4.9. Amounts are rubles as `-12.50`. */
export type ClientStatus = Readonly<ReturnType<typeof statusOf>>

function statusOf(
  parts: ClientParts,
  { account, subscriber }: SubscriberStatus,
  row: Row,
  until: Day | null,
  language: Language,
  now: Date,
) {
  const zone = parts.settings.get('TIME_ZONE')
  const closed = closedReason(account, subscriber, now)
  return {
    abonent_id: subscriber.id,
    name: row.name,
    contract_number: row.contract_number,
    balance: formatRubles(account.balance),
    /** '' for the name and null for the rest when there is no tariff. */
    tariff_name: row.tariff_name ?? '',
    tariff_id: toIdOrNull(row.tariff_id),
    speed_mbit: row.speed_mbit === null ? null : Number(row.speed_mbit),
    /** The price of a whole month of the tariff and the services. */
    monthly_cost: formatRubles(monthlyCost(row)),
    is_blocked: closed !== null,
    /** A sentence for the client, '' while access is open. */
    block_reason: closed === null ? '' : closedText(closed, account, language, zone),
    has_promise_pay: subscriber.promise !== null,
    promise_pay_end: subscriber.promise?.until ?? null,
    /**
     * `2026-12-31`: the last day on which access is open if nobody pays. A subscriber may be blocked while the
     * account's other subscribers are not; then the date would mislead.
     */
    balance_until_date: closed === null || closed === 'asleep' ? until : null,
    address: row.address ?? '',
    email: row.email ?? '',
    sms: row.sms ?? '',
    /** A notice for the client, '' when there is none. */
    notification: noticeOf(parts, account, subscriber, language, now),
    /** The date is DD.MM.YYYY. */
    last_payment:
      row.paid_amount === null || row.paid_at === null
        ? null
        : { amount: formatRubles(moneyFromUnits(row.paid_amount)), date: dayText(row.paid_at, zone) },
  }
}

/** Why access is closed. Null: it is open. Debt comes first, because the client can do something about it. */
function closedReason(account: Account, subscriber: Subscriber, now: Date): ClosedReason | null {
  const reason = blockReasons.find((name) => subscriber.blocks[name])
  if (reason) return reason
  if (isAsleep(account, now)) return 'asleep'
  return subscriber.enabled ? null : 'switchedOff'
}

function closedText(reason: ClosedReason, account: Account, language: Language, zone: string): string {
  const words = asSentence(closedWords[language][reason])
  if (reason !== 'asleep' || !account.sleepUntil) return words
  return noticeWords[language].closedUntil(words, dayText(account.sleepUntil, zone))
}

/** The payment that ends the debt and opens access. Zero without a debt. */
export const missingToOpen = (account: Account, now: Date): Money =>
  inDebt(account, now) ? minus(account.limit, account.balance) : zero

function noticeOf(
  { settings }: ClientParts,
  account: Account,
  { promise, blocks }: Subscriber,
  language: Language,
  now: Date,
): string {
  const words = noticeWords[language]
  if (blocks.debt) return words.topUpToOpen(missingToOpen(account, now))
  const noticeMs = settings.get('LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS') * 3_600_000
  if (promise && promise.until.getTime() - now.getTime() <= noticeMs) {
    return words.promiseEnds(momentText(promise.until, settings.get('TIME_ZONE')))
  }
  return account.warnBelow !== null && account.balance < account.warnBelow ? words.lowBalance : ''
}

const monthlyCost = (row: Row): Money =>
  (row.services ?? []).reduce(
    (sum, { own, sum: ofService, price, count }) =>
      plus(sum, servicePrice({ own: moneyOrNull(own), sum: moneyOrNull(ofService), price: moneyOrNull(price), count })),
    moneyFromUnits(row.tariff_price ?? 0),
  )
