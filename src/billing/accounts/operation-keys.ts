import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { StaffId } from '../../domain/ids.ts'
import { idempotencyKey, paymentKeys, requestKey, txnOf } from '../../domain/money-keys.ts'
import { stringifyJson } from '../../platform/formats/json.ts'
import type { MoneyKey } from '../../platform/storage/entities/money-key.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

/**
 * The names under which a movement is taken once. An Idempotency-Key takes two: its own, and one of the key together
 * with the body, which tells a repeated request (known) from another one under the same key (conflict).
 */
export type IdempotencyKeys = { readonly own: string; readonly withBody: string }

/** Longer headers are refused. */
export const idempotencyKeyMax = 255

/** Null without the header. `body` is everything the request says, in its path too. */
export function idempotencyKeys(
  staff: StaffId,
  header: string,
  body: Readonly<Record<string, unknown>>,
): IdempotencyKeys | null {
  if (header === '') return null
  const own = idempotencyKey.of(staff, header)
  const hash = createHash('sha256')
    .update(`${own}\0${stringifyJson(sorted(body))}`)
    .digest('hex')
  return { own, withBody: requestKey.of(hash) }
}

/** The same members in another order are the same body. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

export type Repeat =
  | { kind: 'new' }
  | { kind: 'repeated'; operationId: string | null }
  /** The key was used with another body. */
  | { kind: 'conflict' }

export async function findRepeat(client: Pick<PoolClient, 'query'>, keys: IdempotencyKeys): Promise<Repeat> {
  const text = 'SELECT key, op_id FROM money_keys WHERE key = ANY ($1::text[])'
  const { rows } = await client.query<RowOf<typeof MoneyKey, 'key' | 'op_id'>>(text, [[keys.own, keys.withBody]])
  const own = rows.find(({ key }) => key === keys.own)
  if (!own) return { kind: 'new' }
  return rows.length === 2 ? { kind: 'repeated', operationId: own.op_id } : { kind: 'conflict' }
}

/** Whether a movement that is not this operation was taken under the name before. */
export async function isTakenByAnother(
  client: Pick<PoolClient, 'query'>,
  key: string,
  operation: number,
): Promise<boolean> {
  const text = 'SELECT FROM money_keys WHERE key = $1 AND op_id IS DISTINCT FROM $2'
  return (await client.query(text, [key, operation])).rowCount !== 0
}

/**
 * What an operation has been named after it was made (a payment that was entered by hand and got its transaction later) it has taken
 * as well, so that the delivery still to come finds it (specification 4.12 rule 5). A name that was taken before stays where it is;
 * only income can be delivered.
 */
export async function takeNames(client: Pick<PoolClient, 'query'>, operation: number | string): Promise<void> {
  const { rows } = await client.query<{ descr: string | null; name: string | null; payment: string | null }>(
    `SELECT descr, operator_name AS name, operator_pay_id_str AS payment FROM finance_operations
      WHERE op_id = $1 AND op_summa > 0`,
    [operation],
  )
  const [named] = rows
  if (!named) return
  await client.query(
    `INSERT INTO money_keys (key, account_id, op_id, amount)
      SELECT name, account_id, op_id, op_summa FROM finance_operations, unnest($2::text[]) AS name WHERE op_id = $1
      ON CONFLICT (key) DO NOTHING`,
    [operation, paymentKeys(txnOf(null, named.descr ?? ''), named.name, named.payment)],
  )
}
