import Type from 'typebox'
import { ticketTerms } from '../../../../billing/clients/tickets.ts'
import { readId } from '../../../../domain/ids.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, count, someText, text } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope, writing } from '../../../../platform/storage/transactions.ts'
import { readBody, readQuery, readSent, trimmed, wrongField } from '../../body.ts'
import { cursor, cursorOf } from '../../cursors.ts'
import { answers, get, post } from '../../doors.ts'
import { answerTicket, findTicket, openTicketOf, readThread, ticketStates } from './tickets.ts'

const ofSubscriber = '/admin/Abonents/tickets/:id'
const one = '/admin/Abonents/ticket/:id'

/** The tickets of one subscriber: read, opened, answered and closed. */
export const subscriberTicketRoutes = (parts: TransactionScope): Route[] => [
  get(ofSubscriber, docs.list, (call) => list(parts, call)),
  post(ofSubscriber, docs.open, (call) => open(parts, call), { right: recordRights.usual.create }),
  get(one, docs.show, (call) => show(parts, call)),
  post(one, docs.answer, (call) => answer(parts, call), { right: recordRights.usual.change }),
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

/** The last word is that of a message, and of the client or the office that opened the ticket where there is none. */
const listSql = `SELECT ticket.id, json_build_object('id', ticket.id, 'subject', ticket.subject, 'status', ticket.status,
    'create_date', ticket.create_date, 'messages', (SELECT count(*) FROM hdsk_messages WHERE hdsk_id = ticket.id),
    'last_author', last.author, 'last_at', coalesce(last.create_date, ticket.create_date)) AS item
  FROM hdsks AS ticket LEFT JOIN LATERAL (SELECT author, create_date FROM hdsk_messages WHERE hdsk_id = ticket.id
    ORDER BY id DESC LIMIT 1) AS last ON true
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
    return json({ ok: true, ticket: await readThread(client, { id, abonentId, organizationId }) })
  })
}

async function show(parts: TransactionScope, call: Call): Promise<Reply> {
  return reading(parts, async (client) => {
    const found = await findTicket(client, readId(call.params.id), visibleTo(call))
    const ticket = found && (await readThread(client, found))
    return ticket ? json({ ok: true, ticket }) : notFoundReply()
  })
}

async function answer(parts: TransactionScope, call: Call): Promise<Reply> {
  const sent = readBody(call)
  if ('refused' in sent) return sent.refused
  const read = readSent(docs.answer.body.properties, sent.fields)
  return writing(parts, async (client) => {
    const found = await findTicket(client, readId(call.params.id), visibleTo(call))
    if (!found) return notFoundReply()
    if ('refused' in read) return read.refused
    const { body = '', status = null } = read.values
    if (body === '' && status === null) return wrongField('body', 'be there, or a status')
    await answerTicket(client, found, { body, status }, writerOf(call))
    return json({ ok: true, ticket: await readThread(client, found) })
  })
}

const writerOf = (call: Call) => ({ author: authorOf(call), staff: staffOf(call) })

const { subjectMax, bodyMax } = ticketTerms
const tag = 'Tickets'
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
    summary: 'Answer a ticket, change its state, or both at once',
    params: ofTicketId,
    body: Type.Object({ body: Type.Optional(text(bodyMax)), status: Type.Optional(choice(ticketStates)) }),
    answers: answers('The ticket after it', { ticket: threadSchema }, { 400: wrong, 404: noTicket }),
  },
} as const satisfies Record<string, RouteDoc>
