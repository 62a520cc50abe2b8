import Type from 'typebox'
import { type Fault, faultCodes, faultsOf, isFaultSql } from '../../../billing/messages/faults.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { choice, id, text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import type { Refused } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { answerList, type FilteredList, ListFilters, periodParameters } from '../list-filters.ts'
import { pageParameters } from '../paging.ts'
import { shapeOf } from '../shapes.ts'
import { searchSql } from '../subscribers/list-filters.ts'
import { type SortedList, sortedPage, sortedParameters } from '../sorted-lists.ts'
import { faultSchema } from './fault-schema.ts'

export type MessageParts = TransactionScope & {
  /** Delivers messages to clients. */
  readonly messages: { retry(id: number): Promise<'waiting' | 'sent' | 'missing'> }
}

const states = ['waiting', 'sent', 'failed'] as const
const channels = ['push', 'sms', 'email'] as const

/** Messages to clients, both those that were sent and those that are waiting (specification 6). */
export const messageRoutes = (parts: MessageParts): Route[] => [
  get('/admin/messages', docs.list, (call) => listMessages(parts, call)),
  post('/admin/messages/:id/retry', docs.retry, (call) => retry(parts, call)),
]

/** Starts from the beginning, with the current addresses of the client. */
async function retry({ database, messages }: MessageParts, call: Call): Promise<Reply> {
  const id = await findVisible(database.pool, 'message', call.params.id, visibleTo(call))
  const state = id === null ? 'missing' : await messages.retry(id)
  if (state === 'missing') return notFoundReply()
  if (state === 'sent') return refusal('admin', 400, 'This message has been sent; it is not sent twice.')
  return json({ ok: true, state })
}

/** By pages with numbers, or where `limit`, `sort` or `cursor` asks so by cursor, which a long list needs. */
async function listMessages(parts: MessageParts, call: Call): Promise<Reply> {
  if (!['limit', 'sort', 'cursor'].some((name) => call.query.has(name))) return answerList(parts, call, list)
  const filters = new ListFilters(call.query)
  const read = filters.read(sortedParameters(['id']))
  if ('refused' in read) return read.refused
  const wrong = narrow(filters, call)
  if (wrong) return wrong.refused
  filters.whereVisible('abonent.organization_id', visibleTo(call))
  const { sort = '-id', limit, cursor } = read.values
  return reading(parts, async (client) => {
    const { items, ...page } = await sortedPage<Item>(client, sorted, filters, { sort, limit, cursor })
    return json({ ok: true, items: items.map(withFaults), ...page })
  })
}

/** So many subscribers are looked for by a word. */
const subscribersMax = 1_000

function narrow(filters: ListFilters, call: Call): Refused | null {
  const read = filters.read(filterParameters)
  if ('refused' in read) return read
  const { abonent_id, account_id, mailing, state, channel, kind, reason, q } = read.values
  const equal = { subscriber_id: abonent_id, account_id, mailing_id: mailing, state, channel, kind }
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) filters.where(`message.${column} = ${filters.place(value)}`)
  // Each of the two states has an index of its own, and most messages are in neither.
  if (reason !== undefined)
    filters.where(`(message.state = 'failed' OR message.state = 'waiting') AND ${isFaultSql('message.error', reason)}`)
  if (q !== undefined && q !== '')
    filters.where(`message.subscriber_id = ANY(ARRAY(SELECT client.id FROM abonents AS client
      WHERE ${searchSql(filters, q)} LIMIT ${subscribersMax}))`)
  // A test of a mailing is to nobody's client, and may tell of one of any organization.
  if (visibleTo(call) !== null) filters.where('message.subscriber_id IS NOT NULL')
  return filters.wherePeriod('message.created_at')
}

const row = 'message'
const [schema, item] = shapeOf(row, {
  id: schemas.integer,
  at: [schemas.moment, 'created_at'],
  abonent_id: [nullable(schemas.integer), 'subscriber_id'],
  abonent_name: [nullable(schemas.text), '(SELECT name FROM abonents WHERE id = message.subscriber_id)'],
  account_id: nullable(schemas.integer),
  mailing_id: nullable(schemas.integer),
  kind: schemas.text,
  channel: Type.With(nullable(schemas.text), { description: 'null while the client cannot be reached' }),
  address: Type.With(nullable(schemas.text), { description: 'Phone or mailbox; of a push the platform' }),
  text: schemas.text,
  state: Type.Enum([...states]),
  attempts: schemas.integer,
  error: Type.With(nullable(schemas.text), { description: 'Of the last attempt, or why there was none' }),
  next_try_at: nullable(schemas.moment),
  expires_at: Type.With(schemas.moment, { description: 'Until then it waits, for an address or a provider too' }),
  sent_at: nullable(schemas.moment),
})

type Item = { readonly error: string | null }

const withFaults = (message: Item): Item & { readonly faults: readonly Fault[] } => ({
  ...message,
  faults: faultsOf(message.error),
})

const abonentJoin = 'LEFT JOIN abonents AS abonent ON abonent.id = message.subscriber_id'

const list: FilteredList = {
  item,
  row,
  table: 'notifications',
  order: 'message.id DESC',
  organization: 'abonent.organization_id',
  organizationJoin: abonentJoin,
  narrow,
  shown: (found) => withFaults(found as Item),
}

const sorted: SortedList = {
  table: 'notifications',
  row,
  joins: abonentJoin,
  item: () => item,
  sorts: { id: ['message.id', 'int8'] },
}

const filterParameters = {
  abonent_id: { doc: 'The subscriber', schema: id },
  account_id: { doc: 'The account', schema: id },
  mailing: { doc: 'The mailing', schema: id },
  state: { doc: 'waiting, sent or failed', schema: choice(states, `be ${states.join(', ')}`) },
  channel: { doc: 'push, sms or email', schema: choice(channels, `be ${channels.join(', ')}`) },
  kind: { doc: 'What it is about: the name of its template, mailing or mailing_test', schema: text(100) },
  reason: { doc: 'Why it was not sent', schema: choice(faultCodes) },
  q: { doc: 'The subscriber, by words as the list of subscribers takes them', schema: text(200) },
} as const

const { sort, limit, cursor } = sortedParameters(['id'])

const docs = {
  list: {
    tag: 'Messages',
    summary: 'Messages to clients by SMS, push and e-mail, sent and waiting; the newest first',
    description: 'With `limit`, `sort` or `cursor` the next page follows by `next_cursor`; else pages have numbers.',
    query: { ...filterParameters, ...periodParameters, ...pageParameters, sort, limit, cursor },
    answers: answers(
      'One page',
      {
        items: Type.Array(
          Type.Object({
            ...schema.properties,
            faults: Type.With(Type.Array(faultSchema), { description: 'What `error` says, by code' }),
          }),
        ),
        total: Type.Optional(schemas.integer),
        has_more: Type.Optional(schemas.boolean),
        next_cursor: Type.Optional(nullable(schemas.text)),
        has_more_than_total: Type.Optional(schemas.boolean),
      },
      { 400: 'A parameter is wrong' },
    ),
  },
  retry: {
    tag: 'Messages',
    summary: 'Try a message again at once, with the current addresses of the client',
    answers: answers(
      'It is on its way',
      { state: Type.Literal('waiting') },
      { 400: 'It has been sent', 404: 'There is no such message, or it is of another organization' },
    ),
  },
} as const satisfies Record<string, RouteDoc>
