import Type from 'typebox'
import { readId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { ListFilters, periodParameters, readListed } from '../list-filters.ts'
import { pageParameters, readPage } from '../paging.ts'

export type MessageParts = TransactionScope & {
  /** Who delivers messages to clients. */
  readonly messages: { retry(id: number): Promise<'waiting' | 'sent' | 'missing'> }
}

const perPageUsual = 50
const states = ['waiting', 'sent', 'failed'] as const
const channels = ['push', 'sms', 'email'] as const

/** Messages to clients, both those that were sent and those that are waiting (specification 6). */
export const messageRoutes = (parts: MessageParts): Route[] => [
  {
    method: 'GET',
    path: '/admin/messages',
    door: 'admin',
    right: 'view',
    doc: docs.list,
    handler: (call) => list(parts, call),
  },
  {
    method: 'POST',
    path: '/admin/messages/:id/retry',
    door: 'admin',
    right: 'change',
    doc: docs.retry,
    handler: (call) => retry(parts, call),
  },
]

async function list(parts: MessageParts, call: Call): Promise<Reply> {
  const paging = readPage(call.query, perPageUsual)
  if ('refused' in paging) return paging.refused
  const filters = new ListFilters(call.query)
  const wrong = narrow(filters)
  if (wrong !== null) return refusal('admin', 400, wrong)
  filters.add(visibleSql('abonent.organization_id', filters.at(visibleTo(call))))
  const { where, values } = filters
  const from = `notifications AS message LEFT JOIN abonents AS abonent ON abonent.id = message.subscriber_id WHERE ${where}`
  return await reading(parts, async (client) => {
    const listed = await readListed(client, { item, from, order: 'message.id DESC', values }, paging)
    return json({ ok: true, ...listed })
  })
}

const item = `json_build_object('id', message.id, 'at', created_at, 'abonent_id', subscriber_id, 'account_id', message.account_id,
  'kind', kind, 'channel', channel, 'address', message.address, 'text', text, 'state', state, 'attempts', attempts,
  'error', error, 'next_try_at', next_try_at, 'sent_at', sent_at)`

/** From the beginning, with the addresses the client has today. */
async function retry({ database, messages }: MessageParts, call: Call): Promise<Reply> {
  const id = await findVisible(database.pool, 'message', call.params.id, visibleTo(call))
  const state = id === null ? 'missing' : await messages.retry(id)
  if (state === 'missing') return notFoundReply()
  if (state === 'sent') return refusal('admin', 400, 'This message has been sent; it is not sent twice.')
  return json({ ok: true, state })
}

/** What is wrong with the filters, or null. */
function narrow(filters: ListFilters): string | null {
  for (const [name, column] of [
    ['abonent_id', 'subscriber_id'],
    ['account_id', 'message.account_id'],
  ] as const) {
    const sent = filters.sent(name)
    if (!sent) continue
    const id = readId(sent)
    if (id === null) return `${name}: It must be an id.`
    filters.add(`${column} = ${filters.at(id)}`)
  }
  for (const [name, choices] of [
    ['state', states],
    ['channel', channels],
  ] as const) {
    const word = filters.sent(name)
    if (!word) continue
    if (!choices.some((one) => one === word)) return `${name}: It must be ${choices.join(', ')}.`
    filters.add(`message.${name} = ${filters.at(word)}`)
  }
  return filters.addPeriod('created_at')
}

const docs = {
  list: {
    tag: 'Messages',
    summary: 'What clients were told by SMS, push and e-mail, and what waits; the newest first',
    query: {
      abonent_id: { doc: 'The subscriber', schema: schemas.integer },
      account_id: { doc: 'The account', schema: schemas.integer },
      state: { doc: 'waiting, sent or failed', schema: Type.Enum([...states]) },
      channel: { doc: 'push, sms or email', schema: Type.Enum([...channels]) },
      ...periodParameters,
      ...pageParameters,
    },
    answers: {
      200: {
        doc: 'One page',
        schema: okObject({
          items: Type.Array(
            Type.Object({
              id: schemas.integer,
              at: schemas.moment,
              abonent_id: nullable(schemas.integer),
              account_id: nullable(schemas.integer),
              kind: schemas.text,
              channel: Type.With(nullable(schemas.text), { description: 'null while no way fits' }),
              address: Type.With(nullable(schemas.text), { description: 'Phone or mailbox; of a push the platform' }),
              text: schemas.text,
              state: Type.Enum([...states]),
              attempts: schemas.integer,
              error: Type.With(nullable(schemas.text), { description: 'Of the last attempt, or why there was none' }),
              next_try_at: nullable(schemas.moment),
              sent_at: nullable(schemas.moment),
            }),
          ),
          total: schemas.integer,
          has_more: schemas.boolean,
        }),
      },
      400: { doc: 'A filter cannot be read', schema: errorSchema },
    },
  },
  retry: {
    tag: 'Messages',
    summary: 'Try a message at once and from the beginning, with the addresses the client has today',
    answers: {
      200: { doc: 'It is on its way', schema: okObject({ state: Type.Literal('waiting') }) },
      400: { doc: 'It has been sent', schema: errorSchema },
      404: { doc: 'There is no such message, or it is of another organization', schema: errorSchema },
    },
  },
} as const satisfies Record<string, RouteDoc>
