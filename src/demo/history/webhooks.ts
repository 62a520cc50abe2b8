import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { Sealing } from '../../platform/secrets/secrets.ts'
import { webhookEvents } from '../../domain/webhook-events.ts'
import type { Provider } from '../provider.ts'

const minute = 60_000
/** Of the deliveries every so many was given up. */
const failedEvery = 5

/**
 * An endpoint that a program of the provider had, with the last events that it was told. It is switched off, because
 * the address is invented.
 */
export async function insertWebhooks(pool: Pool, secrets: Sealing, { clients }: Provider, now: Date): Promise<void> {
  const { rows } = await pool.query(
    `INSERT INTO webhook_endpoints (url, description, secret, events, all_organizations, enabled, off_reason, off_at, created_at)
      VALUES ('https://crm.example/hooks/tollgate', 'Карточки клиентов в CRM', $1, $2, true, false, 'staff', $3, $4)
      RETURNING id`,
    [
      secrets.seal(`whsec_${randomBytes(32).toString('base64')}`),
      [...webhookEvents],
      now,
      new Date(now.getTime() - 60 * 24 * 60 * minute),
    ],
  )
  for (const [at, { subscriber }] of clients.slice(0, 12).entries()) {
    const toldAt = new Date(now.getTime() - (60 - at * 4) * minute)
    const event = webhookEvents[at % 4]
    const isFailed = at % failedEvery === failedEvery - 1
    const data = { abonent_id: subscriber, organization_id: 1, amount: '600.00' }
    await pool.query(
      `INSERT INTO webhook_deliveries (endpoint_id, message_id, event, subscriber_id, organization_id, body, state, attempts,
          created_at, tried_at, done_at, status, answer, took_ms)
        VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $8, $8, $9, $10, $11)`,
      [
        ...[rows[0].id, `msg_${at + 1}_demo`, event, subscriber],
        JSON.stringify({ type: event, timestamp: toldAt.toISOString(), data }),
        ...(isFailed ? ['failed', 9] : ['delivered', 1]),
        toldAt,
        ...(isFailed ? [503, 'Service Unavailable'] : [200, 'ok']),
        18 + at,
      ],
    )
  }
}
