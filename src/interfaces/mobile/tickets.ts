import Type from 'typebox'
import { openTicket, readTicket, readTickets, replyToTicket, ticketTerms } from '../../billing/clients/tickets.ts'
import { readId } from '../../domain/ids.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { someText } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { persisting } from '../../platform/storage/transactions.ts'
import { readBody } from './body.ts'
import { base, idempotencyKey, refusalAnswer, tags } from './docs.ts'
import { limited, type MobileDoors, type PhoneCall } from './door.ts'
import type { MobileParts } from './parts.ts'
import { refused } from './refusal.ts'
import type { Repeats } from './repeats.ts'

/** Support tickets of clients. Staff reply by POST /rest_api/v2/Hdsk/<id>/messages/. */
export const ticketRoutes = (parts: MobileParts, doors: MobileDoors, repeats: Repeats): Route[] => {
  const path = `${base}/support/tickets`
  return [
    {
      method: 'GET',
      path,
      door: 'mobile',
      doc: limited(docs.list),
      handler: doors.signedIn(async ({ client }) =>
        json({ items: await readTickets(parts.pool, client.subscriberId) }),
      ),
    },
    {
      method: 'POST',
      path,
      door: 'mobile',
      doc: limited(docs.open),
      handler: doors.signedIn((phone) => open(parts, repeats, phone)),
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      door: 'mobile',
      doc: limited(docs.show),
      handler: doors.signedIn((phone) => show(parts, phone, idOf(phone))),
    },
    {
      method: 'POST',
      path: `${path}/:id`,
      door: 'mobile',
      doc: limited(docs.reply),
      handler: doors.signedIn((phone) => reply(parts, repeats, phone)),
    },
  ]
}

const { subjectMax, bodyMax } = ticketTerms

async function open(parts: MobileParts, repeats: Repeats, phone: PhoneCall): Promise<Reply> {
  const read = readBody(phone, docs.open.body)
  if ('refusal' in read) return read.refusal
  const { subject, body } = read.body
  return repeats.once(phone, read.sent, async () => {
    const id = await persisting(parts, (_, manager) => openTicket(manager, phone.client.subscriberId, subject, body))
    return show(parts, phone, id, 201)
  })
}

async function reply(parts: MobileParts, repeats: Repeats, phone: PhoneCall): Promise<Reply> {
  const read = readBody(phone, docs.reply.body)
  if ('refusal' in read) return read.refusal
  const { body } = read.body
  const ticket = idOf(phone)
  return repeats.once(phone, read.sent, async () => {
    const isOurs = await persisting(parts, (_, manager) =>
      replyToTicket(manager, phone.client.subscriberId, ticket, body),
    )
    return isOurs ? show(parts, phone, ticket, 201) : refused(phone, 404, 'not_found')
  })
}

/** Shows a ticket and marks its messages as read, except in READ_ONLY_MODE. */
async function show(parts: MobileParts, phone: PhoneCall, id: number, status = 200): Promise<Reply> {
  const opens = phone.call.method !== 'HEAD' && !parts.isReadOnly()
  const ticket = await readTicket(parts.pool, phone.client.subscriberId, id, { opens })
  return ticket ? json(ticket, status) : refused(phone, 404, 'not_found')
}

/** The id in the path; 0, which no ticket has, when it is not an id. */
const idOf = ({ call }: PhoneCall): number => readId(call.params.id) ?? 0

const ticket = {
  id: schemas.integer,
  subject: schemas.text,
  status: Type.Enum(['open', 'in_progress', 'closed']),
  create_date: schemas.moment,
  unread: Type.Integer({ description: 'Replies of the staff that have not been opened' }),
}

const whole = Type.Object({
  ...ticket,
  messages: Type.Array(
    Type.Object({
      id: Type.Integer({ description: '0: the text of a ticket that the staff opened' }),
      author: Type.Enum(['client', 'staff']),
      body: schemas.text,
      create_date: schemas.moment,
    }),
  ),
})

const params = { id: { doc: 'The ticket', schema: schemas.integer } }

const docs = {
  list: {
    tag: tags.support,
    summary: 'Tickets of this client',
    answers: { 200: { doc: 'The newest first', schema: Type.Object({ items: Type.Array(Type.Object(ticket)) }) } },
  },
  open: {
    tag: tags.support,
    summary: 'Open a ticket',
    headers: idempotencyKey,
    body: Type.Object({ subject: someText(subjectMax), body: someText(bodyMax) }),
    answers: {
      201: { doc: 'The ticket; its first message is the body', schema: whole },
      400: refusalAnswer('bad_request'),
      409: refusalAnswer('conflict'),
    },
  },
  show: {
    tag: tags.support,
    summary: 'A ticket with its messages, which are read with this',
    params,
    answers: { 200: { doc: 'The oldest message first', schema: whole }, 404: refusalAnswer('not_found') },
  },
  reply: {
    tag: tags.support,
    summary: 'Write to a ticket; a closed one is open again',
    params,
    headers: idempotencyKey,
    body: Type.Object({ body: someText(bodyMax) }),
    answers: {
      201: { doc: 'The ticket with the new message', schema: whole },
      400: refusalAnswer('bad_request'),
      404: refusalAnswer('not_found'),
      409: refusalAnswer('conflict'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
