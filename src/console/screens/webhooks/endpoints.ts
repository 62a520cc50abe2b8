import type { Answer, Item } from '../../api/client.ts'

export const webhooksPath = '/system/webhooks/'
export const webhooksEndpoint = 'GET /admin/webhooks/endpoints/'
export const webhookEndpoint = 'GET /admin/webhooks/endpoints/{id}/'
export const deliveriesEndpoint = 'GET /admin/webhooks/deliveries/'
export const deliveryEndpoint = 'GET /admin/webhooks/deliveries/{id}/'

export type Webhook = Item<typeof webhooksEndpoint>
export type Delivery = Item<typeof deliveriesEndpoint>
export type DeliveryDetail = Answer<typeof deliveryEndpoint>['delivery']

/** What a change of an endpoint, or of what waits for it, makes untrue. */
export const outdatedByWebhook = [webhooksEndpoint, webhookEndpoint, deliveriesEndpoint, deliveryEndpoint] as const
