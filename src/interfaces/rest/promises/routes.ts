import Type from 'typebox'
import {
  findRepeat,
  type IdempotencyKeys,
  idempotencyKeyMax,
  idempotencyKeys,
} from '../../../billing/accounts/operation-keys.ts'
import { type AccountRefusal, accountRefusalText } from '../../../billing/accounts/messages.ts'
import type { SubscriberActors } from '../../../billing/accounts/subscribers.ts'
import { promisedBy, promiseView } from '../../../billing/promises/promise-records.ts'
import { promiseTermFields, readPromiseTerms } from '../../../billing/promises/promise-request.ts'
import { codeOf, statusOf } from '../../../billing/promises/refusal-codes.ts'
import { readId, type SubscriberId, subscriberId } from '../../../domain/ids.ts'
import { promiseServices } from '../../../domain/promise.ts'
import { field, parametersOf, readBySchema, sentenceOf, sentIn } from '../../../platform/http/fields.ts'
import { readFields } from '../../../platform/http/form.ts'
import { restRight } from '../rights.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { systemRefusalSchema } from '../../../platform/http/openapi.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'

export type PromiseParts = TransactionScope & { readonly subscribers: Pick<SubscriberActors, 'ask'> }

/** The endpoint of specification 4.3, which activates promise payments without policies and without a fee. */
export function promiseRestRoutes(parts: PromiseParts): Route[] {
  type Work = (call: Call, id: SubscriberId) => Promise<Reply>
  const route = (method: 'GET' | 'POST' | 'DELETE', doc: RouteDoc, work: Work): Route => ({
    method,
    path: '/rest_api/v2/promise_pay/:id',
    door: 'rest',
    right: restRight(method === 'GET' ? recordRights.promise.read : recordRights.promise.create),
    doc,
    handler: (call: Call) => {
      const id = readId(call.params.id)
      return id === null ? notFound() : work(call, subscriberId(id))
    },
  })
  return [
    route('GET', docs.get, async (_, id) => {
      const view = await promiseView(parts.database.pool, id)
      return view ? json(view) : notFound()
    }),
    route('POST', docs.post, (call, id) => activate(parts, call, id)),
    route('DELETE', docs.remove, (call, id) => cancel(parts, call, id)),
  ]
}

async function activate(parts: PromiseParts, call: Call, id: SubscriberId): Promise<Reply> {
  const read = readFields(call)
  if (read.kind === 'refused') return refused(read.status, 'bad_request', read.detail)
  const switched = readBySchema(docs.post.body.properties, read.fields, { names: ['postpay'] })
  if ('wrong' in switched) return badRequest(sentenceOf(switched))
  const header = call.header('idempotency-key').trim()
  if (header.length > idempotencyKeyMax) return badRequest('The Idempotency-Key is too long.')
  const keys = idempotencyKeys(staffOf(call), header, { promise_of: id, ...read.fields })
  const repeated = keys && (await repeatReply(parts, keys))
  if (repeated) return repeated
  const asked = await readPromiseTerms(parts, read.fields)
  if ('wrong' in asked) return badRequest(sentenceOf(asked))
  const command = {
    kind: 'activatePromise',
    subscriberId: id,
    path: switched.values.postpay ? 'postpay' : 'prepay',
    ...asked,
    keys: keys ? [keys.own, keys.withBody] : [],
  } as const
  const outcome = await parts.subscribers.ask(command, authorOf(call))
  // The same request may have been carried out concurrently.
  const raced = keys && outcome.kind !== 'done' ? await repeatReply(parts, keys) : null
  if (raced) return raced
  if (outcome.kind === 'refused') return refusedBy(outcome.reason)
  return promisedReply(parts, outcome.kind === 'known' ? outcome.operationId : outcome.operation!.id)
}

/**
 * The answer to a repeated Idempotency-Key: the first answer again for the same body, 409 for another; null for a new
 * key.
 */
async function repeatReply(parts: PromiseParts, keys: IdempotencyKeys): Promise<Reply | null> {
  const repeat = await reading(parts, (client) => findRepeat(client, keys))
  if (repeat.kind === 'new') return null
  if (repeat.kind === 'repeated') return promisedReply(parts, repeat.operationId ?? '0')
  return conflict('This Idempotency-Key was used before with another body.')
}

async function promisedReply({ database }: PromiseParts, operationId: number | string): Promise<Reply> {
  const promised = await promisedBy(database.pool, operationId)
  if (!promised) return conflict(`This promise payment was made before by operation ${operationId}, which is deleted.`)
  const { fee: _, ...promise } = promised
  return json({ status: 'ok', ...promise }, 201)
}

async function cancel({ subscribers }: PromiseParts, call: Call, id: SubscriberId): Promise<Reply> {
  const read = readBySchema(parametersOf(docs.remove.query), sentIn(call.query))
  if ('wrong' in read) return badRequest(sentenceOf(read))
  const { portal, prepay, postpay: later } = promiseServices
  const only = read.values.postpay ? [later] : [prepay, portal]
  const outcome = await subscribers.ask(
    { kind: 'endPromise', subscriberId: id, why: 'cancelled', only },
    authorOf(call),
  )
  if (outcome.kind === 'refused') return refusedBy(outcome.reason)
  return json({ status: 'ok', abonent_id: id, message: 'The promise payment has ended; its limit has been returned.' })
}

/** `{status: "error", error: code, message}` (contract section 3). */
const refused = (status: number, error: string, message: string): Reply =>
  json({ status: 'error', error, message }, status)

const badRequest = (message: string): Reply => refused(400, 'bad_request', message)
const conflict = (message: string): Reply => refused(409, 'conflict', message)
const notFound = (): Reply => refused(404, 'not_found', 'There is no such subscriber.')

const refusedBy = (reason: AccountRefusal): Reply =>
  refused(statusOf(reason), codeOf(reason), accountRefusalText[reason])

const onWords: readonly unknown[] = [true, 1, '1', 'true']
const offWords: readonly unknown[] = [false, 0, '0', 'false']
const readSwitch = (sent: unknown): boolean | null => onWords.includes(sent) || (offWords.includes(sent) ? false : null)

const type = Type.Enum(['prepay', 'postpay'])
const promised = {
  promise_id: schemas.integer,
  abonent_id: schemas.integer,
  usluga_id: schemas.integer,
  type,
  limit: schemas.rubles,
  end_time: schemas.moment,
}
const refusals = {
  400: {
    doc: 'Refused; `error` says why: already_active, bad_end_time, bad_limit, bad_request',
    schema: systemRefusalSchema,
  },
  404: { doc: 'There is no such subscriber, or no such promise payment', schema: systemRefusalSchema },
}
const params = { id: { doc: 'Abonents.id', schema: schemas.integer } }

const docs = {
  get: {
    tag: 'Promise payment',
    summary: 'The promise payment of a subscriber',
    params,
    answers: {
      200: {
        doc: 'What is active now',
        schema: Type.Object({
          abonent_id: schemas.integer,
          abonent_name: schemas.text,
          promise_pay: schemas.rubles,
          promise_date_end: nullable(schemas.moment),
          active_promises: Type.Array(
            Type.Object({
              id: schemas.integer,
              usluga_id: schemas.integer,
              type,
              limit: schemas.rubles,
              end_time: nullable(schemas.moment),
              comment: nullable(schemas.text),
              create_date: schemas.moment,
            }),
          ),
        }),
      },
      404: refusals[404],
    },
  },
  post: {
    tag: 'Promise payment',
    summary: 'Activate a promise payment, without policies and without a fee',
    params,
    headers: { 'Idempotency-Key': { doc: 'The same key with the same body gets the first answer again' } },
    body: Type.Object({
      limit: Type.With(promiseTermFields.limit, { description: 'Rubles; 90 when left out' }),
      end_time: Type.With(promiseTermFields.end_time, {
        description: 'A day (its end) or ISO 8601; three days from now when left out',
      }),
      postpay: Type.Optional(
        field(Type.Boolean({ description: 'false, when left out, is prepay' }), 'be true or false', readSwitch),
      ),
    }),
    answers: {
      201: { doc: 'Activated', schema: Type.Object({ status: Type.Literal('ok'), ...promised }) },
      ...refusals,
      409: { doc: 'The Idempotency-Key was used with another body', schema: systemRefusalSchema },
      415: { doc: 'The body is neither JSON nor a form', schema: systemRefusalSchema },
    },
  },
  remove: {
    tag: 'Promise payment',
    summary: 'End a promise payment and return its limit',
    params,
    query: {
      postpay: {
        doc: '1 ends a postpay promise; left out, one of prepay',
        schema: field(schemas.integer, 'be 1 or 0', readSwitch),
      },
    },
    answers: {
      200: {
        doc: 'Ended',
        schema: Type.Object({ status: Type.Literal('ok'), abonent_id: schemas.integer, message: schemas.text }),
      },
      ...refusals,
    },
  },
} as const satisfies Record<string, RouteDoc>
