import Type from 'typebox'
import { isCurrentSql, isUnreadSql } from '../../../../billing/clients/ticket-inbox.ts'
import { parseId } from '../../../../domain/ids.ts'
import { ticketStates } from '../../../../domain/ticket.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { choice, field, flag, id, text } from '../../../../platform/http/fields.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'
import { staffOf } from '../../../../platform/staff/author.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../../platform/staff/visible-records.ts'
import { findHomesWithin } from '../../../../platform/storage/addresses.ts'
import { Parameters } from '../../../../platform/storage/parameters.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { escaped } from '../../accounts/filter.ts'
import { get } from '../../doors.ts'
import { ListFilters, periodParameters } from '../../list-filters.ts'
import { shapeOf } from '../../shapes.ts'
import { sortedAnswers, sortedPage, sortedParameters, type Sorts } from '../../sorted-lists.ts'

/** The tickets of all subscribers, as the office works through them. */
export const ticketListRoutes = (parts: TransactionScope): Route[] => [
  get('/admin/Abonents/tickets', doc, (call) => list(parts, call)),
]

async function list(parts: TransactionScope, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(query)
  if ('refused' in read) return read.refused
  const { sort = '-last', limit, cursor, ...asked } = read.values
  const wrong = filters.wherePeriod('ticket.create_date')
  if (wrong) return wrong.refused
  const found = {
    table: 'hdsks',
    row: 'ticket',
    // A join that nobody needs would keep PostgreSQL from reading an index in its order.
    joins: needsClient(asked, call) ? 'JOIN abonents AS client ON client.id = ticket.abonent_id' : '',
    item: (parameters: Parameters) => shape(parameters.place(staffOf(call)))[1],
    sorts,
  }
  const { home } = asked
  return reading(parts, async (client) => {
    narrow(filters, asked, call, home === undefined ? null : await findHomesWithin(client, home))
    const ways = asked.q ? { ways: await searchWays(client, filters, asked.q, call) } : {}
    return json({ ok: true, ...(await sortedPage(client, { ...found, ...ways }, filters, { sort, limit, cursor })) })
  })
}

const sorts = {
  last: ['ticket.last_at', 'timestamptz'],
  opened: ['ticket.create_date', 'timestamptz'],
} satisfies Sorts

type Asked = {
  readonly show?: (typeof views)[number]
  readonly q?: string
  readonly status?: (typeof ticketStates)[number]
  readonly assignee?: number | 'nobody'
  readonly last?: 'client' | 'staff'
  readonly unread?: boolean
  readonly home?: number
  readonly organization?: number
}

const needsClient = ({ home, organization }: Asked, call: Call): boolean =>
  home !== undefined || organization !== undefined || visibleTo(call) !== null

/** `homes`: those of `asked.home`. */
function narrow(filters: ListFilters, asked: Asked, call: Call, homes: readonly number[] | null): void {
  const { show = 'all', status, assignee, last, unread = false, organization } = asked
  if (show !== 'all') filters.where(isCurrentSql)
  if (show === 'mine') filters.where(`ticket.assignee_id = ${filters.add(staffOf(call), 'int8')}`)
  if (status !== undefined) filters.where(`ticket.status = ${filters.add(status, 'text')}`)
  if (assignee === 'nobody') filters.where('ticket.assignee_id IS NULL')
  else if (assignee !== undefined) filters.where(`ticket.assignee_id = ${filters.add(assignee, 'int8')}`)
  if (last !== undefined) filters.where(`ticket.last_author = ${filters.add(last, 'text')}`)
  if (unread) filters.where(isUnreadSql(filters.place(staffOf(call))))
  if (homes !== null) filters.where(`client.home_id = ANY(${filters.add(homes, 'int8[]')})`)
  if (organization !== undefined) filters.where(`client.organization_id = ${filters.add(organization, 'int8')}`)
  filters.whereVisible('client.organization_id', visibleTo(call), organization)
}

const wordsMax = 8
/** Of a name that more subscribers have, the tickets of so many are found. */
const clientsMax = 1_000

/** The number of characters from which on the indexes find any part of a word. */
const partLength = 3

/**
 * The number of the ticket, all words in its subject, or all of them in the name or contract of its subscriber. Words
 * that are all shorter than an index needs begin a name or are the whole contract, as in the list of subscribers.
 */
async function searchWays(client: Client, filters: ListFilters, q: string, call: Call): Promise<string[]> {
  const words = q.split(/\s+/).slice(0, wordsMax)
  const hasParts = words.some((word) => word.length >= partLength)
  const patterns = words.map((word) => `${hasParts ? '%' : ''}${escaped(word.toLowerCase())}%`)
  const subject = () => patterns.map((one) => `lower(ticket.subject) LIKE ${filters.add(one, 'text')}`).join(' AND ')
  const clients = await findClients(client, words, patterns, call)
  const number = parseId(q.replace(/^[#№]\s*/, ''))
  return [
    ...(number === null ? [] : [`ticket.id = ${filters.add(number, 'int8')}`]),
    ...(hasParts ? [subject()] : []),
    `ticket.abonent_id = ANY(${filters.add(clients, 'int8[]')})`,
  ]
}

/** Found once for a page, because another look may find others of very many. */
async function findClients(client: Client, words: readonly string[], patterns: readonly string[], call: Call) {
  const sought = new Parameters()
  const hasParts = patterns.some((pattern) => pattern.startsWith('%'))
  const name = patterns.map((one, at) => {
    const pattern = sought.add(one, 'text')
    const contract = hasParts
      ? `lower(who.contract_number) LIKE ${pattern}`
      : `who.contract_number = ${sought.add(words[at]!, 'text')}`
    return `(lower(who.name) LIKE ${pattern} OR ${contract})`
  })
  const { rows } = await client.query<{ id: string }>(
    `SELECT who.id FROM abonents AS who WHERE ${name.join(' AND ')}
      AND ${visibleSql('who.organization_id', sought.place(visibleTo(call)))} LIMIT ${clientsMax}`,
    sought.values as unknown[],
  )
  return rows.map(({ id: found }) => found)
}

const { integer, text: words, moment, boolean } = schemas
const author = Type.Enum(['client', 'staff'])
const previewMax = 200

/** Of the subscriber of the ticket. */
const ofClient = (column: string) =>
  `(SELECT client.${column} FROM abonents AS client WHERE client.id = ticket.abonent_id)`

const shape = (staff: `$${number}`) =>
  shapeOf('ticket', {
    id: integer,
    subject: words,
    status: Type.Enum([...ticketStates]),
    create_date: moment,
    abonent_id: integer,
    name: [Type.String({ description: 'Of the subscriber' }), ofClient('name')],
    contract_number: [words, ofClient('contract_number')],
    address: [nullable(words), ofClient('address')],
    home_id: [nullable(integer), ofClient('home_id')],
    organization_id: [nullable(integer), ofClient('organization_id')],
    assignee_id: nullable(integer),
    assignee: [
      Type.With(nullable(words), { description: 'Whose of the staff it is; null: nobody’s' }),
      '(SELECT username FROM staff WHERE id = ticket.assignee_id)',
    ],
    last_author: Type.With(nullable(author), { description: 'Who wrote last; null: nobody has written a message' }),
    last_at: moment,
    last_text: [
      Type.String({ description: `The beginning of what was written last, at most ${previewMax} characters` }),
      `left(coalesce((SELECT body FROM hdsk_messages WHERE id = ticket.last_message_id), ticket.body), ${previewMax})`,
    ],
    notes: [
      Type.Integer({ description: 'Of the staff, which no client sees' }),
      '(SELECT count(*)::int4 FROM hdsk_notes WHERE hdsk_id = ticket.id)',
    ],
    unread: [
      Type.With(boolean, { description: 'It is not closed, and the caller has not read the client’s last word' }),
      // Null where nobody has written yet.
      `coalesce(${isUnreadSql(staff)}, false)`,
    ],
  })

const views = ['mine', 'open', 'all'] as const

const query = {
  show: { doc: 'Those of the caller or of everybody that are not closed; left out: all', schema: choice(views) },
  q: {
    doc: `The number, words of the subject, or of the subscriber’s name or contract; fewer than three characters begin a name. Of what more than ${clientsMax} subscribers have in common some are found, not all`,
    schema: text(200),
  },
  status: { doc: 'State', schema: choice(ticketStates) },
  assignee: {
    doc: 'Id of a staff user, or `nobody`',
    schema: field<number | 'nobody'>(words, 'be an id or nobody', (sent) =>
      sent === 'nobody' ? sent : parseId(String(sent)),
    ),
  },
  last: { doc: 'Whose the last word is', schema: choice(['client', 'staff']) },
  unread: { doc: 'Only those that the caller has not read', schema: flag },
  home: { doc: 'Id of a house, or of a street or city with all its houses', schema: id },
  organization: { doc: 'Id of the organization', schema: id },
  ...periodParameters,
  ...sortedParameters(['last', 'opened']),
} as const

const doc: RouteDoc = {
  tag: 'Tickets',
  summary: 'A page of the tickets, those with the latest word first',
  description: 'Sorted by the last word (`last`) or by when they were opened (`opened`).',
  query,
  answers: sortedAnswers(shape('$1')[0]),
}
