import type { Pool } from 'pg'
import type { Author } from '../../domain/author.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money } from '../../domain/money.ts'
import { gatewayPaymentKey, problemKey, receiptKey } from '../../domain/money-keys.ts'
import type { AccountRefusal, Accounts } from '../accounts/messages.ts'
import { findClient } from './clients.ts'
import { typeOf } from './crediting.ts'
import type { GatewayName } from './notice.ts'

/** A payment that was reported and not credited. */
type Uncredited = { readonly id: number; readonly gateway: GatewayName; readonly gatewayId: string }

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

/**
 * Credits such a payment to a subscriber whom an operator names. It takes the keys that the notice of the gateway would
 * take, so that the payment is credited once, whoever comes first; and a key of its own, by which a repeat is known.
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
      keys: [
        own,
        gatewayPaymentKey.of(gateway, gatewayId),
        receiptKey.of(client.accountId, String(amount), gateway, gatewayId),
      ],
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
