import Type from 'typebox'
import { openTicket, readTicket, readTickets, replyToTicket, ticketTerms } from '../../billing/clients/tickets.ts'
import { readId } from '../../domain/ids.ts'
import { ticketStates } from '../../domain/ticket.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { someText } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import type { EntityManager } from '../../platform/storage/orm.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { persisting } from '../../platform/storage/transactions.ts'
import { refusalAnswer, tags } from './docs.ts'
import type { MobileDoors } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'
import { refused } from './refusal.ts'
import type { Attempt } from './repeats.ts'

/** Support tickets of clients. Staff reply by POST /rest_api/v2/Hdsk/<id>/messages/. */
export const ticketRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('GET', '/support/tickets', docs.list, async ({ client }) =>
    json({ items: await readTickets(parts.pool, client.subscriberId) }),
  ),
  doors.once('/support/tickets', docs.open, (phone, { subject, body }, attempt) =>
    write(parts, phone, attempt, (manager) => openTicket(manager, phone.client.subscriberId, subject, body)),
  ),
  doors.signedIn('GET', '/support/tickets/:id', docs.show, (phone) => show(parts, parts.pool, phone, idOf(phone))),
  doors.once('/support/tickets/:id', docs.reply, (phone, { body }, attempt) =>
    write(parts, phone, attempt, async (manager) => {
      const id = idOf(phone)
      return (await replyToTicket(manager, phone.client.subscriberId, id, body)) ? id : null
    }),
  ),
]

/** What is written, by `work`, and the answer, which shows the ticket, are of one transaction. Null: no such ticket. */
const write = (
  parts: MobileParts,
  phone: PhoneCall,
  { keep }: Attempt,
  work: (manager: EntityManager) => Promise<number | null>,
): Promise<Reply> =>
  persisting(parts, async (client, manager) => {
    const id = await work(manager)
    if (id === null) return refused(phone, 404, 'not_found')
    const reply = await show(parts, client, phone, id, 201)
    await keep(client, reply)
    return reply
  })

const { subjectMax, bodyMax } = ticketTerms

/** Shows a ticket and marks its messages as read, except in READ_ONLY_MODE. */
async function show(
  parts: Pick<MobileParts, 'isReadOnly'>,
  sql: Client,
  phone: PhoneCall,
  id: number,
  status = 200,
): Promise<Reply> {
  const opens = phone.call.method !== 'HEAD' && !parts.isReadOnly()
  const ticket = await readTicket(sql, phone.client.subscriberId, id, { opens })
  return ticket ? json(ticket, status) : refused(phone, 404, 'not_found')
}

/** The id in the path; 0, which no ticket has, when it is not an id. */
const idOf = ({ call }: PhoneCall): number => readId(call.params.id) ?? 0

const ticket = {
  id: schemas.integer,
  subject: schemas.text,
  status: Type.Enum([...ticketStates]),
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
    body: Type.Object({ subject: someText(subjectMax), body: someText(bodyMax) }),
    answers: {
      201: { doc: 'The ticket; its first message is the body', schema: whole },
      400: refusalAnswer('bad_request'),
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
    body: Type.Object({ body: someText(bodyMax) }),
    answers: {
      201: { doc: 'The ticket with the new message', schema: whole },
      400: refusalAnswer('bad_request'),
      404: refusalAnswer('not_found'),
    },
  },
} as const satisfies Readonly<Record<string, RouteDoc>>
