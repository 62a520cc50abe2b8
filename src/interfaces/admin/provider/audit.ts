import Type from 'typebox'
import { readId } from '../../../domain/ids.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, okObject, schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { ListFilters, periodParameters, readListed } from '../list-filters.ts'
import { pageParameters, readPage } from '../paging.ts'

const perPageUsual = 50

/**
 * Who changed what (AUDIT_OPERATIONS). Staff of some organizations see what concerns those; the rest is for who sees
 * all.
 */
export const auditRoutes = (scope: TransactionScope): Route[] => [
  { method: 'GET', path: '/admin/audit', door: 'admin', doc, handler: (call) => list(scope, call) },
]

async function list(scope: TransactionScope, call: Call): Promise<Reply> {
  const paging = readPage(call.query, perPageUsual)
  if ('refused' in paging) return paging.refused
  const filters = new ListFilters(call.query)
  const wrong = narrow(filters)
  if (wrong !== null) return refusal('admin', 400, wrong)
  filters.add(visibleSql('organization_id', filters.at(visibleTo(call))))
  const { where, values } = filters
  const from = `audit_operations WHERE ${where}`
  return await reading(scope, async (client) => {
    const listed = await readListed(client, { item, from, order: 'at DESC, id DESC', values }, paging)
    return json({ ok: true, ...listed })
  })
}

const item = `json_build_object('id', id, 'at', at, 'user', user_name, 'address', address, 'table_name', table_name,
  'object_id', object_id, 'action', action, 'diff', diff)`

/** What is wrong with the filters, or null. */
function narrow(filters: ListFilters): string | null {
  const table = filters.sent('table_name')
  if (table) filters.add(`table_name = ${filters.at(table.toUpperCase())}`)
  const object = filters.sent('object_id')
  if (object) filters.add(`object_id = ${filters.at(object)}`)
  const user = filters.sent('user')
  if (user) {
    const id = readId(user)
    filters.add(`(user_name = ${filters.at(user)}${id === null ? '' : ` OR user_id = ${filters.at(id)}`})`)
  }
  return filters.addPeriod('at')
}

const doc: RouteDoc = {
  tag: 'Audit',
  summary: 'Who changed what, the newest first',
  query: {
    table_name: { doc: 'As FIN_TYPES or ADMIN_ACCOUNTS, in any case' },
    object_id: { doc: 'The record' },
    user: { doc: 'Name or id of the staff user' },
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
            user: nullable(schemas.text),
            address: nullable(schemas.text),
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
