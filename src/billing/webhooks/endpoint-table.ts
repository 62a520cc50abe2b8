import type { VisibleOrganizations } from '../../platform/staff/visible-organizations.ts'
import type { Client } from '../../platform/storage/sql.ts'
import type { OffReason } from './endpoint-health.ts'

/** An endpoint as it is shown; its secrets are shown to nobody. */
export type Endpoint = {
  readonly id: number
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  /** Null: all. */
  readonly organizations: readonly number[] | null
  readonly organization_names: readonly string[]
  readonly enabled: boolean
  readonly off_reason: OffReason | null
  readonly off_at: string | null
  readonly failing_since: string | null
  readonly last_error: string | null
  readonly last_delivered_at: string | null
  readonly previous_secret_until: string | null
  readonly waiting: number
  readonly oldest_waiting_at: string | null
  readonly failed: number
  readonly created_at: string
}

/** What staff decide about an endpoint. */
export type EndpointTerms = Pick<Endpoint, 'url' | 'description' | 'events' | 'organizations' | 'enabled'>

/** Counting more takes longer than anybody needs to know. */
const countedMax = 1_000

/** SQL over `endpoint`: when the event happened that has waited for longest. */
const oldestSql = `(SELECT created_at FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'waiting'
    ORDER BY id LIMIT 1)`

const shownSql = `json_build_object('id', endpoint.id, 'url', url, 'description', description, 'events', events,
  'organizations', CASE WHEN NOT all_organizations THEN coalesce(own.ids, '[]'::json) END,
  'organization_names', coalesce(own.names, '[]'::json), 'enabled', enabled, 'off_reason', off_reason, 'off_at', off_at,
  'failing_since', failing_since, 'last_error', last_error, 'last_delivered_at', delivered_at,
  'previous_secret_until', CASE WHEN secret_before_until > now() THEN secret_before_until END,
  'waiting', (SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'waiting'
    LIMIT ${countedMax}) AS waiting),
  'oldest_waiting_at', ${oldestSql},
  'failed', (SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'failed'
    LIMIT ${countedMax}) AS failed),
  'created_at', endpoint.created_at)`

const fromSql = `webhook_endpoints AS endpoint, LATERAL (
    SELECT json_agg(organization.id ORDER BY organization.id) AS ids, json_agg(name ORDER BY organization.id) AS names
      FROM webhook_endpoint_organizations AS of JOIN organizations AS organization ON organization.id = of.organization_id
      WHERE of.endpoint_id = endpoint.id) AS own`

/**
 * SQL: whoever sees the organizations of the parameter sees the endpoint, which is told what happens in all of its own.
 */
export const seenEndpointSql = (endpoint: string, parameter: `$${number}`): string =>
  `(${parameter}::int8[] IS NULL OR NOT ${endpoint}.all_organizations AND NOT EXISTS (
    SELECT FROM webhook_endpoint_organizations AS of
      WHERE of.endpoint_id = ${endpoint}.id AND of.organization_id <> ALL(${parameter}::int8[])))`

export async function listEndpoints(client: Client, visible: VisibleOrganizations): Promise<Endpoint[]> {
  const { rows } = await client.query<{ endpoint: Endpoint }>(
    `SELECT ${shownSql} AS endpoint FROM ${fromSql} WHERE ${seenEndpointSql('endpoint', '$1')} ORDER BY endpoint.id`,
    [visible],
  )
  return rows.map(({ endpoint }) => endpoint)
}

/** Null: there is none, or it is of organizations that are not visible. */
export async function findEndpoint(
  client: Client,
  id: number,
  visible: VisibleOrganizations,
): Promise<Endpoint | null> {
  const { rows } = await client.query<{ endpoint: Endpoint }>(
    `SELECT ${shownSql} AS endpoint FROM ${fromSql} WHERE endpoint.id = $2 AND ${seenEndpointSql('endpoint', '$1')}`,
    [visible, id],
  )
  return rows[0]?.endpoint ?? null
}

/** Until the transaction ends, nobody else changes it. */
export async function lockEndpoint(client: Client, id: number): Promise<void> {
  await client.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [id])
}

/** Null: there are as many as there may be. */
export async function insertEndpoint(
  client: Client,
  terms: EndpointTerms,
  sealedSecret: string,
  most: number,
): Promise<number | null> {
  const { url, description, events, organizations, enabled } = terms
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO webhook_endpoints (url, description, secret, events, all_organizations, enabled, off_reason, off_at)
      SELECT $1, $2, $3, $4, $5, $6, CASE WHEN NOT $6 THEN 'staff' END, CASE WHEN NOT $6 THEN now() END
      WHERE (SELECT count(*) FROM webhook_endpoints) < $7 RETURNING id`,
    [url, description, sealedSecret, events, organizations === null, enabled, most],
  )
  const [row] = rows
  if (!row) return null
  await writeOrganizations(client, Number(row.id), organizations)
  return Number(row.id)
}

/** `before` is what the terms were. One that is switched on begins anew, as if it had never failed. */
export async function updateEndpoint(
  client: Client,
  id: number,
  before: EndpointTerms,
  terms: EndpointTerms,
  now: Date,
): Promise<void> {
  const { url, description, events, organizations, enabled } = terms
  await client.query(
    `UPDATE webhook_endpoints SET url = $2, description = $3, events = $4, all_organizations = $5, enabled = $6, wanted_since = $7
      WHERE id = $1`,
    [id, url, description, events, organizations === null, enabled, now],
  )
  if (JSON.stringify(before.organizations) !== JSON.stringify(organizations))
    await writeOrganizations(client, id, organizations)
  if (before.enabled && !enabled)
    await client.query(`UPDATE webhook_endpoints SET off_reason = 'staff', off_at = $2 WHERE id = $1`, [id, now])
  if (!before.enabled && enabled)
    await client.query(
      `UPDATE webhook_endpoints SET off_reason = NULL, off_at = NULL, failing_since = NULL, failed_at = NULL, last_error = NULL
        WHERE id = $1`,
      [id],
    )
}

async function writeOrganizations(client: Client, id: number, organizations: readonly number[] | null): Promise<void> {
  await client.query('DELETE FROM webhook_endpoint_organizations WHERE endpoint_id = $1', [id])
  if (organizations !== null)
    await client.query(
      `INSERT INTO webhook_endpoint_organizations (endpoint_id, organization_id) SELECT $1, unnest($2::int8[])`,
      [id, organizations],
    )
}

/** Its deliveries are shown to nobody any more; the job `retention` deletes them. */
export const deleteEndpoint = (client: Client, id: number): Promise<unknown> =>
  client.query('DELETE FROM webhook_endpoints WHERE id = $1', [id])

/** The secret of before signs as well until `until`. */
export const replaceSecret = (client: Client, id: number, sealedSecret: string, until: Date): Promise<unknown> =>
  client.query(
    'UPDATE webhook_endpoints SET secret_before = secret, secret_before_until = $3, secret = $2 WHERE id = $1',
    [id, sealedSecret, until],
  )

/** For the metrics. Deliveries to endpoints that are switched off wait for somebody, and not too long. */
export async function readWebhookCounts(client: Client) {
  const { rows } = await client.query<{ waiting: number; oldest: number }>(
    `SELECT coalesce(sum((SELECT count(*) FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'waiting')), 0)::int4
        AS waiting,
        coalesce(extract(epoch FROM now() - min(${oldestSql})), 0)::float8 AS oldest
      FROM webhook_endpoints AS endpoint WHERE enabled`,
  )
  const states = await client.query<{ state: OffReason | null; count: number }>(
    'SELECT off_reason AS state, count(*)::int4 AS count FROM webhook_endpoints GROUP BY 1',
  )
  const countOf = (reason: OffReason | null) => states.rows.find(({ state }) => state === reason)?.count ?? 0
  return {
    waiting: rows[0]!.waiting,
    oldestSeconds: rows[0]!.oldest,
    endpoints: { on: countOf(null), off: countOf('staff'), gone: countOf('gone'), failing: countOf('failing') },
  }
}
