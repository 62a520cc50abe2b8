import Type from 'typebox'
import type { CoaResult } from '../../../domain/events.ts'
import { answerInWords } from '../../../network/radius/coa/error-cause-words.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, id } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { cursor } from '../cursors.ts'
import { answers, get } from '../doors.ts'
import { ListFilters, periodOf } from '../list-filters.ts'
import { atMost } from '../paging.ts'
import { walkList, whereAfter } from '../walked-lists.ts'

/** What NAS were asked by Disconnect and CoA, and what they answered (contract section 8). */
export const coaHistoryRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/radius/coa', doc, (call) => list(scope, call)),
]

const row = 'request'
const order = { row, order: ['sent_at', 'id'], descending: true } as const
const period = { from: 'from', to: 'to' } as const
const results = ['ack', 'nak', 'no_answer'] as const satisfies readonly CoaResult[]
const limitUsual = 50
const limitMax = 500

async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(parameters, ['abonent', 'nas', 'result', 'cursor', 'limit'])
  if ('refused' in read) return read.refused
  const { abonent, nas, result, cursor: after, limit = limitUsual } = read.values
  filters.where(`${row}.result IS NOT NULL`)
  if (abonent !== undefined) filters.where(`${row}.subscriber_id = ${filters.add(abonent, 'int8')}`)
  if (nas !== undefined) filters.where(`${row}.nas_id = ${filters.add(nas, 'int8')}`)
  if (after !== undefined) whereAfter(filters, order, after)
  const wrong = filters.wherePeriod(`${row}.sent_at`, period)
  if (wrong) return wrong.refused
  const { conditions: indexed, values } = filters
  const indexedValues = values.length
  const visible = visibleTo(call)
  const others = [
    ...(result === undefined ? [] : [`${row}.result = ${filters.place(result)}`]),
    // A login of no subscriber belongs to no organization.
    ...(visible === null
      ? []
      : [`client.id IS NOT NULL AND ${visibleSql('client.organization_id', filters.place(visible))}`]),
  ]
  return await reading(scope, async (connection) => {
    const walked = {
      ...order,
      table: 'coa_requests',
      indexed,
      indexedValues,
      others: others.length > 0 ? others.join(' AND ') : null,
      joins: `LEFT JOIN abonents AS client ON client.id = ${row}.subscriber_id LEFT JOIN nas ON nas.id = ${row}.nas_id`,
      items,
      limit: Math.min(limit, limitMax),
    }
    const { rows, next_cursor } = await walkList(connection, walked, values)
    return json({ ok: true, items: rows.map((one) => itemOf(one as unknown as Row)), next_cursor })
  })
}

const items = `${row}.id, ${row}.sent_at, ${row}.answered_at, ${row}.request, ${row}.login, ${row}.subscriber_id, client.name AS client_name,
  ${row}.nas_id, nas.name AS nas_name, ${row}.session_id, ${row}.attempts, ${row}.result, ${row}.error_cause`

type Row = Readonly<Record<'login' | 'request', string>> &
  Readonly<Record<'id' | 'nas_id', string>> &
  Readonly<Record<'subscriber_id' | 'client_name' | 'nas_name' | 'session_id', string | null>> & {
    readonly sent_at: Date
    readonly answered_at: Date | null
    readonly attempts: number
    readonly result: CoaResult
    readonly error_cause: number | null
  }

const idOf = (text: string | null): number | null => (text === null ? null : Number(text))

const itemOf = ({ id: number, sent_at, answered_at, attempts, result, error_cause, ...rest }: Row) => ({
  id: Number(number),
  at: sent_at,
  request: rest.request,
  login: rest.login,
  abonent_id: idOf(rest.subscriber_id),
  abonent_name: rest.client_name,
  nas_id: Number(rest.nas_id),
  nas_name: rest.nas_name,
  session_id: idOf(rest.session_id),
  result,
  error_cause,
  answer: answerInWords(result, error_cause, attempts),
  attempts,
  ms: answered_at && Math.round(answered_at.getTime() - sent_at.getTime()),
})

const itemSchema = Type.Object({
  id: schemas.integer,
  at: Type.With(schemas.moment, { description: 'When the first packet was sent' }),
  request: Type.Enum(['disconnect', 'coa']),
  login: schemas.text,
  abonent_id: nullable(schemas.integer),
  abonent_name: nullable(schemas.text),
  nas_id: schemas.integer,
  nas_name: Type.With(nullable(schemas.text), { description: 'Null: the record has been deleted' }),
  session_id: Type.With(nullable(schemas.integer), {
    description: 'The session that the NAS was thought to have; null: it was asked for the login, as every NAS is',
  }),
  result: Type.Enum([...results]),
  error_cause: Type.With(nullable(schemas.integer), { description: 'Error-Cause of a NAK (RFC 5176 section 3.6)' }),
  answer: Type.With(schemas.text, { description: 'The same in words' }),
  attempts: Type.Integer({ description: 'Packets sent' }),
  ms: Type.With(nullable(schemas.integer), { description: 'From the first packet to the answer; null: none came' }),
})

const parameters = {
  abonent: { doc: 'Subscriber', schema: id },
  nas: { doc: 'NAS', schema: id },
  result: { doc: 'What became of it', schema: choice(results) },
  ...periodOf(period),
  cursor: { doc: 'next_cursor of the answer before', schema: cursor },
  limit: atMost(limitMax),
}

const doc = {
  tag: 'Network',
  summary: 'What NAS were asked by Disconnect and CoA, and what they answered, the latest first',
  description:
    'Kept for 90 days. A page may have fewer items than `limit`, even none, while `next_cursor` says that there may be more: a search for what is rare ends after 5,000 rows.',
  query: parameters,
  answers: answers(
    'One page',
    { items: Type.Array(itemSchema), next_cursor: nullable(schemas.text) },
    { 400: 'A parameter is wrong' },
  ),
} satisfies RouteDoc
