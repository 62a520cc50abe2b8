import type { Destinations } from '../../../platform/outgoing/destinations.ts'
import type { Sealing } from '../../../platform/secrets/secrets.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'

export type WebhookParts = TransactionScope & {
  readonly webhooks: {
    /** Endpoints have been written. */
    changed(): Promise<void>
    /** Deliveries may be due. */
    wake(): void
  }
  readonly destinations: Destinations
  readonly secrets: Sealing
  readonly clock: { now(): Date }
}

export const tag = 'Webhooks'
export const rights = recordRights.webhook
export const missingEndpoint = 'There is no such endpoint, or it is of organizations that you do not see'
export const missingDelivery = 'There is no such delivery, or its endpoint is of organizations that you do not see'
