import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { WebhookEvent } from '../../domain/webhook-events.ts'

/** https://github.com/standard-webhooks/standard-webhooks, version 1.0.0. */
const secretPrefix = 'whsec_'
const secretBytes = 32

export const newSecret = (): string => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`

/** The headers of one attempt. Each of the secrets signs, so that the receiver may know either of them. */
export function signedHeaders(secrets: readonly string[], messageId: string, at: Date, body: string) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'Content-Type': 'application/json',
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** What is told of the subscriber with every event, as it is when the event goes to the endpoints. */
export type TellSubscriber = { readonly account_id: number; readonly contract_number: string }

/** What is sent, to the byte. */
export const bodyOf = (
  { event, at, subscriberId, organizationId, data }: WebhookEvent,
  subscriber: TellSubscriber | null,
): string =>
  JSON.stringify({
    type: event,
    timestamp: at,
    data: {
      abonent_id: subscriberId,
      account_id: subscriber?.account_id ?? null,
      contract_number: subscriber?.contract_number ?? null,
      organization_id: organizationId,
      ...data,
    },
  })

/** Of an event that a row of the outbox tells: never given out twice, also not after a restore of a backup. */
export const storedMessageId = (outboxId: number, at: string): string => `msg_${outboxId}_${base36(at)}`

/** Of an event of a session, so that the table and the memory of the program name it alike. */
export function sessionMessageId({ event, data }: WebhookEvent): string {
  const named = [event, data.nas_id, data.acct_session_id, data.login, data.started_at, data.ended_at ?? null]
  return `msg_${createHash('sha256').update(JSON.stringify(named)).digest('base64url').slice(0, 27)}`
}

export const newMessageId = (): string => `msg_${randomBytes(20).toString('base64url')}`

const base36 = (at: string): string => new Date(at).getTime().toString(36)
