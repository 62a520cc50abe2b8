import type { Pool } from 'pg'
import { common, type Day, dayOf, type Month, type Span } from '../../../domain/calendar.ts'
import { type ChargeMode, dayPart, monthPart } from '../../../domain/charges.ts'
import type { AccountId, SubscriberId } from '../../../domain/ids.ts'
import { type Money, zero } from '../../../domain/money.ts'

/** Money that one subscriber owes, or is owed, for one thing and one time. */
export type Due = {
  readonly accountId: AccountId
  readonly subscriberId: SubscriberId
  readonly typeId: number
  /** Positive, also of what is given back. */
  readonly amount: Money
  readonly description: string
  readonly uslugaId: number | null
  /** Of a tariff's fee: it is not owed any more when the subscriber has got another one. */
  readonly tariffId?: number
  readonly key: string
  /** When the period began: who was back in it is charged though away again. Left out: who is away is not. */
  readonly begun?: Date
}

/** What is charged for at once: a month as a whole, or a day of it. */
export type Period = {
  readonly mode: ChargeMode
  /** As keys carry it: `2026-11` or `2026-11-21`. */
  readonly name: Month | Day
  readonly span: Span
  /** Its first instant, and the first after it. */
  readonly startsAt: Date
  readonly endsAt: Date
  readonly zone: string
  /** The time of the run: what has not begun by then is not charged yet. */
  readonly now: Date
}

/** The days of a period from the moment something begins to be charged to the moment it ends; null: none. */
export function chargedDays(
  { span, zone, startsAt, endsAt }: Period,
  begins: Date | null,
  ends: Date | null,
): Span | null {
  // Most began long ago, and asking a time zone for the day costs thirty times what comparing two moments does.
  const begun = begins === null || begins <= startsAt ? span.from : dayOf(begins, zone)
  // What ends at midnight has had nothing of the day that begins then.
  const over = ends === null || ends >= endsAt ? span.to : dayOf(new Date(ends.getTime() - 1), zone)
  return common(span, { from: begun, to: over })
}

/** Of a price of a month. */
export const amountOf = (price: Money, { mode }: Period, days: Span): Money =>
  price <= zero ? zero : mode === 'monthly' ? monthPart(price, days) : dayPart(price, days.from)

/** Rows looked at by one statement: a fraction of a second, however many there are. */
const pageSize = 10_000
const queryTimeoutMs = 30_000

/** Reads rows; 64-bit columns arrive as strings. */
export type Ask = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>

export const asking =
  (pool: Pool): Ask =>
  async <Row>(text: string, values: readonly unknown[]) => {
    const query = { text, values: [...values], query_timeout: queryTimeoutMs }
    return (await pool.query(query as { text: string })).rows as Row[]
  }

/** The ids of all subscribers in ranges (after, last] of so many. */
export async function* ranges(ask: Ask): AsyncGenerator<[number, number]> {
  const text = `SELECT max(id) AS id FROM (SELECT id FROM abonents WHERE id > $1 ORDER BY id LIMIT ${pageSize}) AS page`
  for (let after = 0; ; ) {
    const [page] = await ask<{ id: string | null }>(text, [after])
    if (!page?.id) return
    const last = Number(page.id)
    yield [after, last]
    after = last
  }
}

/**
 * SQL: who is charged at all (contract section 5): not deleted, not frozen, and not blocked by own wish, unless back at some time since
 * `begun` (domain/account.ts isChargeable). Debtors and who is blocked by an operator are charged. The actor judges again in its
 * turn. `now` is the parameter with the time of the run.
 */
export const chargeable = (now: `$${number}`, begun?: `$${number}`) => `NOT abonent.deleted
  AND (NOT coalesce(block.b_own, false)${begun ? ` OR abonent.charged_from >= ${begun}` : ''})
  AND (account.sleep_date IS NULL OR account.sleep_date <= ${now})`

/** SQL: the tables that `chargeable` speaks of, beside abonents AS abonent. */
export const withAccount = `JOIN admin_accounts AS account ON account.id = abonent.account_id
  LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id`

/** SQL: when a subscriber begins to be charged. A freeze that is over and a return from a block or a deletion begin anew. */
export const subscriberBegins = 'abonent.create_date, abonent.charged_from, account.sleep_date'

/** SQL: no such key is taken. A subquery of its own, so that each key is looked up and the table of all keys is never read. */
export const isFree = (key: string) =>
  `coalesce((SELECT false FROM money_keys AS taken WHERE taken.key = ${key}), true)`
