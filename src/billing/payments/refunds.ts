import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Author } from '../../domain/author.ts'
import type { EffectHandlers } from '../../domain/effects.ts'
import { formatRubles, type Money, moneyFromUnits } from '../../domain/money.ts'
import { strictlyVisibleSql, type VisibleOrganizations } from '../../platform/staff/visible-organizations.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import { toIdOrNull } from '../../platform/storage/int8.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { type TransactionScope, writing } from '../../platform/storage/transactions.ts'
import { refundBody } from './gateway-a-refunds.ts'
import { type PaymentSettings, speaksRest } from './gateways.ts'
import type { Protocol } from './notice.ts'
import { RefundQueue, type RefundQueueParts } from './refund-queue.ts'
import type { ShownRefund } from './shown-refund.ts'

/** A payment of a gateway whose money may be returned. */
export type PaidByGateway = {
  readonly protocol: Protocol
  readonly paymentId: string
  /** With the commission. */
  readonly paid: Money
}

export type RefundOrder = Pick<PaidByGateway, 'paymentId' | 'paid'> & {
  readonly amount: Money
  /** The payment that was not credited; null: it was. */
  readonly problemId: number | null
  /** The operation that had credited the payment, and its reversal; null: nothing had. */
  readonly operationId: number | null
  readonly reversalId: number | null
  readonly subscriberId: number | null
  readonly organizationId: number | null
  readonly author: Author
}

/** What may be done about a refund that failed: the gateway is asked anew, or the money was returned in its office. */
export const refundDeeds = ['again', 'by_hand'] as const
type RefundDeed = (typeof refundDeeds)[number]

/**
 * Refunds by the gateways. REST v3 of gateway A has a call for them. The HTTP protocol of gateway A has none: its
 * returnPayment belongs to another interface, which wants a certificate of the shop. The form of gateway B has none
 * either. What was paid by these is returned in the office of the gateway.
 */
export class Refunds {
  readonly queue: RefundQueue
  readonly #settings: PaymentSettings

  constructor(parts: RefundQueueParts) {
    this.#settings = parts.settings
    this.queue = new RefundQueue(parts)
  }

  /** Who returns the money of a payment by this protocol: we have the gateway do it, or somebody in its office. */
  byWhom(protocol: Protocol): 'gateway' | 'office' {
    return protocol === 'rest' && speaksRest(this.#settings) ? 'gateway' : 'office'
  }

  /**
   * Writes down that the gateway is to return money; wake the queue after the commit. A payment has one refund, so
   * false: it has one already.
   */
  async ask(client: Client, order: RefundOrder): Promise<boolean> {
    const { paymentId, amount, paid, problemId, operationId, reversalId } = order
    const { subscriberId, organizationId, author } = order
    const idempotenceKey = randomUUID()
    const { rows: created } = await client.query<{ request: string | null }>(
      `SELECT request FROM payment_orders WHERE gateway_id = $1 AND gateway = 'gwa' AND protocol = 'rest' LIMIT 1`,
      [paymentId],
    )
    const creation = created[0]?.request ?? null
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO payment_refunds (gateway, payment_id, amount, paid, problem_id, operation_id, reversal_id, subscriber_id,
          organization_id, idempotence_key, request, staff_id, staff_name)
        VALUES ('gwa', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (gateway, payment_id) DO NOTHING RETURNING id`,
      [
        ...[paymentId, amount, paid, problemId, operationId, reversalId, subscriberId, organizationId, idempotenceKey],
        ...[refundBody({ paymentId, amount, paid, idempotenceKey, creation }), author.staffId, author.name],
      ],
    )
    if (!rows[0]) return false
    const diff = {
      state: [null, 'asked'],
      amount: [null, formatRubles(amount)],
      payment: [null, paymentId],
      ...(operationId !== null && { op_id: [null, operationId] as const }),
    } as const
    const about = { table: 'PAYMENT_REFUNDS', id: rows[0].id, action: 'create', organizationId } as const
    await writeAudit(client, { author, ...about, diff })
    return true
  }

  /** The state of a refund, which nobody else changes until the transaction ends. Null: there is no such one to see. */
  async lock(client: PoolClient, id: number, visible: VisibleOrganizations): Promise<ShownRefund['state'] | null> {
    const { rows } = await client.query<Pick<ShownRefund, 'state'>>(
      `SELECT state FROM payment_refunds WHERE id = $1 AND ${strictlyVisibleSql('organization_id', '$2')} FOR UPDATE`,
      [id, visible],
    )
    return rows[0]?.state ?? null
  }

  /** Deals with a refund that failed, which the caller has locked; wake the queue after the commit. */
  async settle(client: PoolClient, id: number, { deed, comment, author }: SettledRefund): Promise<void> {
    const { rows } =
      deed === 'again'
        ? await this.#askAnew(client, id)
        : await client.query<Settled>(
            `UPDATE payment_refunds SET state = 'by_hand', comment = $2, done_at = now() WHERE id = $1
              RETURNING state, organization_id`,
            [id, comment],
          )
    const { state, organization_id } = rows[0]!
    const about = { table: 'PAYMENT_REFUNDS', id: String(id), action: 'change' } as const
    const diff = { state: ['failed', state], ...(comment !== null && { comment: [null, comment] as const }) } as const
    await writeAudit(client, { author, ...about, diff, organizationId: toIdOrNull(organization_id) })
  }

  /** A request that the gateway has refused is spent, and so is its key. */
  async #askAnew(client: PoolClient, id: number): Promise<{ rows: Settled[] }> {
    const { rows } = await client.query<{ payment_id: string; amount: string; paid: string; request: string }>(
      'SELECT payment_id, amount, paid, request FROM payment_refunds WHERE id = $1',
      [id],
    )
    const { payment_id: paymentId, amount, paid, request } = rows[0]!
    const idempotenceKey = randomUUID()
    const body = refundBody({
      ...{ paymentId, idempotenceKey, amount: moneyFromUnits(amount), paid: moneyFromUnits(paid) },
      // Its receipt is that of the request before.
      creation: request,
    })
    return client.query<Settled>(
      `UPDATE payment_refunds SET state = 'asked', idempotence_key = $2, request = $3, refund_id = NULL, attempts = 0,
          tries = 0, due_at = now(), error = NULL WHERE id = $1 RETURNING state, organization_id`,
      [id, idempotenceKey, body],
    )
  }
}

type Settled = { state: string; organization_id: string | null }

export type SettledRefund = {
  readonly deed: RefundDeed
  readonly comment: string | null
  readonly author: Author
}

/** SQL: the payment of a gateway that the operation `row` credits, as a FROM with its alias `payment`; at most one. */
export const paymentOfOperationSql = (
  row: string,
): string => `(SELECT paid_order.protocol, paid_order.gateway_id AS payment_id,
      paid_order.payable AS paid FROM payment_orders AS paid_order
    WHERE paid_order.gateway_id = ${row}.operator_pay_id_str AND paid_order.operation_id = ${row}.op_id
  UNION ALL SELECT problem.protocol, problem.gateway_id, problem.amount FROM payment_problems AS problem
    WHERE problem.operation_id = ${row}.op_id AND problem.settlement = 'credited' LIMIT 1) AS payment`

/** The payment of a gateway that an operation credits, and whether it has a refund. Null: it credits none. */
export async function findPaidByGateway(
  client: Client,
  operation: number,
): Promise<(PaidByGateway & { isRefunded: boolean }) | null> {
  const { rows } = await client.query<{ protocol: Protocol; payment_id: string; paid: string; is_refunded: boolean }>(
    `SELECT payment.*, EXISTS (SELECT FROM payment_refunds AS refund WHERE refund.payment_id = payment.payment_id) AS is_refunded
      FROM finance_operations AS operation CROSS JOIN LATERAL ${paymentOfOperationSql('operation')}
      WHERE operation.op_id = $1`,
    [operation],
  )
  const [row] = rows
  if (!row) return null
  const { protocol, payment_id: paymentId, paid, is_refunded: isRefunded } = row
  return { protocol, paymentId, paid: moneyFromUnits(paid), isRefunded }
}

/** Asks for the refund that a reversal has ordered in its commit, once. */
export const gatewayRefunds =
  (scope: TransactionScope, refunds: Refunds): NonNullable<EffectHandlers['gatewayRefund']> =>
  async ({ subscriberId, operationId, reversalId, paymentId, amount, paid, author }) => {
    const isNew = await writing(scope, async (client) => {
      const { rows } = await client.query<{ organization_id: string | null }>(
        'SELECT organization_id FROM finance_operations WHERE op_id = $1',
        [operationId],
      )
      return refunds.ask(client, {
        ...{ paymentId, amount: moneyFromUnits(amount), paid: moneyFromUnits(paid), subscriberId, author },
        ...{ problemId: null, operationId, reversalId },
        organizationId: toIdOrNull(rows[0]?.organization_id ?? null),
      })
    })
    if (isNew) refunds.queue.wake()
    return { refund: isNew ? 'asked' : 'known' }
  }
