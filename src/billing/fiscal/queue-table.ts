import type { Pool } from 'pg'
import { toId } from '../../platform/storage/int8.ts'
import type { Direction } from './receipt.ts'

/** A receipt that is due, with the configuration it is sent with. */
export type DueReceipt = {
  readonly id: number
  readonly operationId: number
  readonly direction: Direction
  readonly state: 'waiting' | 'sent'
  readonly externalId: string
  readonly request: string
  readonly uuid: string | null
  readonly attempts: number
  readonly tries: number
  /** The operation was reversed or deleted after the receipt was queued. */
  readonly isVoid: boolean
  readonly config: {
    readonly enabled: boolean
    readonly url: string
    readonly groupCode: string
    readonly login: string
    readonly sealedPassword: string
  }
}

/**
 * Claims due receipts by postponing them by the lease, so that another program does not claim them too. After a crash
 * they become due again.
 */
const claimStatement = `WITH due AS (
    SELECT id FROM fiscal_receipts WHERE state IN ('waiting', 'sent') AND due_at <= $1
    ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED),
  claimed AS (
    UPDATE fiscal_receipts AS receipt SET due_at = $3 FROM due WHERE receipt.id = due.id RETURNING receipt.*)
  SELECT claimed.id, claimed.op_id AS "operationId", direction, state, external_id AS "externalId", request, uuid, attempts,
    tries, direction = 'sell' AND coalesce(op.storno, true) AS "isVoid",
    json_build_object('enabled', config.enabled, 'url', rtrim(config.url, '/'),
      'groupCode', config.group_code, 'login', config.login, 'sealedPassword', config.password) AS config
  FROM claimed JOIN fiscal_configs AS config ON config.id = config_id
    LEFT JOIN finance_operations AS op ON op.op_id = claimed.op_id
  ORDER BY claimed.id`

/** The table of the queue. Each update expects a state, so that it cannot undo a change made in the meantime. */
export class QueueTable {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async claim(now: Date, leaseMs: number, max: number): Promise<DueReceipt[]> {
    const leaseEnd = new Date(now.getTime() + leaseMs)
    const { rows } = await this.#pool.query<
      Omit<DueReceipt, 'id' | 'operationId'> & { id: string; operationId: string }
    >(claimStatement, [now, max, leaseEnd])
    return rows.map((row) => ({ ...row, id: toId(row.id), operationId: toId(row.operationId) }))
  }

  async nextDue(): Promise<Date | null> {
    const text = `SELECT min(due_at) AS due_at FROM fiscal_receipts WHERE state IN ('waiting', 'sent')`
    const { rows } = await this.#pool.query<{ due_at: Date | null }>(text)
    return rows[0]!.due_at
  }

  /** Counts an attempt before it is made, so that a receipt that may have been sent never looks as if it was not. */
  async begin({ id }: DueReceipt): Promise<void> {
    await this.#pool.query(
      `WITH receipt AS (
        UPDATE fiscal_receipts SET attempts = attempts + 1 WHERE id = $1 AND state = 'waiting' RETURNING op_id, attempts, config_id)
      UPDATE finance_operations AS op SET kkm_check_retry_num = receipt.attempts, atol_config_id = receipt.config_id
        FROM receipt WHERE op.op_id = receipt.op_id`,
      [id],
    )
  }

  async accepted({ id }: DueReceipt, uuid: string, dueAt: Date): Promise<void> {
    await this.#pool.query(
      `WITH receipt AS (
        UPDATE fiscal_receipts SET state = 'sent', uuid = $2, tries = 0, due_at = $3, error = NULL
          WHERE id = $1 AND state = 'waiting' RETURNING op_id)
      UPDATE finance_operations AS op SET kkm_check_id = $2 FROM receipt WHERE op.op_id = receipt.op_id`,
      [id, uuid, dueAt],
    )
  }

  /** Stores the result and marks the operation as printed; for a refund the reversed operation as well. */
  async done({ id }: DueReceipt, result: Readonly<Record<string, unknown>>, now: Date): Promise<void> {
    await this.#pool.query(
      `WITH receipt AS (
        UPDATE fiscal_receipts SET state = 'done', result = $2, error = NULL, done_at = $3
          WHERE id = $1 AND state = 'sent' RETURNING op_id, original_op_id, direction)
      UPDATE finance_operations AS op SET kkm_printed = true, kkm_storno = op.kkm_storno OR receipt.direction = 'sell_refund'
        FROM receipt WHERE op.op_id IN (receipt.op_id, receipt.original_op_id)`,
      [id, JSON.stringify(result), now],
    )
  }

  /** Schedules another try at `dueAt`. `error` is null when nothing went wrong. */
  async postponed({ id, state }: DueReceipt, dueAt: Date, error: string | null): Promise<void> {
    await this.#pool.query(
      'UPDATE fiscal_receipts SET tries = tries + 1, due_at = $3, error = $4 WHERE id = $1 AND state = $2',
      [id, state, dueAt, error],
    )
  }

  /** The receiver does not know the receipt, so it is sent again with the same external id. */
  async sendAgain({ id }: DueReceipt, dueAt: Date, error: string): Promise<void> {
    await this.#pool.query(
      `UPDATE fiscal_receipts SET state = 'waiting', uuid = NULL, tries = tries + 1, due_at = $2, error = $3
        WHERE id = $1 AND state = 'sent'`,
      [id, dueAt, error],
    )
  }

  async refused({ id, state }: DueReceipt, error: string, now: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE fiscal_receipts SET state = 'refused', error = $3, done_at = $4 WHERE id = $1 AND state = $2`,
      [id, state, error, now],
    )
  }

  /**
   * Counts the receipts that are not done, for the metrics. `oldestSeconds` is the age of the oldest one that is
   * waiting or sent.
   */
  async counts() {
    const { rows } = await this.#pool.query<{ waiting: number; sent: number; refused: number; oldest: number }>(
      `SELECT count(*) FILTER (WHERE state = 'waiting')::int4 AS waiting, count(*) FILTER (WHERE state = 'sent')::int4 AS sent,
          count(*) FILTER (WHERE state = 'refused')::int4 AS refused,
          coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE state <> 'refused')), 0)::float8 AS oldest
        FROM fiscal_receipts WHERE state <> 'done'`,
    )
    const { waiting, sent, refused, oldest } = rows[0]!
    return { stages: { waiting, sent, refused }, oldestSeconds: oldest }
  }
}
