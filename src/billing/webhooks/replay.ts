import type { Client } from '../../platform/storage/sql.ts'
import { addDeliveries, advanceLanes, laneOf } from './delivery-table.ts'
import { newMessageId } from './message.ts'
import { testEvent } from '../../domain/webhook-events.ts'

/**
 * What staff do with deliveries. What is sent again is what was sent before, to the byte and with the same id; only the
 * time in its signature is that of now. Each of them wants `lockLanes` to be called before.
 */
type Row = { readonly endpoint_id: string; readonly subscriber_id: string | null }

const lanesOf = (rows: readonly Row[]) =>
  rows.flatMap(({ endpoint_id, subscriber_id }) =>
    laneOf({ endpoint_id: Number(endpoint_id), subscriber_id: subscriber_id === null ? null : Number(subscriber_id) }),
  )

/** It waits as if it had not been tried, in its place among those of its subscriber. */
const again = `state = 'waiting', attempts = 0, done_at = NULL`

/** One that waits is tried now. */
export async function replayOne(client: Client, id: number, now: Date): Promise<void> {
  const { rows } = await client.query<Row>(
    `UPDATE webhook_deliveries SET ${again}, due_at = CASE WHEN subscriber_id IS NULL THEN $2::timestamptz END WHERE id = $1
      RETURNING endpoint_id, subscriber_id`,
    [id, now],
  )
  await advanceLanes(client, lanesOf(rows), now)
}

/** SQL: a delivery is of an organization of which the endpoint is not told. */
const isForeignSql = (endpoint: string): string =>
  `(organization_id IS NOT NULL AND organization_id NOT IN (
    SELECT organizations.id FROM organizations WHERE EXISTS (
      SELECT FROM webhook_endpoints WHERE webhook_endpoints.id = ${endpoint} AND all_organizations)
    UNION ALL SELECT organization_id FROM webhook_endpoint_organizations WHERE endpoint_id = ${endpoint}))`

/** What waits for an endpoint that is no more told of the organization is not sent. */
export async function giveUpForeign(client: Client, endpoint: number, now: Date): Promise<void> {
  const { rows } = await client.query<Row>(
    `UPDATE webhook_deliveries SET state = 'failed', due_at = NULL, done_at = $2, error = $3
      WHERE endpoint_id = $1 AND state = 'waiting' AND ${isForeignSql('$1')} RETURNING endpoint_id, subscriber_id`,
    [endpoint, now, 'The endpoint is not told of this organization any more.'],
  )
  await advanceLanes(client, lanesOf(rows), now)
}

export type ReplayOrder = {
  readonly endpoint: number
  readonly states: readonly ('delivered' | 'failed')[]
  readonly since: Date | null
  readonly until: Date | null
}

/**
 * How many were found; `most` and one more where there are more of them, and then none is sent again. Events of
 * organizations of which the endpoint is told no more are left out.
 */
export async function replayMany(client: Client, order: ReplayOrder, most: number, now: Date): Promise<number> {
  const found = await client.query<{ id: string }>(
    `SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND state = ANY($2)
      AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at <= $4)
      AND NOT ${isForeignSql('$1')} LIMIT $5`,
    [order.endpoint, order.states, order.since, order.until, most + 1],
  )
  if (found.rows.length === 0 || found.rows.length > most) return found.rows.length
  const { rows } = await client.query<Row>(
    `UPDATE webhook_deliveries SET ${again}, due_at = CASE WHEN subscriber_id IS NULL THEN $2::timestamptz END
      WHERE id = ANY($1::int8[]) AND state <> 'waiting' RETURNING endpoint_id, subscriber_id`,
    [found.rows.map(({ id }) => id), now],
  )
  await advanceLanes(client, lanesOf(rows), now)
  return rows.length
}

/** The next one of its subscriber goes. False: it does not wait. */
export async function giveUp(client: Client, id: number, error: string, now: Date): Promise<boolean> {
  const { rows } = await client.query<Row>(
    `UPDATE webhook_deliveries SET state = 'failed', due_at = NULL, done_at = $2, error = $3 WHERE id = $1 AND state = 'waiting'
      RETURNING endpoint_id, subscriber_id`,
    [id, now, error],
  )
  await advanceLanes(client, lanesOf(rows), now)
  return rows.length > 0
}

/** The id of the delivery. */
export async function addTest(client: Client, endpoint: number, now: Date): Promise<number> {
  const message = newMessageId()
  const body = JSON.stringify({
    type: testEvent,
    timestamp: now.toISOString(),
    data: { abonent_id: null, account_id: null, contract_number: null, organization_id: null },
  })
  const row = {
    endpoint_id: endpoint,
    message_id: message,
    event: testEvent,
    body,
    subscriber_id: null,
    organization_id: null,
  }
  await addDeliveries(client, [row], now)
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND message_id = $2',
    [endpoint, message],
  )
  return Number(rows[0]!.id)
}

const resumedMax = 20_000

/** What waited for an endpoint that is switched on goes at once, and not when its next attempt would have been. */
export const resume = (client: Client, endpoint: number, now: Date): Promise<unknown> =>
  client.query(
    `UPDATE webhook_deliveries SET due_at = $2 WHERE id IN (SELECT id FROM webhook_deliveries
      WHERE endpoint_id = $1 AND state = 'waiting' AND due_at > $2 ORDER BY due_at LIMIT ${resumedMax})`,
    [endpoint, now],
  )
