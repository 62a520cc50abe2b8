import type { WebhookEvent } from '../../domain/webhook-events.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { type NewDelivery, addDeliveries } from './delivery-table.ts'
import { bodyOf, sessionMessageId, storedMessageId, type TellSubscriber } from './message.ts'
import { type Wanting, wants } from './wants.ts'

const rowsAtOnce = 1_000

type Message = { readonly id: string; readonly event: WebhookEvent }

/**
 * Makes deliveries of the next events in the outbox, in the transaction that marks them as done there. `isLast` tells
 * that no more of them wait.
 */
export async function fanOutStored(
  client: Client,
  endpoints: readonly Wanting[],
  now: Date,
): Promise<{ readonly made: number; readonly isLast: boolean }> {
  const { rows } = await client.query<{ id: string; payload: WebhookEvent; created_at: Date }>(
    `SELECT id, payload, created_at FROM outbox WHERE kind = 'webhook' AND done_at IS NULL
      ORDER BY id LIMIT ${rowsAtOnce} FOR UPDATE SKIP LOCKED`,
  )
  if (rows.length === 0) return { made: 0, isLast: true }
  // The ledger takes ids ahead and the triggers do not, so that ids do not tell what came first. A subscriber begins
  // before everything else about it, also where both are of one transaction.
  const inOrder = rows.toSorted(
    (a, b) => rankOf(a.payload) - rankOf(b.payload) || +a.created_at - +b.created_at || Number(a.id) - Number(b.id),
  )
  const messages = inOrder.map(({ id, payload }) => ({ id: storedMessageId(Number(id), payload.at), event: payload }))
  const made = await fanOut(client, endpoints, messages, now)
  await client.query(
    `UPDATE outbox SET done_at = $2, attempts = attempts + 1, result = '{}' WHERE id = ANY($1::int8[])`,
    [rows.map(({ id }) => id), now],
  )
  return { made, isLast: rows.length < rowsAtOnce }
}

const rankOf = ({ event }: WebhookEvent): number => (event === 'subscriber.created' ? 0 : 1)

/** The same of events of sessions, which have no rows in the outbox. Those that are known make nothing. */
export const fanOutSessions = (
  client: Client,
  endpoints: readonly Wanting[],
  events: readonly WebhookEvent[],
  now: Date,
): Promise<number> =>
  fanOut(
    client,
    endpoints,
    events.map((event) => ({ id: sessionMessageId(event), event })),
    now,
  )

/** Answers how many deliveries there are now that were not. */
async function fanOut(
  client: Client,
  endpoints: readonly Wanting[],
  messages: readonly Message[],
  now: Date,
): Promise<number> {
  const wanted = messages.flatMap(({ id, event }) => {
    const those = endpoints.filter((endpoint) => wants(endpoint, event))
    return those.length > 0 ? [{ id, event, endpoints: those }] : []
  })
  if (wanted.length === 0) return 0
  const subscribers = await readSubscribers(
    client,
    wanted.map(({ event }) => event),
  )
  const rows = wanted.flatMap(({ id, event, endpoints: those }): NewDelivery[] => {
    const { subscriberId } = event
    const body = bodyOf(event, subscriberId === null ? null : (subscribers.get(subscriberId) ?? null))
    return those.map((endpoint) => ({
      endpoint_id: endpoint.id,
      message_id: id,
      event: event.event,
      subscriber_id: subscriberId,
      organization_id: event.organizationId,
      body,
    }))
  })
  return await addDeliveries(client, rows, now)
}

async function readSubscribers(
  client: Client,
  events: readonly WebhookEvent[],
): Promise<ReadonlyMap<number, TellSubscriber>> {
  const ids = [...new Set(events.map(({ subscriberId }) => subscriberId).filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ id: string; account_id: string; contract_number: string }>(
    'SELECT id, account_id, contract_number FROM abonents WHERE id = ANY($1::int8[])',
    [ids],
  )
  return new Map(
    rows.map(({ id, account_id, contract_number }) => [
      Number(id),
      { account_id: Number(account_id), contract_number },
    ]),
  )
}
