import type { Pool } from 'pg'
import {
  accountId,
  type OperationId,
  operationId,
  organizationId,
  type SubscriberId,
  subscriberId,
} from '../../domain/ids.ts'
import { type Money, moneyFromUnits } from '../../domain/money.ts'
import { BatchedReads } from '../../platform/storage/batched-reads.ts'
import { PaymentOrder } from '../../platform/storage/entities/payments.ts'
import { columnList, columnNames, type RowOf } from '../../platform/storage/entity.ts'
import { takenIdsSql } from '../../platform/storage/reserved-ids.ts'
import { hiddenFromPlanner } from '../../platform/storage/sql.ts'
import { accountColumns, type AccountRow, accountRowOrder, accountRows, accountsOf } from '../accounts/account-row.ts'
import type { AccountReading } from '../accounts/messages.ts'
import { type Client, type ClientRow, clientOf } from './clients.ts'

type Row = RowOf<typeof PaymentOrder>

const orderOf = (row: Row) => ({
  id: Number(row.id),
  subscriberId: subscriberId(row.subscriber_id),
  accountId: row.account_id === null ? null : accountId(row.account_id),
  organizationId: row.organization_id === null ? null : organizationId(row.organization_id),
  gateway: row.gateway,
  protocol: row.protocol,
  credit: moneyFromUnits(row.amount),
  payable: moneyFromUnits(row.payable),
  commission: moneyFromUnits(row.commission),
  /**
   * `created`: stored, and the gateway has not answered or its answer is unknown → `sent`: the client can pay → `paid`.
   * `failed`: the gateway refused or cancelled the order; `expired`: nobody paid in time. A late payment is credited
   * nevertheless.
   */
  state: row.state,
  gatewayId: row.gateway_id,
  idempotenceKey: row.idempotence_key,
  request: row.request,
  returnUrl: row.return_url,
  /** Null: nobody was sent to a gateway with it. */
  resultToken: row.result_token,
  confirmationUrl: row.confirmation_url,
  operationId: row.operation_id === null ? null : operationId(row.operation_id),
  error: row.error,
  createdAt: row.created_at,
  paidAt: row.paid_at,
})

export type Order = Readonly<ReturnType<typeof orderOf>>

export type NewOrder = Omit<
  Order,
  'state' | 'gatewayId' | 'confirmationUrl' | 'operationId' | 'error' | 'createdAt' | 'paidAt'
>

/** What a payment that nobody ordered here says about its order. */
type NoticedOrder = Omit<NewOrder, 'id' | 'gateway' | 'protocol' | 'request' | 'returnUrl' | 'resultToken'>

export type Ordered = {
  readonly order: Order
  /** Null: the subscriber no longer exists in the tables. */
  readonly client: Client | null
}

type OrderedRow = Row & { client: ClientRow | null; account: AccountRow[] | null }

/**
 * How long a lookup may wait for others in milliseconds, so that their payments are committed by one statement of the
 * ledger.
 */
const batchingMs = 4

/**
 * How long the creation of an order may be repeated with its idempotency key when it was not answered. The gateway
 * keeps keys for a day.
 */
const repeatableFor = '1 hour'

/** The rows of payment_orders. */
export class Orders {
  readonly #pool: Pick<Pool, 'query'>
  readonly #accounts: AccountReading
  readonly #ordered: BatchedReads<number, Ordered>

  constructor(pool: Pick<Pool, 'query'>, accounts: AccountReading) {
    this.#pool = pool
    this.#accounts = accounts
    this.#ordered = new BatchedReads((ids) => this.#readOrdered(ids), { paceMs: batchingMs })
  }

  /**
   * An order's id is taken before its row is written, because the request to the gateway contains it and is stored in
   * the row.
   */
  async newId(): Promise<number> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `SELECT id FROM ${takenIdsSql('payment_orders_id_seq', '1')}`,
    )
    return Number(rows[0]!.id)
  }

  async store(order: NewOrder, state: 'created' | 'sent'): Promise<void> {
    const { id, gateway, protocol, request, returnUrl, resultToken } = order
    await this.#pool.query(
      `INSERT INTO payment_orders (${insertedColumns}, id, gateway, protocol, request, return_url, state, sent_at, result_token)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, CASE WHEN $13 = 'sent' THEN now() END, $14)`,
      [...insertedValues(order), id, gateway, protocol, request, returnUrl, state, resultToken],
    )
  }

  async find(id: number): Promise<Order | null> {
    return (await this.ordered(id))?.order ?? null
  }

  /** The order and its client. Orders of simultaneous notices are read together. */
  ordered(id: number): Promise<Ordered | null> {
    return this.#ordered.get(id)
  }

  /**
   * An identical order whose creation the gateway has not answered, so that a repeated request makes no second payment.
   */
  unanswered(requested: Pick<Order, 'subscriberId' | 'payable' | 'credit' | 'returnUrl'>): Promise<Order | null> {
    return this.#one(
      `WHERE subscriber_id = $1 AND payable = $2 AND amount = $3 AND return_url IS NOT DISTINCT FROM $4
          AND state = 'created' AND protocol = 'rest' AND created_at > now() - interval '${repeatableFor}'`,
      [requested.subscriberId, requested.payable, requested.credit, requested.returnUrl],
    )
  }

  /**
   * The order of a callback that names none: the one that the same payment was matched with before, or else the newest
   * open order over this sum.
   */
  ofCallback(gatewayId: string, subscriber: SubscriberId, payable: Money): Promise<Order | null> {
    return this.#one(
      `WHERE subscriber_id = $2 AND protocol = 'http'
          AND (gateway_id = $1 OR (state IN ('created', 'sent') AND gateway_id IS NULL AND payable = $3))
        ORDER BY (gateway_id = $1) IS TRUE DESC, id DESC`,
      [gatewayId, subscriber, payable],
    )
  }

  /** The order of a payment that nobody ordered here. It is created once and returned on repeats. */
  async fromCallback(order: NoticedOrder, gatewayId: string): Promise<Order> {
    await this.#pool.query(
      `INSERT INTO payment_orders (${insertedColumns}, gateway_id, gateway, protocol, origin, state, sent_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'gwa', 'http', 'notice', 'sent', now())
        ON CONFLICT (gateway, gateway_id) WHERE origin = 'notice' DO NOTHING`,
      [...insertedValues(order), gatewayId],
    )
    const made = await this.#one(`WHERE gateway = 'gwa' AND gateway_id = $1 AND origin = 'notice'`, [gatewayId])
    if (!made) throw new Error('An order just written cannot be read.')
    return made
  }

  /** The gateway has created the payment, and the client can pay. */
  async sent(id: number, gatewayId: string, confirmationUrl: string): Promise<void> {
    await this.#pool.query(
      `UPDATE payment_orders SET state = 'sent', gateway_id = $2, confirmation_url = $3, sent_at = now(), error = NULL
        WHERE id = $1 AND state = 'created'`,
      [id, gatewayId, confirmationUrl],
    )
  }

  /** The outcome of the creation is unknown; it may be repeated. */
  async unknown(id: number, error: string): Promise<void> {
    await this.#pool.query(`UPDATE payment_orders SET error = $2 WHERE id = $1 AND state = 'created'`, [id, error])
  }

  /** The order can no longer be paid. */
  async closed(id: number, state: 'failed' | 'expired', error: string): Promise<void> {
    await this.#pool.query(
      `UPDATE payment_orders SET state = $2, error = $3 WHERE id = $1 AND state IN ('created', 'sent')`,
      [id, state, error],
    )
  }

  /** Marks the order as paid. The first payment wins; a repeat changes nothing. */
  async paid(id: number, as: { gatewayId: string; operationId: OperationId; paidAt: Date }): Promise<void> {
    await this.#pool.query(
      `UPDATE payment_orders SET state = 'paid', gateway_id = $2, operation_id = $3, paid_at = $4, error = NULL
        WHERE id = $1 AND state <> 'paid'`,
      [id, as.gatewayId, as.operationId, as.paidAt],
    )
  }

  /** The client's orders, the newest first. */
  async ofSubscriber(id: SubscriberId, limit: number): Promise<Order[]> {
    const text = `${select} WHERE subscriber_id = $1 ORDER BY id DESC LIMIT $2`
    const { rows } = await this.#pool.query<Row>(text, [id, limit])
    return rows.map(orderOf)
  }

  /** Open orders created before `before`, those first whose last check is the longest ago. */
  async open(before: Date, limit: number): Promise<Order[]> {
    const text = `${select} WHERE state IN ('created', 'sent') AND created_at < $1
      ORDER BY checked_at NULLS FIRST, id LIMIT $2`
    const { rows } = await this.#pool.query<Row>(text, [before, limit])
    return rows.map(orderOf)
  }

  /**
   * Expires unpaid orders created before `before`, except those that are being paid at this moment, and returns their
   * number.
   */
  async expire(before: Date): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `UPDATE payment_orders SET state = 'expired', error = coalesce(error, 'Nobody has paid it in time.')
        WHERE id IN (SELECT id FROM payment_orders WHERE state IN ('created', 'sent') AND created_at < $1 FOR UPDATE SKIP LOCKED)`,
      [before],
    )
    return rowCount ?? 0
  }

  async checked(id: number): Promise<void> {
    await this.#pool.query('UPDATE payment_orders SET checked_at = now() WHERE id = $1', [id])
  }

  /** Reads the accounts as well, because in most cases the orders are about to be paid. */
  async #readOrdered(ids: readonly number[]): Promise<ReadonlyMap<number, Ordered>> {
    const keep = this.#accounts.beginReading()
    const { rows } = await this.#pool.query<OrderedRow>({ name: 'payments:ordered', text: orderedText, values: [ids] })
    return new Map(
      rows.map(({ client, account, ...row }) => {
        if (account) accountsOf(account).map(keep)
        return [Number(row.id), { order: orderOf(row), client: client && clientOf(client) }]
      }),
    )
  }

  async #one(where: string, values: readonly unknown[]): Promise<Order | null> {
    const { rows } = await this.#pool.query<Row>(`${select} ${where} LIMIT 1`, [...values])
    return rows[0] ? orderOf(rows[0]) : null
  }
}

const select = `SELECT ${columnList(columnNames(PaymentOrder))} FROM payment_orders`

const insertedColumns = 'subscriber_id, account_id, organization_id, amount, payable, commission, idempotence_key'

const insertedValues = (order: NoticedOrder): unknown[] => [
  ...[order.subscriberId, order.accountId, order.organizationId],
  ...[order.credit, order.payable, order.commission, order.idempotenceKey],
]

/** The ids of the client are text, like those of columns. */
const orderedText = `SELECT ordered.*, CASE WHEN client.id IS NOT NULL THEN json_build_object('id', client.id::text,
      'account_id', client.account_id::text, 'organization_id', client.organization_id::text,
      'contract_number', client.contract_number, 'email', client.email, 'sms', client.sms, 'deleted', client.deleted) END AS client,
    CASE WHEN account.id IS NOT NULL THEN (SELECT json_agg(row) FROM (
      SELECT ${accountColumns} FROM (SELECT) AS once ${accountRows} ORDER BY ${accountRowOrder}) AS row) END AS account
  FROM (${select} WHERE id = ANY(${hiddenFromPlanner('$1')})) AS ordered
    LEFT JOIN abonents AS client ON client.id = ordered.subscriber_id
    LEFT JOIN admin_accounts AS account ON account.id = client.account_id`
