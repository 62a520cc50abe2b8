import {
  boolean,
  createdNow,
  id,
  int8,
  integer,
  looseId,
  moment,
  oneOf,
  reference,
  sealed,
  text,
  textArray,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** An address to which events are sent, signed as Standard Webhooks says. */
export const WebhookEndpoint = entity('webhook_endpoints', {
  columns: {
    id: id(),
    url: text(),
    description: text().default(''),
    /** Of the signatures: `whsec_` and its bytes in base64. */
    secret: sealed(),
    /** That of before, which signs as well until the moment beside it. */
    secret_before: sealed().nullable(),
    secret_before_until: moment().nullable(),
    /** Those that it is told (domain/webhook-events.ts). */
    events: textArray(),
    all_organizations: boolean().default(false),
    enabled: boolean().default(true),
    /** Who switched it off: staff, the endpoint by its answer 410, or the program because it failed for days. */
    off_reason: oneOf('staff', 'gone', 'failing').nullable(),
    off_at: moment().nullable(),
    /** Since when it is enabled and wants what it wants. */
    wanted_since: createdNow(),
    /** The first of the failures that no success has followed; null: the last attempt was a success. */
    failing_since: moment().nullable(),
    failed_at: moment().nullable(),
    last_error: text().nullable(),
    delivered_at: moment().nullable(),
    created_at: createdNow(),
  },
})

/** The organizations whose events an endpoint is told, where it is not all of them. */
export const WebhookEndpointOrganization = entity('webhook_endpoint_organizations', {
  columns: {
    endpoint_id: reference('webhook_endpoints').onDelete('cascade').primary(),
    organization_id: reference('organizations').primary(),
  },
  indexes: { webhook_endpoint_organizations_organization: '(organization_id)' },
})

/**
 * An event for one endpoint, with exactly what is sent, and what became of it. Those of one subscriber stand in a line:
 * the first that waits has a time at which it is due, those behind it have none.
 */
export const WebhookDelivery = entity('webhook_deliveries', {
  columns: {
    id: id(),
    /** Without a foreign key: deleting an endpoint would otherwise have to delete all of its deliveries at once. */
    endpoint_id: int8(),
    /** The webhook-id, the same at every attempt. */
    message_id: text(),
    event: text(),
    subscriber_id: looseId(),
    /** Null: the event is of none, as a test is. */
    organization_id: looseId(),
    body: text(),
    /** failed: given up. */
    state: oneOf('waiting', 'delivered', 'failed').default('waiting'),
    attempts: integer().default(0),
    due_at: moment().nullable(),
    created_at: createdNow(),
    tried_at: moment().nullable(),
    done_at: moment().nullable(),
    /** The last answer: its HTTP status and its beginning. Null: there was none. */
    status: integer().nullable(),
    error: text().nullable(),
    answer: text().nullable(),
    took_ms: integer().nullable(),
  },
  uniques: { webhook_deliveries_message: ['endpoint_id', 'message_id'] },
  indexes: {
    webhook_deliveries_lane: `(endpoint_id, subscriber_id, id) WHERE state = 'waiting'`,
    webhook_deliveries_due: `(endpoint_id, due_at, id) WHERE state = 'waiting' AND due_at IS NOT NULL`,
    webhook_deliveries_endpoint: '(endpoint_id, id)',
    webhook_deliveries_state: '(endpoint_id, state, id)',
    webhook_deliveries_subscriber: '(subscriber_id, id) WHERE subscriber_id IS NOT NULL',
    webhook_deliveries_created_at: '(created_at)',
  },
})
