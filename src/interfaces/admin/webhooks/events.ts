import Type, { type TProperties, type TSchema } from 'typebox'
import { blockReasons } from '../../../domain/block.ts'
import { testEvent, type WebhookEventName, webhookEvents } from '../../../domain/webhook-events.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'

const { integer, text, moment, rubles } = schemas

type EventDoc = { readonly summary: string; readonly description?: string; readonly data: TProperties }

/** With every event. */
const common = {
  abonent_id: nullable(integer),
  account_id: nullable(integer),
  contract_number: nullable(text),
  organization_id: nullable(integer),
}

const payment = {
  op_id: Type.With(integer, { description: 'The operation of the payment' }),
  op_type: integer,
  amount: Type.With(rubles, { description: 'Of the payment' }),
  op_date: Type.With(moment, { description: 'When the money moved' }),
  number: nullable(text),
  txn: Type.With(nullable(text), { description: 'Id of the transaction at whoever took the money' }),
  balance: Type.With(rubles, { description: 'Of the account, after it' }),
}

const reasons = Type.Array(Type.Enum([...blockReasons]))
const blocks = { reasons, reasons_before: reasons }

const session = {
  login: text,
  nas_id: integer,
  nas_ip: text,
  acct_session_id: text,
  ip: nullable(text),
  ipv6_prefix: nullable(text),
  mac: nullable(text),
  started_at: moment,
}

const events: Readonly<Record<WebhookEventName | typeof testEvent, EventDoc>> = {
  'payment.credited': { summary: 'A payment was credited', data: payment },
  'payment.reversed': {
    summary: 'A payment was reversed',
    data: {
      ...payment,
      op_date: Type.With(moment, { description: 'When it was reversed' }),
      reversal_id: Type.With(integer, { description: 'The operation that reverses it' }),
    },
  },
  'payment.deleted': { summary: 'A payment was deleted', data: payment },
  'subscriber.blocked': {
    summary: 'A subscriber was blocked, or is blocked for other reasons than before',
    data: blocks,
  },
  'subscriber.unblocked': { summary: 'The last block of a subscriber was lifted', data: blocks },
  'session.started': { summary: 'A session has begun', data: session },
  'session.ended': {
    summary: 'A session has ended',
    description:
      'An end may be presumed, when a NAS is silent or restarts; if the session turns out to go on, its end is told a second time.',
    data: {
      ...session,
      ended_at: nullable(moment),
      end_reason: nullable(text),
      session_time: Type.With(integer, { description: 'Seconds' }),
      input_octets: Type.With(integer, { description: 'From the subscriber' }),
      output_octets: Type.With(integer, { description: 'To the subscriber' }),
    },
  },
  'subscriber.created': { summary: 'There is a new subscriber', data: {} },
  'subscriber.changed': {
    summary: 'Fields of a subscriber have changed',
    data: {
      changed: Type.With(Type.Array(text), {
        description: 'Names of fields of `Abonents` in REST; `deleted`: it was restored',
      }),
    },
  },
  'subscriber.deleted': { summary: 'A subscriber was deleted', data: {} },
  [testEvent]: { summary: 'Somebody of the staff has asked for a test', data: {} },
}

/** What is sent of each event. */
export const eventSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries(events).map(([name, { data }]) => [
    name,
    Type.Object({
      type: Type.Literal(name),
      timestamp: Type.With(moment, { description: 'When it happened' }),
      data: Type.Object({ ...common, ...data }),
    }),
  ]),
)

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: Type.String(),
})

const headers = [
  header('webhook-id', 'The same at every attempt: what has been seen is not worked on again.'),
  header('webhook-timestamp', 'Seconds since 1970, of the attempt.'),
  header(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several with spaces between.',
  ),
]

/** The section `webhooks` of the OpenAPI document. */
export const webhooksSection = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...webhookEvents, testEvent].map((name) => {
      const { summary, description } = events[name]
      const content = { 'application/json': { schema: eventSchemas[name] } }
      const post = {
        tags: ['Webhooks'],
        summary,
        ...(description && { description }),
        security: [],
        parameters: headers,
        requestBody: { required: true, content },
        responses: {
          '2XX': { description: 'It is delivered.' },
          410: { description: 'Nothing more is to be sent; the endpoint is switched off.' },
          default: { description: 'It is sent again later.' },
        },
      }
      return [name, { post }]
    }),
  )
