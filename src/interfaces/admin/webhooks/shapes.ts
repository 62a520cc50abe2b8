import Type from 'typebox'
import { testEvent, webhookEvents } from '../../../domain/webhook-events.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { shapeOf } from '../shapes.ts'

const { integer, text, moment, boolean } = schemas

export const endpointSchema = Type.Object({
  id: integer,
  url: text,
  description: text,
  events: Type.Array(Type.Enum([...webhookEvents])),
  organizations: Type.With(nullable(Type.Array(integer)), { description: 'null: all organizations' }),
  organization_names: Type.Array(text),
  enabled: boolean,
  off_reason: Type.With(nullable(Type.Enum(['staff', 'gone', 'failing'])), {
    description: 'gone: it answered 410; failing: nothing was delivered for days',
  }),
  off_at: nullable(moment),
  failing_since: Type.With(nullable(moment), {
    description: 'null: the last attempt was a success, or there was none',
  }),
  last_error: nullable(text),
  last_delivered_at: nullable(moment),
  previous_secret_until: Type.With(nullable(moment), {
    description: 'The secret of before signs as well until then',
  }),
  waiting: Type.With(integer, { description: 'Neither delivered nor given up; counted up to 1000' }),
  oldest_waiting_at: nullable(moment),
  failed: Type.With(integer, { description: 'Given up, of those that are kept; counted up to 1000' }),
  created_at: moment,
})

export const secretSchema = Type.String({
  pattern: '^whsec_',
  description: 'Signs what is sent; it is shown in this answer only',
})

/** Of `delivery`. */
const members = {
  id: integer,
  endpoint_id: integer,
  url: [text, '(SELECT url FROM webhook_endpoints WHERE webhook_endpoints.id = delivery.endpoint_id)'],
  message_id: Type.With(text, { description: 'The webhook-id' }),
  event: Type.Enum([...webhookEvents, testEvent]),
  abonent_id: [nullable(integer), 'subscriber_id'],
  abonent_name: [nullable(text), '(SELECT name FROM abonents WHERE abonents.id = delivery.subscriber_id)'],
  state: Type.With(Type.Enum(['waiting', 'delivered', 'failed']), { description: 'failed: given up' }),
  attempts: integer,
  created_at: moment,
  next_try_at: [nullable(moment), `CASE WHEN delivery.state = 'waiting' THEN delivery.due_at END`],
  is_behind: [
    Type.With(boolean, { description: 'It waits for an earlier event of the same subscriber' }),
    `(delivery.state = 'waiting' AND delivery.due_at IS NULL)`,
  ],
  last_try_at: [nullable(moment), 'tried_at'],
  done_at: nullable(moment),
  status: Type.With(nullable(integer), { description: 'HTTP status of the last answer; null: there was none' }),
  error: nullable(text),
  took_ms: nullable(integer),
} as const

/** As lists have it. */
export const [deliverySchema, deliveryItem] = shapeOf('delivery', members)

/** With what is sent, and what was answered last. */
export const [wholeDeliverySchema, wholeDelivery] = shapeOf('delivery', {
  ...members,
  body: Type.With(text, { description: 'Exactly what is sent' }),
  answer: Type.With(nullable(text), { description: 'The beginning of the last answer' }),
})
