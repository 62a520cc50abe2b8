import type { PoolClient } from 'pg'
import Type from 'typebox'
import { ticketTerms } from '../../../../billing/clients/tickets.ts'
import { defaultOrganization, organizationId, readId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import { ticketStates } from '../../../../domain/ticket.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, count, id as idField, orNull, someText, text } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { type Fields, type Refused, readBody, readQuery, readSent, refused, trimmed, wrongField } from '../../body.ts'
import { cursor, cursorOf } from '../../cursors.ts'
import { answers, get, post } from '../../doors.ts'
import { readAssignees } from './assignees.ts'
import {
  changeTicket,
  findTicket,
  markRead,
  openTicketOf,
  readThread,
  type TicketChange,
  type TicketOwner,
} from './tickets.ts'

const ofSubscriber = '/admin/Abonents/tickets/:id'
const one = '/admin/Abonents/ticket/:id'

/** The tickets of one subscriber, and one ticket: read, opened, answered, noted on, given to somebody and closed. */
export const subscriberTicketRoutes = (parts: TransactionScope): Route[] => [
  get(ofSubscriber, docs.list, (call) => list(parts, call)),
  post(ofSubscriber, docs.open, (call) => open(parts, call), { right: recordRights.usual.create }),
  get(one, docs.show, (call) => show(parts, call)),
  post(one, docs.answer, (call) => answer(parts, call), { right: recordRights.usual.change }),
  // Whoever reads a ticket has read it.
  post('/admin/Abonents/ticket_read/:id', docs.read, (call) => markAsRead(parts, call), {
    right: recordRights.usual.read,
  }),
  get('/admin/Abonents/ticket_staff', docs.staff, (call) => listStaff(parts, call)),
]

const limitUsual = 50
const limitMax = 200

type Row = { readonly id: number; readonly item: unknown }

async function list(parts: TransactionScope, call: Call): Promise<Reply> {
  const read = readQuery(docs.list.query, trimmed(call.query))
  if ('refused' in read) return read.refused
  const limit = Math.min(read.values.limit ?? limitUsual, limitMax)
  return reading(parts, async (client) => {
    const subscriber = await findVisible(client, 'subscriber', call.params.id, visibleTo(call))
    if (subscriber === null) return notFoundReply()
    const { rows } = await client.query<Row>(listSql, [subscriber, read.values.cursor?.id ?? null, limit + 1])
    const page = rows.slice(0, limit)
    const next = rows.length > limit ? cursorOf({ value: '', id: Number(page.at(-1)!.id) }) : null
    return json({ ok: true, items: page.map(({ item }) => item), next_cursor: next })
  })
}

const listSql = `SELECT ticket.id, json_build_object('id', ticket.id, 'subject', ticket.subject, 'status', ticket.status,
    'create_date', ticket.create_date, 'messages', (SELECT count(*) FROM hdsk_messages WHERE hdsk_id = ticket.id),
    'last_author', ticket.last_author, 'last_at', ticket.last_at) AS item FROM hdsks AS ticket
  WHERE ticket.abonent_id = $1::int8 AND ($2::int8 IS NULL OR ticket.id < $2) ORDER BY ticket.id DESC LIMIT $3`

async function open(parts: TransactionScope, call: Call): Promise<Reply> {
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const read = readSent(docs.open.body.properties, sent.fields)
  const visible = visibleTo(call)
  return writing(parts, async (client) => {
    const abonentId = await findVisible(client, 'subscriber', call.params.id, visible)
    if (abonentId === null) return notFoundReply()
    if ('refused' in read) return read.refused
    const { rows } = await client.query<{ organization_id: string | null }>(
      'SELECT organization_id FROM abonents WHERE id = $1::int8',
      [abonentId],
    )
    const organizationId = rows[0]?.organization_id == null ? null : Number(rows[0].organization_id)
    const id = await openTicketOf(client, { abonentId, organizationId }, read.values, writerOf(call))
    return json({ ok: true, ticket: await readThread(client, { id, abonentId, organizationId }, staffOf(call)) })
  })
}

async function show(parts: TransactionScope, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const found = await findTicket(client, readId(call.params.id), visibleTo(call))
    const ticket = found && (await readThread(client, found, staffOf(call)))
    return ticket ? json({ ok: true, ticket }) : notFoundReply()
  })
}

async function answer(parts: TransactionScope, call: Call): Promise<Reply> {
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const asked = readSent(docs.answer.body.properties, sent.fields)
  return writing(parts, async (client) => {
    const found = await findTicket(client, readId(call.params.id), visibleTo(call))
    if (!found) return notFoundReply()
    if ('refused' in asked) return asked.refused
    const { body = '', note = '', status = null, assignee: assigneeId } = asked.values
    const assignee = isTakenAway(sent.fields) ? null : await findAssignee(client, found, assigneeId ?? undefined)
    if (assignee && 'refused' in assignee) return assignee.refused
    if (body === '' && note === '' && status === null && assignee === undefined)
      return wrongField('body', 'be there, or a note, status or assignee')
    await changeTicket(client, found, { body, note, status, assignee }, writerOf(call))
    return json({ ok: true, ticket: await readThread(client, found, staffOf(call)) })
  })
}

/** A form sends an empty field. */
const isTakenAway = ({ assignee }: Fields): boolean => assignee === null || assignee === ''

async function findAssignee(
  client: PoolClient,
  { organizationId: organization }: TicketOwner,
  asked: number | undefined,
): Promise<TicketChange['assignee'] | Refused> {
  if (asked === undefined) return undefined
  const staff = await readAssignees(client, [organizationId(organization ?? defaultOrganization)])
  const user = staff.find(({ id }) => id === asked)
  if (user) return { id: user.id, name: user.username }
  return { refused: refused(400, 'not_assignable', 'assignee: They may not answer tickets of this organization.') }
}

async function markAsRead(parts: TransactionScope, call: Call): Promise<Reply> {
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const asked = readSent(docs.read.body.properties, sent.fields)
  return writing(parts, async (client) => {
    const found = await findTicket(client, readId(call.params.id), visibleTo(call))
    if (!found) return notFoundReply()
    if ('refused' in asked) return asked.refused
    await markRead(client, found.id, staffOf(call), asked.values.message)
    return json({ ok: true })
  })
}

async function listStaff(parts: TransactionScope, call: Call): Promise<Reply> {
  const asked = readQuery(docs.staff.query, trimmed(call.query))
  if ('refused' in asked) return asked.refused
  const { ticket } = asked.values
  return reading(parts, async (client) => {
    const visible = visibleTo(call)
    const found = ticket === undefined ? null : await findTicket(client, ticket, visible)
    if (ticket !== undefined && !found) return notFoundReply()
    const organizations = found ? [organizationId(found.organizationId ?? defaultOrganization)] : visible
    const staff = await readAssignees(client, organizations)
    return json({ ok: true, items: staff.map(({ id, username }) => ({ id, username })) })
  })
}

const writerOf = (call: Call) => ({ author: authorOf(call), staff: staffOf(call) })

const { subjectMax, bodyMax } = ticketTerms
const tag = 'Tickets'
const { integer, moment } = schemas
const state = Type.Enum([...ticketStates])
const words = nullable(schemas.text)
const author = Type.Enum(['client', 'staff'])

const itemSchema = Type.Object({
  id: schemas.integer,
  subject: schemas.text,
  status: state,
  create_date: schemas.moment,
  messages: Type.Integer({ description: 'Messages after the text of the ticket itself' }),
  last_author: Type.With(nullable(author), { description: 'Who wrote last; null: nobody has written a message' }),
  last_at: schemas.moment,
})

const threadSchema = Type.Object({
  id: schemas.integer,
  abonent_id: schemas.integer,
  subject: schemas.text,
  status: state,
  create_date: schemas.moment,
  name: Type.String({ description: 'Of the subscriber' }),
  contract_number: schemas.text,
  phone: words,
  address: words,
  home_id: nullable(integer),
  others_of_home: Type.Integer({ description: 'Other tickets of the house that are not closed' }),
  assignee_id: nullable(integer),
  assignee: Type.With(words, { description: 'Whose of the staff it is; null: nobody’s' }),
  last_message_id: Type.With(nullable(integer), { description: 'What ticket_read takes; null: there is no message' }),
  unread: Type.With(schemas.boolean, {
    description: 'It is not closed, and the caller has not read the client’s last word',
  }),
  notes: Type.Array(Type.Object({ id: integer, staff: schemas.text, body: schemas.text, create_date: moment }), {
    description: 'What the staff has noted for itself; no client sees it. The oldest first',
  }),
  messages: Type.Array(
    Type.Object({
      id: Type.Integer({ description: '0: the text of a ticket that the office opened' }),
      author,
      staff: Type.With(words, { description: 'Who of the staff; null where it is not known' }),
      body: schemas.text,
      create_date: schemas.moment,
    }),
  ),
})

const ofSubscriberId = { id: { doc: 'Subscriber' } }
const ofTicketId = { id: { doc: 'Ticket' } }
const noSubscriber = 'There is no such subscriber, or it is of another organization'
const noTicket = 'There is no such ticket, or its subscriber is of another organization'
const wrong = 'A field is wrong; `errors` has a text for it'

const docs = {
  list: {
    tag,
    summary: 'Tickets of a subscriber, the newest first',
    params: ofSubscriberId,
    query: {
      cursor: { doc: 'next_cursor of the page before', schema: cursor },
      limit: { doc: `At most ${limitMax}; ${limitUsual} if left out`, schema: count(limitMax) },
    },
    answers: answers(
      'One page',
      { items: Type.Array(itemSchema), next_cursor: words },
      { 400: 'A parameter is wrong', 404: noSubscriber },
    ),
  },
  open: {
    tag,
    summary: 'Open a ticket for a subscriber, in the name of the office',
    params: ofSubscriberId,
    body: Type.Object({ subject: someText(subjectMax), body: someText(bodyMax) }),
    answers: answers('It is open', { ticket: threadSchema }, { 400: wrong, 404: noSubscriber }),
  },
  show: {
    tag,
    summary: 'A ticket as a thread, the oldest message first',
    params: ofTicketId,
    answers: answers('The ticket', { ticket: threadSchema }, { 404: noTicket }),
  },
  answer: {
    tag,
    summary: 'Answer a ticket, note something, change its state or give it to somebody, or several of these at once',
    params: ofTicketId,
    body: Type.Object({
      body: Type.Optional(Type.With(text(bodyMax), { description: 'An answer, which the client sees' })),
      note: Type.Optional(Type.With(text(bodyMax), { description: 'For the staff; no client sees it' })),
      status: Type.Optional(choice(ticketStates)),
      assignee: Type.Optional(
        Type.With(orNull(idField), { description: 'Staff user of ticket_staff; null: nobody. Else `not_assignable`' }),
      ),
    }),
    answers: answers('The ticket after it', { ticket: threadSchema }, { 400: wrong, 404: noTicket }),
  },
  read: {
    tag,
    summary: 'The caller has read a ticket up to a message',
    params: ofTicketId,
    body: Type.Object({ message: Type.With(idField, { description: '`last_message_id` of what was read' }) }),
    answers: answers('It is kept', {}, { 400: wrong, 404: noTicket }),
  },
  staff: {
    tag,
    summary: 'The staff to whom tickets may be given, by name',
    query: { ticket: { doc: 'Only those who may answer this one', schema: idField } },
    answers: answers(
      'All of them',
      { items: Type.Array(Type.Object({ id: integer, username: schemas.text })) },
      { 400: 'A parameter is wrong', 404: noTicket },
    ),
  },
} as const satisfies Record<string, RouteDoc>
