import { readDate, readMoment } from '../../domain/iso-dates.ts'
import { type Money, parseRubles } from '../../domain/money.ts'
import { momentOf } from '../../platform/storage/moment-of.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'

/** The terms that a request names for a promise payment. Null: the default applies. */
export type PromiseTerms = { readonly limit: Money | null; readonly until: Date | null }

type PromiseTermsRead = { kind: 'read'; terms: PromiseTerms } | { kind: 'wrong'; sentence: string }

/**
 * Reads `limit`, rubles with at most two decimal places, and `end_time`, a day or ISO 8601 (specification 4.3, contract
 * section 5).
 */
export async function readPromiseTerms(
  scope: TransactionScope,
  fields: Readonly<Record<string, unknown>>,
): Promise<PromiseTermsRead> {
  const { limit: limitField, end_time: endField } = fields
  const limit = isAbsent(limitField) ? null : parseRubles(limitField)
  if (limit === null && !isAbsent(limitField)) {
    return wrong('"limit" must be an amount in rubles with at most two decimal places, such as 150 or "150.50".')
  }
  if (isAbsent(endField)) return { kind: 'read', terms: { limit, until: null } }
  const end = typeof endField === 'string' ? endText(endField.trim()) : null
  if (end === null)
    return wrong('"end_time" must be a day such as 2026-12-31 or a time such as 2026-12-31T12:00:00+03:00.')
  // A time without an offset is in TIME_ZONE, which is the time zone of the database session.
  const until = await reading(scope, (client) => momentOf(client, end))
  return { kind: 'read', terms: { limit, until } }
}

const wrong = (sentence: string): PromiseTermsRead => ({ kind: 'wrong', sentence })

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

/** A date alone means the end of that day. */
const endText = (text: string): string | null => (readDate(text) ? `${text}T23:59:59` : readMoment(text))
