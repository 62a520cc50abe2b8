import type { Route } from '../../../platform/http/call.ts'
import { deliveryRoutes } from './deliveries.ts'
import { endpointRoutes } from './endpoints.ts'
import type { WebhookParts } from './parts.ts'

/** Outgoing webhooks: where events are sent, what became of them, and sending them again. */
export const webhookOutRoutes = (parts: WebhookParts): Route[] => [...endpointRoutes(parts), ...deliveryRoutes(parts)]
