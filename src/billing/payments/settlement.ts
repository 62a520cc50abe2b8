import type { Pool } from 'pg'
import type { Author } from '../../domain/author.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money } from '../../domain/money.ts'
import { gatewayPaymentKey, paymentKey, problemKey, receiptKey } from '../../domain/money-keys.ts'
import type { Client } from '../../platform/storage/sql.ts'
import type { AccountRefusal, Accounts } from '../accounts/messages.ts'
import { findClient } from './clients.ts'
import { typeOf } from './crediting.ts'
import type { GatewayName } from './notice.ts'

/** A payment that was reported and not credited. */
export type Uncredited = { readonly id: number; readonly gateway: GatewayName; readonly gatewayId: string }

export type CreditOrder = {
  readonly problem: Uncredited
  readonly subscriberId: SubscriberId
  readonly amount: Money
  readonly author: Author
}

export type SettledCredit =
  | { readonly kind: 'credited'; readonly operationId: number }
  /** The payment was credited before: by a notice that came later, by a cashier, or to somebody else. */
  | { readonly kind: 'before'; readonly operationId: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: AccountRefusal }

type SettlementParts = { readonly pool: Pick<Pool, 'query'>; readonly accounts: Pick<Accounts, 'ask'> }

/** The keys of the payment itself, whoever credits it and to whom: the gateway's notice, and staff who enter it. */
const paymentKeysOf = ({ gateway, gatewayId }: Pick<Uncredited, 'gateway' | 'gatewayId'>): readonly string[] => [
  gatewayPaymentKey.of(gateway, gatewayId),
  paymentKey.of(gateway, gatewayId),
]

/**
 * Credits such a payment to a subscriber whom an operator names. It takes the keys that the notice of the gateway would
 * take, and those of staff who enter the payment by hand, so that the payment is credited once, whoever comes first;
 * and a key of its own, by which a repeat is known.
 */
export async function creditUncredited(
  { pool, accounts }: SettlementParts,
  order: CreditOrder,
): Promise<SettledCredit> {
  const { problem, subscriberId, amount, author } = order
  const { gateway, gatewayId } = problem
  const client = await findClient(pool, subscriberId)
  if (!client) return { kind: 'missing' }
  const own = problemKey.of(problem.id)
  const outcome = await accounts.ask(
    client.accountId,
    {
      kind: 'post',
      typeId: typeOf[gateway],
      sign: 1,
      amount,
      subscriberId,
      movedAt: null,
      description: `Онлайн-оплата ${gatewayId}: оператор зачислил ${formatRubles(amount)} руб. из незачисленных`,
      details: { operatorName: gateway, operatorPayId: gatewayId },
      keys: [own, ...paymentKeysOf(problem), receiptKey.of(client.accountId, String(amount), gateway, gatewayId)],
    },
    author,
  )
  if (outcome.kind === 'refused') return { kind: 'refused', reason: outcome.reason }
  if (outcome.kind === 'done') return { kind: 'credited', operationId: Number(outcome.operation!.id) }
  const { operationId } = outcome
  const isOwn = await pool.query('SELECT FROM money_keys WHERE key = $1 AND op_id = $2 AND account_id = $3', [
    own,
    operationId,
    client.accountId,
  ])
  return { kind: isOwn.rows.length > 0 ? 'credited' : 'before', operationId: Number(operationId) }
}

/**
 * Takes the keys of a payment that was given back, so that no later notice, reconciliation or colleague credits it. The
 * operation that has credited it before; null: there is none, and now there will be none.
 */
export async function withholdUncredited(client: Client, problem: Uncredited): Promise<number | null> {
  const keys = paymentKeysOf(problem)
  // A payment without a subscriber has no account either; a key that names no operation is not looked up by it.
  await client.query(
    `INSERT INTO money_keys (key, account_id)
      SELECT key, coalesce((SELECT abonents.account_id FROM payment_problems AS problem
          JOIN abonents ON abonents.id = problem.subscriber_id WHERE problem.id = $2), 0) FROM unnest($1::text[]) AS key
      ON CONFLICT (key) DO NOTHING`,
    [keys, problem.id],
  )
  const { rows } = await client.query<{ op_id: string }>(
    'SELECT op_id FROM money_keys WHERE key = ANY($1::text[]) AND op_id IS NOT NULL LIMIT 1',
    [keys],
  )
  return rows[0] ? Number(rows[0].op_id) : null
}
