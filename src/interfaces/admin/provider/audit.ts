import Type from 'typebox'
import { readId } from '../../../domain/ids.ts'
import type { Route } from '../../../platform/http/call.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import type { Refused } from '../body.ts'
import { get } from '../doors.ts'
import { answerList, type FilteredList, type ListFilters, periodParameters } from '../list-filters.ts'
import { pageAnswers, pageParameters } from '../paging.ts'
import { shapeOf } from '../shapes.ts'

/**
 * Who changed what (AUDIT_OPERATIONS). Staff of some organizations see the changes that concern those organizations;
 * the others are shown only to staff who see all organizations.
 */
export const auditRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/audit', doc, (call) => answerList(scope, call, list)),
]

function narrow(filters: ListFilters): Refused | null {
  const table = filters.sent('table_name')
  if (table) filters.where(`table_name = ${filters.place(table.toUpperCase())}`)
  const object = filters.sent('object_id')
  if (object) filters.where(`object_id = ${filters.place(object)}`)
  const user = filters.sent('user')
  if (user) {
    const id = readId(user)
    filters.where(`(user_name = ${filters.place(user)}${id === null ? '' : ` OR user_id = ${filters.place(id)}`})`)
  }
  return filters.wherePeriod('at')
}

const row = 'audit_operations'
const [schema, item] = shapeOf(row, {
  id: schemas.integer,
  at: schemas.moment,
  user: [nullable(schemas.text), 'user_name'],
  address: nullable(schemas.text),
  table_name: schemas.text,
  object_id: schemas.text,
  action: schemas.text,
  diff: Type.Unknown({ description: 'The old and the new value of each field; secrets are shown as ***' }),
})

const list: FilteredList = {
  item,
  row,
  table: row,
  from: row,
  order: `${row}.at DESC, ${row}.id DESC`,
  organization: 'organization_id',
  narrow,
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
  answers: pageAnswers(schema),
}
