import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { StaffId } from '../domain/ids.ts'
import { stringifyJson } from '../http/json.ts'

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
  const own = `idem:${staff}:${header}`
  const hash = createHash('sha256')
    .update(`${own}\0${stringifyJson(sorted(body))}`)
    .digest('hex')
  return { own, withBody: `body:${hash}` }
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
  const { rows } = await client.query<{ key: string; op_id: string | null }>(text, [[keys.own, keys.withBody]])
  const own = rows.find(({ key }) => key === keys.own)
  if (!own) return { kind: 'new' }
  return rows.length === 2 ? { kind: 'repeated', operationId: own.op_id } : { kind: 'conflict' }
}

const txnMarker = /\[txn:([^\]\s]{1,100})\]/

/** The transaction id of a movement: named, or marked in its text (specification 4.12 rule 5). */
export const txnOf = (txn: string | null, description: string): string | null =>
  txn ?? txnMarker.exec(description)?.[1] ?? null

export function paymentKeys(txn: string | null, operatorName: string | null, operatorPayId: string | null): string[] {
  return [...(txn ? [`txn:${txn}`] : []), ...(operatorPayId ? [`pay:${operatorName ?? ''}:${operatorPayId}`] : [])]
}
