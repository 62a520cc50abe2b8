import type { Call, Reply, Route } from '../../http/call.ts'
import { refusal } from '../../http/errors.ts'
import { json } from '../../http/reply.ts'
import { listSchema, nullableSchema, objectSchema, okSchema, type RouteDoc, schemas } from '../../http/route-doc.ts'
import { readDate, readMoment } from '../rest-v2/moments.ts'
import { reading, type Seat } from '../rest-v2/session.ts'
import { errorSchema } from './dictionaries/docs.ts'
import { pageParameters, readPage } from './paging.ts'
import { readId, sightOf } from './scope.ts'

const perPageUsual = 50

/** Who changed what (AUDIT_OPERATIONS). Staff of some organizations see what concerns those; the rest is for who sees all. */
export const auditRoutes = (seat: Seat): Route[] => [
  { method: 'GET', path: '/admin/audit', door: 'admin', doc, handler: (call) => list(seat, call) },
]

async function list(seat: Seat, call: Call): Promise<Reply> {
  const paging = readPage(call.query, perPageUsual)
  if ('refused' in paging) return paging.refused
  const { page, perPage } = paging
  const filters = readFilters(call.query)
  if ('wrong' in filters) return refusal('admin', 400, filters.wrong)
  const { conditions, values } = filters
  const at = (value: unknown) => `$${values.push(value)}`
  const sight = at(sightOf(call))
  conditions.push(`(${sight}::int8[] IS NULL OR organization_id = ANY(${sight}::int8[]))`)
  const where = conditions.join(' AND ')
  return await reading(seat, async (client) => {
    const { rows: counts } = await client.query<{ total: number }>(
      `SELECT count(*)::int4 AS total FROM audit_operations WHERE ${where}`,
      values,
    )
    const total = counts[0]!.total
    const { rows } = await client.query<{ item: unknown }>(
      `SELECT json_build_object('id', id, 'at', at, 'user', user_name, 'address', address, 'table_name', table_name,
          'object_id', object_id, 'action', action, 'diff', diff) AS item
        FROM audit_operations WHERE ${where} ORDER BY at DESC, id DESC LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`,
      values,
    )
    return json({ ok: true, items: rows.map(({ item }) => item), total, has_more: page * perPage < total })
  })
}

type Filters = { conditions: string[]; values: unknown[] }

/** Empty parameters are left out, as forms send them. */
function readFilters(query: URLSearchParams): Filters | { wrong: string } {
  const conditions: string[] = []
  const values: unknown[] = []
  const at = (value: unknown) => `$${values.push(value)}`
  const sent = (name: string) => query.get(name)?.trim() ?? ''

  if (sent('table_name')) conditions.push(`table_name = ${at(sent('table_name').toUpperCase())}`)
  if (sent('object_id')) conditions.push(`object_id = ${at(sent('object_id'))}`)
  const user = sent('user')
  if (user) {
    const id = readId(user)
    conditions.push(`(user_name = ${at(user)}${id === null ? '' : ` OR user_id = ${at(id)}`})`)
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
    if (name === 'date_to' && readDate(text)) conditions.push(`at < ${at(text)}::date + interval '1 day'`)
    else conditions.push(`at ${sign} ${at(moment)}::timestamptz`)
  }
  return { conditions: conditions.length > 0 ? conditions : ['true'], values }
}

const doc: RouteDoc = {
  tag: 'Audit',
  summary: 'Who changed what, the newest first',
  query: {
    table_name: { doc: 'As FIN_TYPES or ADMIN_ACCOUNTS, in any case' },
    object_id: { doc: 'The record' },
    user: { doc: 'Name or id of the staff user' },
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
            user: nullableSchema(schemas.text),
            address: nullableSchema(schemas.text),
            table_name: schemas.text,
            object_id: schemas.text,
            action: schemas.text,
            diff: { description: 'By field what was and what is; of secrets only ***' },
          }),
        ),
        total: schemas.integer,
        has_more: schemas.boolean,
      }),
    },
    400: { doc: 'A filter cannot be read', schema: errorSchema },
  },
}
