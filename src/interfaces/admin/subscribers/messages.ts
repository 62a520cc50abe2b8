import Type from 'typebox'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { choice, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import type { Refused } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { answerList, type FilteredList, type ListFilters, periodParameters } from '../list-filters.ts'
import { pageAnswers, pageParameters } from '../paging.ts'
import { shapeOf } from '../shapes.ts'

export type MessageParts = TransactionScope & {
  /** Delivers messages to clients. */
  readonly messages: { retry(id: number): Promise<'waiting' | 'sent' | 'missing'> }
}

const states = ['waiting', 'sent', 'failed'] as const
const channels = ['push', 'sms', 'email'] as const

/** Messages to clients, both those that were sent and those that are waiting (specification 6). */
export const messageRoutes = (parts: MessageParts): Route[] => [
  get('/admin/messages', docs.list, (call) => answerList(parts, call, list)),
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

function narrow(filters: ListFilters): Refused | null {
  const read = filters.read(docs.list.query, ['abonent_id', 'account_id', 'state', 'channel'])
  if ('refused' in read) return read
  for (const [name, value] of Object.entries(read.values))
    filters.where(`message.${name === 'abonent_id' ? 'subscriber_id' : name} = ${filters.place(value)}`)
  return filters.wherePeriod('created_at')
}

const row = 'message'
const [schema, item] = shapeOf(row, {
  id: schemas.integer,
  at: [schemas.moment, 'created_at'],
  abonent_id: [nullable(schemas.integer), 'subscriber_id'],
  account_id: nullable(schemas.integer),
  kind: schemas.text,
  channel: Type.With(nullable(schemas.text), { description: 'null while the client cannot be reached' }),
  address: Type.With(nullable(schemas.text), { description: 'Phone or mailbox; of a push the platform' }),
  text: schemas.text,
  state: Type.Enum([...states]),
  attempts: schemas.integer,
  error: Type.With(nullable(schemas.text), { description: 'Of the last attempt, or why there was none' }),
  next_try_at: nullable(schemas.moment),
  sent_at: nullable(schemas.moment),
})

const list: FilteredList = {
  item,
  row,
  table: 'notifications',
  order: 'message.id DESC',
  organization: 'abonent.organization_id',
  organizationJoin: 'LEFT JOIN abonents AS abonent ON abonent.id = message.subscriber_id',
  narrow,
}

const docs = {
  list: {
    tag: 'Messages',
    summary: 'Messages to clients by SMS, push and e-mail, sent and waiting; the newest first',
    query: {
      abonent_id: { doc: 'The subscriber', schema: id },
      account_id: { doc: 'The account', schema: id },
      state: { doc: 'waiting, sent or failed', schema: choice(states, `be ${states.join(', ')}`) },
      channel: { doc: 'push, sms or email', schema: choice(channels, `be ${channels.join(', ')}`) },
      ...periodParameters,
      ...pageParameters,
    },
    answers: pageAnswers(schema),
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
