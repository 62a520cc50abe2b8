import { common, type Day, dayOf, type Month, type Span } from '../../../domain/calendar.ts'
import { type ChargeMode, dayPart, monthPart } from '../../../domain/charges.ts'
import type { AccountId, SubscriberId } from '../../../domain/ids.ts'
import { type Money, zero } from '../../../domain/money.ts'
import { ahead } from '../../../platform/storage/ahead.ts'
import { type Ask, idRanges } from '../reads.ts'

/** An amount that one subscriber owes, or is to be refunded, for one tariff or service and one period. */
export type Due = {
  readonly accountId: AccountId
  readonly subscriberId: SubscriberId
  readonly typeId: number
  /** Positive, for a refund as well. */
  readonly amount: Money
  readonly description: string
  readonly uslugaId: number | null
  /** The tariff of a tariff's fee, which is no longer due once the subscriber has another tariff. */
  readonly tariffId?: number
  /** From when on the subscriber is charged, as the amount is calculated. */
  readonly chargedFrom?: Date | null
  readonly key: string
  /** For days that were used before a voluntary block or a freeze, so whoever is away by now pays for them. */
  readonly isOfEndedUse?: true
}

/** A period that is charged at once: a whole month, or a day. */
export type Period = {
  readonly mode: ChargeMode
  /** The period in keys: `2026-11` or `2026-11-21`. */
  readonly name: Month | Day
  readonly span: Span
  /** The first instant of the period, and the first one after it. */
  readonly startsAt: Date
  readonly endsAt: Date
  readonly zone: string
  /** The time of the run: services that have not begun by then are not charged yet. */
  readonly now: Date
}

/**
 * The days of a period that are charged for something that begins and ends at these moments (null: before and after the
 * period). Null: there are none.
 */
export function chargedDays(
  { span, zone, startsAt, endsAt }: Period,
  begins: Date | null,
  ends: Date | null,
): Span | null {
  // Most began long ago, and computing the day in a time zone costs thirty times as much as comparing two moments.
  const begun = begins === null || begins <= startsAt ? span.from : dayOf(begins, zone)
  // Something that ends at midnight has no part of the day that begins then.
  const over = ends === null || ends >= endsAt ? span.to : dayOf(new Date(ends.getTime() - 1), zone)
  return common(span, { from: begun, to: over })
}

/**
 * The days of a period that are charged for something that begins and ends at these moments, and the amount for them
 * from the price for a month. Null: nothing is due.
 */
export function feeOf(price: Money, period: Period, begins: Date, ends: Date | null): Fee | null {
  const days = chargedDays(period, begins, ends)
  return days && feeForDays(price, period, days)
}

/** The amount for days of a period from the price for a month. Null: it costs nothing. */
export function feeForDays(price: Money, { mode }: Pick<Period, 'mode'>, days: Span): Fee | null {
  if (price <= zero) return null
  const amount = mode === 'monthly' ? monthPart(price, days) : dayPart(price, days.from)
  return amount === zero ? null : { days, amount }
}

type Fee = { readonly days: Span; readonly amount: Money }

/** Subscribers whose rows are read by one statement. They have the event loop in one go, and others wait for it. */
const pageSize = 2_000

/**
 * The rows of the statements for all subscribers, read in ranges of `pageSize` ids, each while the one before is being
 * charged. The parameters of a statement:
 *
 * - $1 and $2: the range begins after this id and ends with that one
 * - $3: the time of the run
 * - $4: the first instant after the period
 * - $5: the name of the period
 * - $6: its first instant, for those that name it
 */
export const pagesOf = <Row>(ask: Ask, statements: readonly string[], period: Period): AsyncGenerator<Row[]> =>
  ahead(pages<Row>(ask, statements, period))

async function* pages<Row>(ask: Ask, statements: readonly string[], period: Period): AsyncGenerator<Row[]> {
  const { now, endsAt, name, startsAt } = period
  const valuesFor = (text: string) => [now, endsAt, name, ...(text.includes('$6') ? [startsAt] : [])]
  for await (const [after, last] of idRanges(ask, 'abonents', pageSize)) {
    for (const text of statements) {
      const rows = await ask<Row>(text, [after, last, ...valuesFor(text)])
      if (rows.length > 0) yield rows
    }
  }
}

/**
 * SQL: who is charged at all (contract section 5): subscribers who are not deleted, not frozen and not under a
 * voluntary block (domain/account.ts isChargeable). Debtors and subscribers blocked by an operator are charged. The
 * account decides again in its turn.
 */
export const chargeable = (now: `$${number}`) => `NOT abonent.deleted AND NOT coalesce(block.b_own, false)
  AND (account.sleep_date IS NULL OR account.sleep_date <= ${now})`

/** SQL: the tables that `chargeable` refers to, beside abonents AS abonent. */
export const withAccount = `JOIN admin_accounts AS account ON account.id = abonent.account_id
  LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id`

/**
 * SQL: the key has not been taken. A scalar subquery makes PostgreSQL look up each key instead of scanning the table of
 * all keys.
 */
export const isFree = (key: string) =>
  `coalesce((SELECT false FROM money_keys AS taken WHERE taken.key = ${key}), true)`
