import type { Pool } from 'pg'
import { type Money, moneyFromUnits } from '../../domain/money.ts'
import type { PaymentRefund } from '../../platform/storage/entities/payments.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { toId } from '../../platform/storage/int8.ts'

/** A refund that is due. */
export type DueRefund = {
  readonly id: number
  readonly paymentId: string
  readonly amount: Money
  readonly paid: Money
  readonly idempotenceKey: string
  readonly request: string
  readonly state: 'asked' | 'sent'
  readonly refundId: string | null
  readonly attempts: number
  readonly tries: number
}

type Row = RowOf<
  typeof PaymentRefund,
  'id' | 'payment_id' | 'amount' | 'paid' | 'idempotence_key' | 'request' | 'refund_id' | 'attempts' | 'tries'
> & { state: DueRefund['state'] }

/** Takes due refunds by postponing them, so that another program does not take them too. */
const claimStatement = `WITH due AS (
    SELECT id FROM payment_refunds WHERE state IN ('asked', 'sent') AND due_at <= $1
    ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE payment_refunds AS refund SET due_at = $3 FROM due WHERE refund.id = due.id RETURNING refund.*`

/** The rows of payment_refunds on their way. Each update expects a state, so that it undoes no other change. */
export class RefundTable {
  readonly #pool: Pick<Pool, 'query'>

  constructor(pool: Pick<Pool, 'query'>) {
    this.#pool = pool
  }

  async claim(now: Date, leaseMs: number, max: number): Promise<DueRefund[]> {
    const { rows } = await this.#pool.query<Row>(claimStatement, [now, max, new Date(now.getTime() + leaseMs)])
    return rows.map((row) => ({
      id: toId(row.id),
      paymentId: row.payment_id,
      amount: moneyFromUnits(row.amount),
      paid: moneyFromUnits(row.paid),
      idempotenceKey: row.idempotence_key,
      request: row.request,
      state: row.state,
      refundId: row.refund_id,
      attempts: row.attempts,
      tries: row.tries,
    }))
  }

  async nextDue(): Promise<Date | null> {
    const text = `SELECT min(due_at) AS due_at FROM payment_refunds WHERE state IN ('asked', 'sent')`
    return (await this.#pool.query<{ due_at: Date | null }>(text)).rows[0]!.due_at
  }

  /** Counts an attempt before it is made, so that a refund that may have been sent never looks as if it was not. */
  async begin({ id }: DueRefund): Promise<void> {
    await this.#pool.query(`UPDATE payment_refunds SET attempts = attempts + 1 WHERE id = $1 AND state = 'asked'`, [id])
  }

  /** The gateway has taken it and is at work on it. */
  async sent({ id }: DueRefund, refundId: string, dueAt: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE payment_refunds SET state = 'sent', refund_id = $2, tries = 0, due_at = $3, error = NULL
        WHERE id = $1 AND state = 'asked'`,
      [id, refundId, dueAt],
    )
  }

  async done({ id, state }: DueRefund, refundId: string, now: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE payment_refunds SET state = 'done', refund_id = $3, done_at = $4, error = NULL WHERE id = $1 AND state = $2`,
      [id, state, refundId, now],
    )
  }

  /** Nothing was returned, and nothing will be by this request. */
  async failed({ id, state }: DueRefund, refundId: string | null, error: string): Promise<void> {
    await this.#pool.query(
      `UPDATE payment_refunds SET state = 'failed', refund_id = coalesce($3, refund_id), error = $4
        WHERE id = $1 AND state = $2`,
      [id, state, refundId, error],
    )
  }

  /** Schedules another try at `dueAt`. `error` is null when nothing went wrong. */
  async postponed({ id, state }: DueRefund, dueAt: Date, error: string | null): Promise<void> {
    await this.#pool.query(
      'UPDATE payment_refunds SET tries = tries + 1, due_at = $3, error = $4 WHERE id = $1 AND state = $2',
      [id, state, dueAt, error],
    )
  }

  /** For the metrics. `oldestSeconds` is the age of the oldest refund on its way. */
  async counts() {
    const { rows } = await this.#pool.query<{ asked: number; sent: number; failed: number; oldest: number }>(
      `SELECT count(*) FILTER (WHERE state = 'asked')::int4 AS asked, count(*) FILTER (WHERE state = 'sent')::int4 AS sent,
          count(*) FILTER (WHERE state = 'failed')::int4 AS failed,
          coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE state <> 'failed')), 0)::float8 AS oldest
        FROM payment_refunds WHERE state IN ('asked', 'sent', 'failed')`,
    )
    const { asked, sent, failed, oldest } = rows[0]!
    return { stages: { asked, sent, failed }, oldestSeconds: oldest }
  }
}
