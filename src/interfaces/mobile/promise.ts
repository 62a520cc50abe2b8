import Type from 'typebox'
import { formatRubles } from '../../domain/money.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../platform/http/schemas.ts'
import { refusalAnswer, tags } from './docs.ts'
import { type MobileDoors, onceDoc } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'
import { refused, refusedByAccount } from './refusal.ts'
import { codeOfAccount } from './words.ts'

/** Promise payments as clients may activate them themselves: subject to the policies, without a fee. */
export const promiseRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => {
  const path = '/finance/promise_pay'
  return [
    doors.signedIn('GET', path, docs.show, (phone) => show(parts, phone)),
    doors.signedIn('POST', path, onceDoc(docs.activate), (phone) =>
      doors.repeats.once(phone, {}, ({ keys }) => activate(parts, phone, keys)),
    ),
    doors.signedIn('DELETE', path, onceDoc(docs.cancel), (phone) =>
      doors.repeats.once(phone, {}, ({ keys }) => cancel(parts, phone, keys)),
    ),
  ]
}

async function show({ subscribers }: MobileParts, phone: PhoneCall, status = 200): Promise<Reply> {
  const id = phone.client.subscriberId
  const [known, prospect] = await Promise.all([subscribers.status(id), subscribers.promiseProspect(id)])
  if (!known || !prospect) return refused(phone, 404, 'not_found')
  const { promise } = known.subscriber
  const offer = prospect.kind === 'offered' ? prospect.offer : null
  return json(
    {
      active: promise !== null,
      amount: promise && formatRubles(promise.limit),
      end: promise?.until ?? null,
      available: offer !== null,
      reason: prospect.kind === 'refused' ? codeOfAccount(prospect.reason) : null,
      limit: offer && formatRubles(offer.limit),
      days: offer?.days ?? null,
      cooldown_until: prospect.cooldownUntil,
    },
    status,
  )
}

async function activate(parts: MobileParts, phone: PhoneCall, keys: readonly string[]): Promise<Reply> {
  const id = phone.client.subscriberId
  const outcome = await parts.subscribers.ask(
    { kind: 'activatePromise', subscriberId: id, path: 'client', limit: null, until: null, keys },
    phone.author,
  )
  return outcome.kind === 'refused' ? refusedByAccount(phone, outcome.reason) : show(parts, phone, 201)
}

async function cancel(parts: MobileParts, phone: PhoneCall, keys: readonly string[]): Promise<Reply> {
  const id = phone.client.subscriberId
  const outcome = await parts.subscribers.ask(
    { kind: 'endPromise', subscriberId: id, why: 'cancelled', only: null, keys },
    phone.author,
  )
  return outcome.kind === 'refused' ? refusedByAccount(phone, outcome.reason) : show(parts, phone)
}

const promiseSchema = Type.Object({
  active: schemas.boolean,
  amount: Type.With(nullable(schemas.rubles), { description: 'Of the active one' }),
  end: Type.With(nullable(schemas.moment), { description: 'Of the active one' }),
  available: Type.Boolean({ description: 'One may be had now' }),
  reason: Type.Union(
    [Type.Enum(['already_active', 'min_debt', 'min_age', 'cooldown', 'disabled', 'refused']), Type.Null()],
    { description: 'Why none may be had now' },
  ),
  limit: Type.With(nullable(schemas.rubles), { description: 'What would be credited' }),
  days: Type.With(nullable(schemas.integer), { description: 'How long it would last' }),
  cooldown_until: nullable(schemas.moment),
})

const docs = {
  show: {
    tag: tags.money,
    summary: 'The promise payment: the active one, or the one that may be had',
    answers: { 200: { doc: 'As it stands now', schema: promiseSchema }, 404: refusalAnswer('not_found') },
  },
  activate: {
    tag: tags.money,
    summary: 'Activate a promise payment',
    answers: {
      201: { doc: 'Activated', schema: promiseSchema },
      400: refusalAnswer('already_active, min_debt, min_age, cooldown, disabled'),
      404: refusalAnswer('not_found'),
    },
  },
  cancel: {
    tag: tags.money,
    summary: 'End the promise payment; its limit goes back',
    answers: {
      200: { doc: 'Ended', schema: promiseSchema },
      400: refusalAnswer('refused'),
      404: refusalAnswer('no_promise'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
