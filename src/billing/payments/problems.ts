import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { defaultOrganization } from '../../domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import { printable } from '../../domain/printable.ts'
import type { Span } from '../../domain/span.ts'
import {
  strictlyVisibleSql,
  type VisibleOrganizations,
  visibleSql,
} from '../../platform/staff/visible-organizations.ts'
import { advisoryLocks } from '../../platform/storage/advisory-locks.ts'
import type { PaymentProblem } from '../../platform/storage/entities/payments.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { toIdOrNull } from '../../platform/storage/int8.ts'
import type { Client } from '../../platform/storage/sql.ts'
import type { GatewayName, PaymentNotice, Protocol } from './notice.ts'
import { isProven, isUnsigned, isUnsignedSql, type ProblemReason, type SettlementKind } from './problem-reasons.ts'
import { refundSql, type ShownRefund } from './shown-refund.ts'

/** Where a notice came from, for the operator who looks at what was not credited. */
export type NoticeOrigin = {
  readonly gateway: GatewayName
  readonly protocol: Protocol
  /** Null: there was no notice; the payment was found by asking the gateway. */
  readonly address: string | null
  /** Of the request, where it is traced. */
  readonly span?: Span | null
  /** The notice as it was received, without secrets. It is made only when it is kept: nearly all are credited. */
  readonly shown: () => string
}

type Problem = NoticeOrigin & {
  readonly reason: ProblemReason
  /** A sentence for the operator. */
  readonly detail: string
  /** Null: it could not be read. */
  readonly notice: PaymentNotice | null
}

/** Who has settled a payment that was not credited, and how. */
export type Settler = {
  readonly visible: VisibleOrganizations
  readonly staffId: number
  readonly name: string
  readonly comment: string | null
  readonly settlement: SettlementKind
  /** The operation that credits it. */
  readonly operationId?: number
}

export type ShownProblem = Readonly<ReturnType<typeof shownOf>>

const noticeMax = 8_000
/**
 * Anybody can send unsigned notices. Beyond this number per hour they are only logged, so that nobody can fill the
 * table.
 */
const unsignedAnHourMax = 100

const countAgain = 'UPDATE SET times = payment_problems.times + 1, last_at = now(), address = excluded.address'

/**
 * A flood of unsigned notices must not keep payments from the database either: they are written one at a time, and at
 * most this many wait.
 */
const unsignedWaitingMax = 200

/** The rows of payment_problems. */
export class Problems {
  readonly #pool: Pick<Pool, 'query'>
  #unsignedWaiting = 0
  #lastUnsigned: Promise<void> = Promise.resolve()

  constructor(pool: Pick<Pool, 'query'>) {
    this.#pool = pool
  }

  /**
   * Keeps a notice that was not credited. A repeat of the same notice is counted, unless `isSeenAgain` is false. The
   * subscriber's organization is stored with it, because operators may see only their own organizations.
   */
  async keep(problem: Problem, { isSeenAgain = true } = {}): Promise<void> {
    if (!isUnsigned(problem)) return this.#write(problem, isSeenAgain)
    if (this.#unsignedWaiting === unsignedWaitingMax) return
    this.#unsignedWaiting++
    const written = this.#lastUnsigned.then(() => this.#write(problem, isSeenAgain))
    this.#lastUnsigned = written.catch(() => {}).finally(() => this.#unsignedWaiting--)
    return written
  }

  async #write(problem: Problem, isSeenAgain: boolean): Promise<void> {
    const { gateway, protocol, reason, detail, notice, address } = problem
    const shown = printable(problem.shown()).slice(0, noticeMax)
    await this.#pool.query(
      `INSERT INTO payment_problems (gateway, protocol, reason, detail, order_id, subscriber_id, organization_id, gateway_id, amount,
          address, notice, fingerprint)
        SELECT $1, $2, $3, $4, $5, $6, (SELECT coalesce(organization_id, ${defaultOrganization}) FROM abonents WHERE id = $6), $7, $8, $9, $10, $11
        WHERE NOT $12 OR EXISTS (SELECT FROM payment_problems WHERE fingerprint = $11)
          OR (SELECT count(*) FROM payment_problems
            WHERE ${isUnsignedSql} AND last_at > now() - interval '1 hour') < ${unsignedAnHourMax}
        ON CONFLICT (fingerprint) DO ${isSeenAgain ? countAgain : 'NOTHING'}`,
      [
        ...[gateway, protocol, reason, printable(detail)],
        ...[notice?.orderId, notice?.subscriberId, notice?.gatewayId, notice?.paid, address, shown],
        fingerprintOf(problem, isUnsigned(problem) ? shown : ''),
        isUnsigned(problem),
      ],
    )
  }

  /**
   * One page of the problems in visible organizations, the latest first. Problems without a subscriber are shown only
   * to users who see all organizations.
   */
  async list(
    client: Client,
    {
      visible,
      resolved,
      limit,
      offset,
    }: { visible: VisibleOrganizations; resolved: boolean | null; limit: number; offset: number },
  ): Promise<{ items: ShownProblem[]; total: number }> {
    const where = `WHERE ${isVisibleSql} AND ($2::bool IS NULL OR (resolved_at IS NOT NULL) = $2)`
    const counted = await client.query<{ total: number }>(
      `SELECT count(*)::int4 AS total FROM payment_problems ${where}`,
      [visible, resolved],
    )
    const { rows } = await client.query<Row>(
      // The page is found by its keys, so that problems before it are skipped within the index.
      `SELECT problem.*, ${besideProblem} FROM (SELECT id FROM payment_problems ${where} ORDER BY last_at DESC, id DESC LIMIT $3 OFFSET $4) AS page
        JOIN payment_problems AS problem USING (id) ORDER BY problem.last_at DESC, problem.id DESC`,
      [visible, resolved, limit, offset],
    )
    return { items: rows.map(shownOf), total: counted.rows[0]!.total }
  }

  async find(client: Client, id: number, visible: VisibleOrganizations): Promise<ShownProblem | null> {
    const { rows } = await client.query<Row>(
      `SELECT problem.*, ${besideProblem} FROM payment_problems AS problem WHERE ${isVisibleSql} AND id = $2`,
      [visible, id],
    )
    return rows[0] ? shownOf(rows[0]) : null
  }

  /**
   * Whether the same payment was given back as another problem. Who has withheld it in this transaction sees what
   * others have committed.
   */
  async isGivenBackElsewhere(
    client: Client,
    { id, gateway, gateway_id }: Pick<ShownProblem, 'id' | 'gateway' | 'gateway_id'>,
  ): Promise<boolean> {
    const lock = [advisoryLocks.refunds, `${gateway} ${gateway_id}`]
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', lock)
    const { rowCount } = await client.query(
      `SELECT FROM payment_problems WHERE gateway = $1 AND gateway_id = $2 AND id <> $3 AND settlement = 'given_back'
        UNION ALL SELECT FROM payment_refunds WHERE gateway = $1 AND payment_id = $2 AND problem_id IS DISTINCT FROM $3`,
      [gateway, gateway_id, id],
    )
    return (rowCount ?? 0) > 0
  }

  /**
   * Resolves a problem; a second time keeps the first name and note, and how it was settled, unless money has moved
   * since: then both notes are kept. Null: the caller may see no such problem.
   */
  async resolve(
    client: Client,
    id: number,
    by: Settler,
  ): Promise<{ problem: ShownProblem; isNew: boolean; organizationId: number | null } | null> {
    const { rows } = await client.query<Row & { is_new: boolean }>(
      `WITH before AS (SELECT id, resolved_at IS NULL OR ($6 = 'credited' AND settlement <> $6) AS is_new FROM payment_problems WHERE ${isVisibleSql} AND id = $2 FOR UPDATE)
      UPDATE payment_problems AS problem SET resolved_at = coalesce(resolved_at, now()), resolved_by = coalesce(resolved_by, $3),
          resolved_name = coalesce(resolved_name, $4),
          comment = CASE WHEN before.is_new THEN nullif(concat_ws(E'\\n', comment, $5::text), '') ELSE coalesce(comment, $5) END,
          settlement = CASE WHEN $6 = 'credited' THEN $6 ELSE coalesce(settlement, $6) END, operation_id = coalesce(operation_id, $7)
        FROM before WHERE problem.id = before.id RETURNING problem.*, ${besideProblem}, before.is_new`,
      [by.visible, id, by.staffId, by.name, by.comment, by.settlement, by.operationId ?? null],
    )
    const [row] = rows
    if (!row) return null
    return { problem: shownOf(row), isNew: row.is_new, organizationId: toIdOrNull(row.organization_id) }
  }
}

/** What $1 may see. */
const isVisibleSql = strictlyVisibleSql('organization_id', '$1')

/** The refund, and the name of the subscriber, who may have gone to another organization since. */
const besideProblem = `(SELECT ${refundSql} FROM payment_refunds AS refund WHERE refund.problem_id = problem.id) AS refund,
    (SELECT name FROM abonents AS subscriber WHERE subscriber.id = problem.subscriber_id
      AND ${visibleSql('subscriber.organization_id', '$1')}) AS subscriber_name`

type Row = RowOf<typeof PaymentProblem> & {
  gateway: GatewayName
  protocol: Protocol
  reason: ProblemReason
  refund: ShownRefund | null
  subscriber_name: string | null
}

const shownOf = (row: Row) => ({
  id: Number(row.id),
  at: row.created_at.toISOString(),
  last_at: row.last_at.toISOString(),
  times: row.times,
  gateway: row.gateway,
  protocol: row.protocol,
  reason: row.reason,
  detail: row.detail,
  order_id: toIdOrNull(row.order_id),
  abonent_id: toIdOrNull(row.subscriber_id),
  abonent_name: row.subscriber_name,
  gateway_id: row.gateway_id,
  amount: row.amount === null ? null : formatRubles(moneyFromUnits(row.amount)),
  address: row.address,
  notice: row.notice,
  resolved: row.resolved_at !== null,
  resolved_at: row.resolved_at?.toISOString() ?? null,
  resolved_by: row.resolved_name,
  comment: row.comment,
  settlement: row.settlement,
  operation_id: toIdOrNull(row.operation_id),
  /** Whether there is a payment behind it that can be credited or given back. */
  is_proven: isProven(row.reason) && row.gateway_id !== null && row.amount !== null,
  /** The gateway returns the money; null: nobody has asked it to. */
  refund: row.refund,
})

/** Signed notices are equal when they concern the same payment, unsigned ones when their text is the same. */
const fingerprintOf = ({ gateway, protocol, reason, notice }: Problem, text: string): string => {
  const { orderId = null, gatewayId = null, paid } = notice ?? {}
  return createHash('sha256')
    .update(JSON.stringify([gateway, protocol, reason, orderId, gatewayId, paid?.toString() ?? null, text]))
    .digest('hex')
}
