import Type from 'typebox'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import { readId, subscriberId } from '../../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { isSet } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, okObject, schemas } from '../../../../platform/http/schemas.ts'
import { type RecordParts, RecordWriter } from '../../../../platform/records/record-writer.ts'
import { isRefusal, type Refusal } from '../../../../platform/records/refusals.ts'
import { bodySchema } from '../../../../platform/records/schema.ts'
import { readValues } from '../../../../platform/records/values.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading } from '../../../../platform/storage/transactions.ts'
import { idempotencyHeader, keysOf } from '../../accounts/money-request.ts'
import { deletesUnnamed, type Fields, isRefused, type Refused, readBody, refusedBy } from '../../body.ts'
import { answers, get, post, refusals, remove } from '../../doors.ts'
import { replyToRefusal } from '../../write-refusals.ts'
import { subscriberService } from './model.ts'
import { findService, type FoundService, type ShownService, serviceObject, servicesOf } from './record.ts'
import { givenBefore } from './repeats.ts'
import { repeated, serviceSteps } from './rules.ts'

type SubscriberServiceParts = RecordParts & {
  readonly subscribers: Pick<SubscriberActors, 'ask'>
  readonly clock: { now(): Date }
}

const path = '/admin/Abonents/users_usluga_crud'

/**
 * Services of a subscriber, UsersUsluga (contract section 5, Operator promise). An active promise payment is ended by
 * its account.
 */
export function subscriberServiceRoutes(parts: SubscriberServiceParts): Route[] {
  const writer = new RecordWriter(
    parts,
    subscriberService,
    serviceSteps(parts.timeZone, () => parts.clock.now()),
  )
  return [
    get(path, docs.list, (call) => list(parts, call)),
    post(path, docs.create, (call) => create(parts, writer, call)),
    get(`${path}/:id`, docs.one, (call) => show(parts, call)),
    post(`${path}/:id`, docs.change, (call) => change(parts, writer, call)),
    remove(`${path}/:id`, docs.remove, (call) => takeAway(parts, writer, call)),
  ]
}

function list(parts: SubscriberServiceParts, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const id = await findVisible(client, 'subscriber', call.query.get('abonent_id'), visibleTo(call))
    return id === null ? notFoundReply() : json({ ok: true, items: await servicesOf(client, id) })
  })
}

function show(parts: SubscriberServiceParts, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const id = readId(call.params.id)
    const found = id === null ? null : await findService(client, id, visibleTo(call))
    return found ? json({ ok: true, ...found.shown }) : notFoundReply()
  })
}

async function create(parts: SubscriberServiceParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const unnamed = deletesUnnamed(body.fields)
  if (unnamed) return unnamed
  const asked = keysOf(call, body.fields)
  if ('refused' in asked) return asked.refused
  const before = await givenBefore(parts, call, asked.keys)
  if (before) return before
  const saved = await writer.save(call, null, body.fields, visibleTo(call))
  if (isRefusal(saved)) return (saved === repeated && (await givenBefore(parts, call, asked.keys))) || replyTo(saved)
  return shown(parts, saved.id)
}

async function change(parts: SubscriberServiceParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const asked = await readAsked(parts, call)
  if (isRefused(asked)) return asked.refused
  const { id, found, fields } = asked
  if (isSet(fields._delete)) return takeAwayFound(parts, writer, call, asked)
  const read = readValues(subscriberService, fields, found.shown)
  if (isRefusal(read)) return replyTo(read)
  const switchesOff = found.shown.enabled && read.values.get('enabled')?.value === false
  if (found.isActivePromise && switchesOff) return endPromise(parts, call, found.shown, 'disabled')
  const saved = await writer.save(call, String(id), fields, visibleTo(call))
  return isRefusal(saved) ? replyTo(saved) : shown(parts, saved.id)
}

async function takeAway(parts: SubscriberServiceParts, writer: RecordWriter, call: Call): Promise<Reply> {
  const asked = await readAsked(parts, call)
  return isRefused(asked) ? asked.refused : takeAwayFound(parts, writer, call, asked)
}

async function takeAwayFound(
  parts: SubscriberServiceParts,
  writer: RecordWriter,
  call: Call,
  { id, found, fields }: Asked,
): Promise<Reply> {
  if (found.isActivePromise) return endPromise(parts, call, found.shown, 'deleted')
  if (isSet(fields.give_back)) {
    const given = await giveBack(parts, call, found.shown)
    if (given) return given
  }
  const kept = await writer.remove(call, String(id), visibleTo(call))
  return kept ? replyTo(kept) : json({ ok: true })
}

/** A write of a service that is there. */
type Asked = { readonly id: number; readonly found: FoundService; readonly fields: Fields }

async function readAsked(parts: SubscriberServiceParts, call: Call): Promise<Asked | Refused> {
  const id = readId(call.params.id)
  if (id === null) return { refused: notFoundReply() }
  const body = readBody(call)
  if (isRefused(body)) return body
  const found = await reading(parts, (client) => findService(client, id, visibleTo(call)))
  return found ? { id, found, fields: body.fields } : { refused: notFoundReply() }
}

async function shown(parts: SubscriberServiceParts, id: string): Promise<Reply> {
  const found = await reading(parts, (client) => findService(client, Number(id), null))
  return found ? json({ ok: true, ...found.shown }) : notFoundReply()
}

/** The account returns the limit in its turn and deletes the row as well (specification 3.1). */
async function endPromise(
  { subscribers }: SubscriberServiceParts,
  call: Call,
  { abonent_id, usluga_id }: ShownService,
  why: 'deleted' | 'disabled',
): Promise<Reply> {
  const command = { kind: 'endPromise', subscriberId: subscriberId(abonent_id), why, only: [usluga_id] } as const
  const outcome = await subscribers.ask(command, authorOf(call))
  if (outcome.kind === 'refused') return refusedBy(outcome)
  return json({ ok: true, ended: true, operation_id: outcome.operation?.id ?? null })
}

/** The account takes the service away and gives back the rest of its month. Null: there is nothing to give back. */
async function giveBack(
  { subscribers }: SubscriberServiceParts,
  call: Call,
  { id, abonent_id }: ShownService,
): Promise<Reply | null> {
  const command = { kind: 'endService', subscriberId: subscriberId(abonent_id), linkId: id } as const
  const outcome = await subscribers.ask(command, authorOf(call))
  if (outcome.kind === 'refused') return outcome.reason === 'nothingToGiveBack' ? null : refusedBy(outcome)
  return json({ ok: true, ended: true, operation_id: outcome.operation?.id ?? null })
}

const replyTo = (refusal: Refusal): Reply =>
  replyToRefusal(refusal, { fields: subscriberService.fields, code: 'wrong_field' })

const body = bodySchema(subscriberService)
const { abonent_id: _, usluga_id: __, ...changeable } = body.properties
const gone = { 404: 'There is no such record, or it is of another organization' }
const wrong = { 400: 'A wrong field, or a refusal in words', ...gone }
const tag = 'Services'

const ended = okObject({ ended: Type.Literal(true), operation_id: nullable(schemas.integer) })

const docs = {
  list: {
    tag,
    summary: 'Services of a subscriber',
    query: { abonent_id: { doc: 'The subscriber', schema: schemas.integer, required: true } },
    answers: answers('All of them', { items: Type.Array(serviceObject) }, gone),
  },
  one: {
    tag,
    summary: 'One service of a subscriber',
    answers: answers('The record', serviceObject.properties, gone),
  },
  create: {
    tag,
    summary: 'Give a subscriber a service',
    description: 'It is charged from its day on. Promise payments are activated at promise_pay.',
    headers: idempotencyHeader,
    body,
    answers: answers('The record', serviceObject.properties, {
      ...wrong,
      409: 'The Idempotency-Key was used before with another request, or what it gave is gone',
    }),
  },
  change: {
    tag,
    summary: 'Change a service of a subscriber, or take it away with _delete',
    description:
      'Switching an active promise payment off, or taking it away, ends it and returns its limit. With give_back what was charged for the rest of the month is given back.',
    body: Type.Object({
      ...changeable,
      _delete: Type.Optional(schemas.boolean),
      give_back: Type.Optional(schemas.boolean),
    }),
    answers: {
      200: {
        doc: 'The record; of a deleted one only ok; with money that moved ended and operation_id',
        schema: Type.Union([okObject(serviceObject.properties), okObject(), ended]),
      },
      ...refusals(wrong),
    },
  },
  remove: {
    tag,
    summary: 'Take a service away',
    description:
      'An active promise payment is ended and its limit returned. With give_back what was charged for the rest of the month is given back.',
    body: Type.Object({ give_back: Type.Optional(schemas.boolean) }),
    answers: {
      200: { doc: 'Only ok; with money that moved ended and operation_id', schema: Type.Union([okObject(), ended]) },
      ...refusals(wrong),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
