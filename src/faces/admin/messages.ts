import type { Call, Reply, Route } from '../../http/call.ts'
import { refusal } from '../../http/errors.ts'
import { json } from '../../http/reply.ts'
import { listSchema, nullableSchema, objectSchema, okSchema, type RouteDoc, schemas } from '../../http/route-doc.ts'
import { inSight } from '../../storage/sight.ts'
import { readDate, readMoment } from '../rest-v2/moments.ts'
import { reading, type Seat } from '../rest-v2/session.ts'
import { errorSchema } from './dictionaries/docs.ts'
import { pageParameters, readPage } from './paging.ts'
import { findInSight, missing, readId, sightOf } from './scope.ts'

export type MessageParts = Seat & {
  /** Who delivers messages to clients. */
  readonly messages: { retry(id: number): Promise<'waiting' | 'sent' | 'missing'> }
}

const perPageUsual = 50
const states = ['waiting', 'sent', 'failed'] as const
const channels = ['push', 'sms', 'email'] as const

/** What clients were told, and what still waits to be (specification 6). */
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
  const { page, perPage } = paging
  const filters = readFilters(call.query)
  if ('wrong' in filters) return refusal('admin', 400, filters.wrong)
  const { conditions, values } = filters
  const sight = inSight('abonent.organization_id', `$${values.push(sightOf(call))}`)
  const from = `notifications AS message LEFT JOIN abonents AS abonent ON abonent.id = message.subscriber_id
    WHERE ${[...conditions, sight].join(' AND ')}`
  return await reading(parts, async (client) => {
    const { rows: counts } = await client.query<{ total: number }>(
      `SELECT count(*)::int4 AS total FROM ${from}`,
      values,
    )
    const total = counts[0]!.total
    const { rows } = await client.query<{ item: unknown }>(
      `SELECT json_build_object('id', message.id, 'at', created_at, 'abonent_id', subscriber_id, 'account_id', message.account_id,
          'kind', kind, 'channel', channel, 'address', message.address, 'text', text, 'state', state, 'attempts', attempts,
          'error', error, 'next_try_at', next_try_at, 'sent_at', sent_at) AS item
        FROM ${from} ORDER BY message.id DESC LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`,
      values,
    )
    return json({ ok: true, items: rows.map(({ item }) => item), total, has_more: page * perPage < total })
  })
}

/** From the beginning, with the addresses the client has today. */
async function retry({ database, messages }: MessageParts, call: Call): Promise<Reply> {
  const id = await findInSight(database.pool, 'message', call.params.id, sightOf(call))
  const state = id === null ? 'missing' : await messages.retry(id)
  if (state === 'missing') return missing()
  if (state === 'sent') return refusal('admin', 400, 'This message has been sent; it is not sent twice.')
  return json({ ok: true, state })
}

type Filters = { conditions: string[]; values: unknown[] }

/** Empty parameters are left out, as forms send them. */
function readFilters(query: URLSearchParams): Filters | { wrong: string } {
  const conditions: string[] = []
  const values: unknown[] = []
  const at = (value: unknown) => `$${values.push(value)}`
  const sent = (name: string) => query.get(name)?.trim() ?? ''

  for (const [name, column] of [
    ['abonent_id', 'subscriber_id'],
    ['account_id', 'message.account_id'],
  ] as const) {
    if (!sent(name)) continue
    const id = readId(sent(name))
    if (id === null) return { wrong: `${name}: It must be an id.` }
    conditions.push(`${column} = ${at(id)}`)
  }
  for (const [name, choices] of [
    ['state', states],
    ['channel', channels],
  ] as const) {
    const word = sent(name)
    if (!word) continue
    if (!choices.some((one) => one === word)) return { wrong: `${name}: It must be ${choices.join(', ')}.` }
    conditions.push(`message.${name} = ${at(word)}`)
  }
  for (const [name, sign] of [
    ['date_from', '>='],
    ['date_to', '<='],
  ] as const) {
    const text = sent(name)
    if (!text) continue
    const moment = readMoment(text)
    if (moment === null) return { wrong: `${name}: It must be an ISO 8601 date or datetime.` }
    // A bare date_to is the end of that day.
    if (name === 'date_to' && readDate(text)) conditions.push(`created_at < ${at(text)}::date + interval '1 day'`)
    else conditions.push(`created_at ${sign} ${at(moment)}::timestamptz`)
  }
  return { conditions, values }
}

const docs = {
  list: {
    tag: 'Messages',
    summary: 'What clients were told by SMS, push and e-mail, and what waits; the newest first',
    query: {
      abonent_id: { doc: 'The subscriber', schema: schemas.integer },
      account_id: { doc: 'The account', schema: schemas.integer },
      state: { doc: 'waiting, sent or failed', schema: { enum: [...states] } },
      channel: { doc: 'push, sms or email', schema: { enum: [...channels] } },
      date_from: { doc: 'A date or a datetime' },
      date_to: { doc: 'A datetime, or a date with all of its day' },
      ...pageParameters,
    },
    answers: {
      200: {
        doc: 'One page',
        schema: okSchema({
          items: listSchema(
            objectSchema({
              id: schemas.integer,
              at: schemas.moment,
              abonent_id: nullableSchema(schemas.integer),
              account_id: nullableSchema(schemas.integer),
              kind: schemas.text,
              channel: { ...nullableSchema(schemas.text), description: 'null while no way fits' },
              address: { ...nullableSchema(schemas.text), description: 'Phone or mailbox; of a push the platform' },
              text: schemas.text,
              state: { enum: [...states] },
              attempts: schemas.integer,
              error: { ...nullableSchema(schemas.text), description: 'Of the last attempt, or why there was none' },
              next_try_at: nullableSchema(schemas.moment),
              sent_at: nullableSchema(schemas.moment),
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
      200: { doc: 'It is on its way', schema: okSchema({ state: { const: 'waiting' } }) },
      400: { doc: 'It has been sent', schema: errorSchema },
      404: { doc: 'There is no such message, or it is of another organization', schema: errorSchema },
    },
  },
} as const satisfies Record<string, RouteDoc>
