import Type from 'typebox'
import { readDate, readMoment } from '../../domain/iso-dates.ts'
import type { Money } from '../../domain/money.ts'
import { field, mustBeRubles, readBySchema, reworded, rubles, type WrongField } from '../../platform/http/fields.ts'
import { momentOf } from '../../platform/storage/moment-of.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'

/** The terms that a request names for a promise payment. Null: the default applies. */
export type PromiseTerms = { readonly limit: Money | null; readonly until: Date | null }

/** A date alone means the end of that day. */
const endText = (text: string): string | null => (readDate(text) ? `${text}T23:59:59` : readMoment(text))

/** The fields of a request for a promise payment. */
export const promiseTermFields = {
  limit: Type.Optional(reworded(rubles, `${mustBeRubles}, such as 150 or "150.50"`)),
  end_time: Type.Optional(
    field(
      Type.String({ description: 'A day (its end) or ISO 8601' }),
      'be a day such as 2026-12-31 or a time such as 2026-12-31T12:00:00+03:00',
      (sent) => (typeof sent === 'string' ? endText(sent.trim()) : null),
    ),
  ),
}

/**
 * Reads `limit`, rubles with at most two decimal places, and `end_time`, a day or ISO 8601 (specification 4.3, contract
 * section 5).
 */
export async function readPromiseTerms(
  scope: TransactionScope,
  fields: Readonly<Record<string, unknown>>,
): Promise<PromiseTerms | WrongField> {
  const read = readBySchema(promiseTermFields, fields)
  if ('wrong' in read) return read
  const { limit = null, end_time: end } = read.values
  // A time without an offset is in TIME_ZONE, which is the time zone of the database session.
  const until = end === undefined ? null : await reading(scope, (client) => momentOf(client, end))
  return { limit, until }
}
