import type { OrganizationId, SubscriberId } from './ids.ts'

/** What programs of the provider may be told by webhooks. */
export const webhookEvents = [
  'payment.credited',
  'payment.reversed',
  'payment.deleted',
  'subscriber.blocked',
  'subscriber.unblocked',
  'session.started',
  'session.ended',
  'subscriber.created',
  'subscriber.changed',
  'subscriber.deleted',
] as const

export type WebhookEventName = (typeof webhookEvents)[number]

/** The event that staff have sent to see whether an endpoint answers. */
export const testEvent = 'webhook.test' as const

export const isWebhookEvent = (name: unknown): name is WebhookEventName => webhookEvents.some((known) => known === name)

/** An event before anybody is told. It is stored as JSON. */
export type WebhookEvent = {
  readonly event: WebhookEventName
  /** ISO 8601. */
  readonly at: string
  /** Events of one subscriber are delivered one after another; those of no subscriber come in any order. */
  readonly subscriberId: SubscriberId | null
  readonly organizationId: OrganizationId
  /** What is particular to the event; the subscriber, the contract and the organization are told with every one. */
  readonly data: Readonly<Record<string, unknown>>
}
