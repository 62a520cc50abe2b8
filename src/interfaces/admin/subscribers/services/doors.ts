import Type from 'typebox'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import { readId, subscriberId } from '../../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../../platform/http/schemas.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { findVisible, missing, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { refused, refusedBy } from '../../accounts/body.ts'
import { errorSchema } from '../../provider/dictionaries/docs.ts'
import { readServiceWish, type ServiceWish } from './body.ts'
import { findService, type ShownService, serviceObject, serviceSchema, servicesOf } from './record.ts'
import { changeService, createService, type Rejection, removeService } from './saving.ts'

export type SubscriberServiceParts = TransactionScope & { readonly subscribers: Pick<SubscriberActors, 'ask'> }

const path = '/admin/Abonents/users_usluga_crud'

/** Services of a subscriber, UsersUsluga (contract section 5, Operator promise). An active promise payment is ended by its account. */
export const subscriberServiceRoutes = (parts: SubscriberServiceParts): Route[] => [
  { method: 'GET', path, door: 'admin', doc: docs.list, handler: (call) => list(parts, call) },
  { method: 'POST', path, door: 'admin', doc: docs.create, handler: (call) => create(parts, call) },
  { method: 'GET', path: `${path}/:id`, door: 'admin', doc: docs.one, handler: (call) => show(parts, call) },
  { method: 'POST', path: `${path}/:id`, door: 'admin', doc: docs.change, handler: (call) => change(parts, call) },
]

function list(parts: SubscriberServiceParts, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const id = await findVisible(client, 'subscriber', call.query.get('abonent_id'), visibleTo(call))
    return id === null ? missing() : json({ ok: true, items: await servicesOf(client, id) })
  })
}

function show(parts: SubscriberServiceParts, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const id = readId(call.params.id)
    const found = id === null ? null : await findService(client, id, visibleTo(call))
    return found ? shown(found.shown) : missing()
  })
}

const shown = (service: ShownService): Reply => json({ ok: true, ...service })

async function create(parts: SubscriberServiceParts, call: Call): Promise<Reply> {
  const read = readServiceWish(call)
  if ('refused' in read) return read.refused
  const { wish } = read
  if (wish.deletes) return refused(400, 'wrong_field', '_delete: Name the record in the address.')
  return answer(
    await writing(parts, (client) => createService(client, wish, visibleTo(call), authorOf(call), parts.timeZone())),
  )
}

async function change(parts: SubscriberServiceParts, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  if (id === null) return missing()
  const read = readServiceWish(call)
  if ('refused' in read) return read.refused
  const { wish } = read
  const found = await reading(parts, (client) => findService(client, id, visibleTo(call)))
  if (!found) return missing()
  if (found.isActivePromise && (wish.deletes || (found.shown.enabled && wish.enabled === false)))
    return endPromise(parts, call, found.shown, wish)
  const author = authorOf(call)
  const visible = visibleTo(call)
  if (wish.deletes)
    return answer(await writing(parts, (client) => removeService(client, id, visible, author, parts.timeZone())))
  return answer(await writing(parts, (client) => changeService(client, id, wish, visible, author)))
}

/** Its limit is returned in the account's turn, which takes the row away as well (specification 3.1). */
async function endPromise(
  { subscribers }: SubscriberServiceParts,
  call: Call,
  { abonent_id, usluga_id }: ShownService,
  wish: ServiceWish,
): Promise<Reply> {
  const why = wish.deletes ? 'deleted' : 'disabled'
  const command = { kind: 'endPromise', subscriberId: subscriberId(abonent_id), why, only: [usluga_id] } as const
  const outcome = await subscribers.ask(command, authorOf(call))
  if (outcome.kind === 'refused') return refusedBy(outcome)
  return json({ ok: true, ended: true, operation_id: outcome.operation?.id ?? null })
}

function answer(saved: ShownService | 'removed' | Rejection): Reply {
  if (saved === 'removed') return json({ ok: true })
  if (!('reason' in saved)) return shown(saved)
  return saved.reason === 'missing' ? missing() : refused(400, saved.reason, saved.sentence)
}

const { properties: written } = Type.Partial(
  Type.Object({
    summ: Type.With(nullable(schemas.rubles), {
      description: 'Own price of a month; null: that of the service; 0.00: free',
    }),
    countt: Type.Integer({ minimum: 1, maximum: 1000 }),
    end_time: Type.With(nullable(schemas.text), {
      description: 'A day, which belongs to the term, or a moment; null: no end',
    }),
    enabled: schemas.boolean,
    comment: nullable(schemas.text),
  }),
)
const wrong = { doc: 'A wrong field, or a refusal in words', schema: errorSchema }
const gone = { doc: 'There is no such record, or it is of another organization', schema: errorSchema }
const tag = 'Services'

const docs = {
  list: {
    tag,
    summary: 'Services of a subscriber',
    query: { abonent_id: { doc: 'The subscriber', schema: schemas.integer, required: true } },
    answers: { 200: { doc: 'All of them', schema: okObject({ items: Type.Array(serviceObject) }) }, 404: gone },
  },
  one: {
    tag,
    summary: 'One service of a subscriber',
    answers: { 200: { doc: 'The record', schema: okObject(serviceSchema) }, 404: gone },
  },
  create: {
    tag,
    summary: 'Give a subscriber a service',
    description: 'It is charged from its day on. Promise payments are activated at promise_pay.',
    body: Type.Object({ abonent_id: schemas.integer, usluga_id: schemas.integer, ...written }),
    isFormToo: true,
    answers: { 200: { doc: 'The record', schema: okObject(serviceSchema) }, 400: wrong, 404: gone },
  },
  change: {
    tag,
    summary: 'Change a service of a subscriber, or take it away with _delete',
    description: 'Switching an active promise payment off, or taking it away, ends it and returns its limit.',
    body: Type.Object({ ...written, _delete: Type.Optional(schemas.boolean) }),
    isFormToo: true,
    answers: {
      200: { doc: 'The record; of a deleted one only ok; of a promise ended and operation_id', schema: okObject() },
      400: wrong,
      404: gone,
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
