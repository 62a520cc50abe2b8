import type { Client } from '../../platform/storage/sql.ts'
import { advisoryLocks } from '../../platform/storage/advisory-locks.ts'

export type NewDelivery = {
  readonly endpoint_id: number
  readonly message_id: string
  readonly event: string
  readonly subscriber_id: number | null
  /** Null: the event is of none, as a test is. */
  readonly organization_id: number | null
  readonly body: string
}

/** A delivery that is to be tried now. */
export type DueDelivery = {
  readonly id: number
  readonly endpointId: number
  readonly subscriberId: number | null
  readonly messageId: string
  readonly body: string
  readonly attempts: number
  readonly url: string
  /** Those that sign, sealed. */
  readonly sealedSecrets: readonly string[]
}

/** What became of an attempt. */
export type Attempt = {
  readonly kind: 'delivered' | 'failed' | 'gone'
  readonly status: number | null
  /** Null: it succeeded. */
  readonly error: string | null
  readonly answer: string | null
  readonly tookMs: number
}

/** What is written of an attempt: its outcome, and when the next one is due; null: there is none. */
export type Settled = {
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly at: Date
  readonly nextAt: Date | null
}

/** The deliveries of one subscriber to one endpoint, which are made one after another. */
type Lane = { readonly endpoint_id: number; readonly subscriber_id: number }

/**
 * To be called first in a transaction that adds deliveries or ends them: whoever is the first of a line is then decided
 * by one transaction at a time.
 */
export const lockLanes = (client: Client): Promise<unknown> =>
  client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.webhookLanes])

/** Those that are known already are left out; answers how many were not. Call `lockLanes` before. */
export async function addDeliveries(client: Client, rows: readonly NewDelivery[], now: Date): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO webhook_deliveries (endpoint_id, message_id, event, subscriber_id, organization_id, body, created_at, due_at)
      SELECT endpoint_id, message_id, event, subscriber_id, organization_id, body, $2, CASE WHEN subscriber_id IS NULL THEN $2::timestamptz END
      FROM ROWS FROM (json_to_recordset($1::json)
        AS (endpoint_id int8, message_id text, event text, subscriber_id int8, organization_id int8, body text))
        WITH ORDINALITY AS row(endpoint_id, message_id, event, subscriber_id, organization_id, body, place)
      ORDER BY place ON CONFLICT (endpoint_id, message_id) DO NOTHING`,
    [JSON.stringify(rows), now],
  )
  await advanceLanes(client, rows.flatMap(laneOf), now)
  return rowCount ?? 0
}

export const laneOf = (row: { readonly endpoint_id: number; readonly subscriber_id: number | null }): Lane[] =>
  row.subscriber_id === null ? [] : [{ endpoint_id: row.endpoint_id, subscriber_id: row.subscriber_id }]

/** Makes the first delivery of each line due, where it is not. */
export async function advanceLanes(client: Client, lanes: readonly Lane[], now: Date): Promise<void> {
  if (lanes.length === 0) return
  await client.query(
    `UPDATE webhook_deliveries AS delivery SET due_at = $2
      FROM (SELECT DISTINCT endpoint_id, subscriber_id
          FROM json_to_recordset($1::json) AS one(endpoint_id int8, subscriber_id int8)) AS lane,
        LATERAL (SELECT id FROM webhook_deliveries AS first
          WHERE first.endpoint_id = lane.endpoint_id AND first.subscriber_id = lane.subscriber_id AND first.state = 'waiting'
          ORDER BY first.id LIMIT 1) AS first
      WHERE delivery.id = first.id AND delivery.due_at IS NULL`,
    [JSON.stringify(lanes), now],
  )
}

const claimText = `WITH due AS (
    SELECT found.id FROM unnest($1::int8[], $2::int4[]) AS room(endpoint_id, free), LATERAL (
      SELECT id FROM webhook_deliveries AS delivery
        WHERE delivery.endpoint_id = room.endpoint_id AND state = 'waiting' AND due_at <= $3 AND NOT EXISTS (
          SELECT FROM webhook_deliveries AS earlier WHERE earlier.endpoint_id = delivery.endpoint_id
            AND earlier.subscriber_id = delivery.subscriber_id AND earlier.state = 'waiting' AND earlier.id < delivery.id)
        ORDER BY due_at, id LIMIT room.free FOR UPDATE OF delivery SKIP LOCKED) AS found),
  claimed AS (
    UPDATE webhook_deliveries AS delivery SET due_at = $4 FROM due WHERE delivery.id = due.id RETURNING delivery.*)
  SELECT claimed.id, endpoint_id AS "endpointId", subscriber_id AS "subscriberId", message_id AS "messageId", body, attempts, url,
    CASE WHEN secret_before_until > $3 THEN ARRAY[secret, secret_before] ELSE ARRAY[secret] END AS "sealedSecrets"
  FROM claimed JOIN webhook_endpoints AS endpoint ON endpoint.id = endpoint_id WHERE enabled ORDER BY claimed.id`

/**
 * Claims due deliveries by postponing them to `leaseEnd`, so that another program does not claim them too; after a
 * crash they are due again then. `free`: how many each endpoint takes at most.
 */
export async function claimDue(
  client: Client,
  free: ReadonlyMap<number, number>,
  now: Date,
  leaseEnd: Date,
): Promise<DueDelivery[]> {
  type Row = Omit<DueDelivery, 'id' | 'endpointId' | 'subscriberId'> & {
    readonly id: string
    readonly endpointId: string
    readonly subscriberId: string | null
  }
  const { rows } = await client.query<Row>(claimText, [[...free.keys()], [...free.values()], now, leaseEnd])
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    endpointId: Number(row.endpointId),
    subscriberId: row.subscriberId === null ? null : Number(row.subscriberId),
  }))
}

/**
 * When the next delivery of these endpoints is due after `now`; null: none is. What was due then and could not be
 * claimed waits for another one to end.
 */
export async function nextDue(client: Client, endpoints: readonly number[], now: Date): Promise<Date | null> {
  const { rows } = await client.query<{ due_at: Date | null }>(
    `SELECT min(next.due_at) AS due_at FROM unnest($1::int8[]) AS endpoint(id), LATERAL (
      SELECT due_at FROM webhook_deliveries AS delivery
        WHERE endpoint_id = endpoint.id AND state = 'waiting' AND due_at > $2 ORDER BY due_at LIMIT 1) AS next`,
    [endpoints, now],
  )
  return rows[0]!.due_at
}

/** Attempts that were broken off by the stop of the program do not count. */
export async function release(client: Client, deliveries: readonly DueDelivery[], now: Date): Promise<void> {
  await client.query(`UPDATE webhook_deliveries SET due_at = $2 WHERE id = ANY($1::int8[]) AND state = 'waiting'`, [
    deliveries.map(({ id }) => id),
    now,
  ])
}

/** Writes what became of attempts, and lets the next of their lines go. Call `lockLanes` before. */
export async function settle(client: Client, settled: readonly Settled[], now: Date): Promise<void> {
  const rows = settled.map(({ delivery, attempt, at, nextAt }) => ({
    id: delivery.id,
    state: attempt.kind === 'delivered' ? 'delivered' : nextAt === null ? 'failed' : 'waiting',
    at,
    due_at: nextAt,
    status: attempt.status,
    error: attempt.error,
    answer: attempt.answer,
    took_ms: attempt.tookMs,
  }))
  await client.query(
    `UPDATE webhook_deliveries AS delivery SET state = row.state, attempts = attempts + 1, tried_at = row.at, due_at = row.due_at,
        done_at = CASE WHEN row.state <> 'waiting' THEN row.at END, status = row.status, error = row.error, answer = row.answer,
        took_ms = row.took_ms
      FROM json_to_recordset($1::json) AS row(id int8, state text, at timestamptz, due_at timestamptz, status int4, error text,
        answer text, took_ms int4)
      WHERE delivery.id = row.id AND delivery.state = 'waiting'`,
    [JSON.stringify(rows)],
  )
  const lanes = settled.map(({ delivery: { endpointId, subscriberId } }) => ({
    endpoint_id: endpointId,
    subscriber_id: subscriberId,
  }))
  await advanceLanes(client, lanes.flatMap(laneOf), now)
}
