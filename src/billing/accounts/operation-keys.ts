import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import { accountId, type StaffId } from '../../domain/ids.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import { enteredKeys, idempotencyKey, requestKey, takersOf, txnOf } from '../../domain/money-keys.ts'
import { stringifyJson } from '../../platform/formats/json.ts'
import type { FinanceOperation, MoneyKey } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

/**
 * The keys of a request with an Idempotency-Key: the key of the header itself, and one of the header together with the
 * body, which distinguishes a repeated request (known) from another request under the same header (conflict).
 */
export type IdempotencyKeys = { readonly own: string; readonly withBody: string }

/** Longer headers are refused. */
export const idempotencyKeyMax = 255

/** Null without the header. `body` is the whole content of the request, including parameters of its path. */
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

/** Sorts the members of objects, so that their order does not make a different body. */
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

/** Whether another operation took a payment of an operator before: one of staff, a gateway or a cash desk. */
export async function isTakenByAnother(
  client: Pick<PoolClient, 'query'>,
  { operatorName, operatorPayId }: { readonly operatorName: string | null; readonly operatorPayId: string | null },
  operation: number,
): Promise<boolean> {
  const text = 'SELECT FROM money_keys WHERE key = ANY ($1::text[]) AND op_id IS DISTINCT FROM $2 LIMIT 1'
  return (await client.query(text, [takersOf(operatorName, operatorPayId), operation])).rowCount !== 0
}

/**
 * Takes the payment keys that an operation was given after it had been posted (a payment that was entered by hand and
 * got its transaction id later), so that the gateway's notice is recognized as a repeat (specification 4.12 rule 5). A
 * key that was taken before is left as it is. Expenses take no keys, because a gateway delivers receipts only.
 */
export async function takePaymentKeys(client: Pick<PoolClient, 'query'>, operation: number | string): Promise<void> {
  type Row = RowOf<
    typeof FinanceOperation,
    'account_id' | 'op_summa' | 'descr' | 'operator_name' | 'operator_pay_id_str'
  >
  const { rows } = await client.query<Row>(
    `SELECT account_id, op_summa, descr, operator_name, operator_pay_id_str FROM finance_operations
      WHERE op_id = $1 AND op_summa > 0`,
    [operation],
  )
  const [named] = rows
  if (!named) return
  const keys = enteredKeys(accountId(named.account_id), moneyFromUnits(named.op_summa), {
    txn: txnOf(null, named.descr ?? ''),
    operatorName: named.operator_name,
    operatorPayId: named.operator_pay_id_str,
  })
  await client.query(
    `INSERT INTO money_keys (key, account_id, op_id, amount)
      SELECT name, account_id, op_id, op_summa FROM finance_operations, unnest($2::text[]) AS name WHERE op_id = $1
      ON CONFLICT (key) DO NOTHING`,
    [operation, keys],
  )
}
