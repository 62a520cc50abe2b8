import type { Answer, Item } from '../../api/client.ts'

export const webhooksPath = '/system/webhooks/'
export const endpointsDoor = 'GET /admin/webhooks/endpoints/'
export const endpointDoor = 'GET /admin/webhooks/endpoints/{id}/'
export const deliveriesDoor = 'GET /admin/webhooks/deliveries/'
export const deliveryDoor = 'GET /admin/webhooks/deliveries/{id}/'

export type Endpoint = Item<typeof endpointsDoor>
export type Delivery = Item<typeof deliveriesDoor>
export type DeliveryDetail = Answer<typeof deliveryDoor>['delivery']

/** What a change of an endpoint, or of what waits for it, makes untrue. */
export const outdatedByWebhook = [endpointsDoor, endpointDoor, deliveriesDoor, deliveryDoor] as const
