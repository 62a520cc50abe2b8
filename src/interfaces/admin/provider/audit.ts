import Type from 'typebox'
import { readId } from '../../../domain/ids.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import { personalFields } from '../../../domain/sorm.ts'
import { missingRight, type Right } from '../../../domain/staff-user.ts'
import type { Call, Route } from '../../../platform/http/call.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import type { Refused } from '../body.ts'
import { get } from '../doors.ts'
import { answerList, type FilteredList, type ListFilters, periodParameters } from '../list-filters.ts'
import { longPageAnswers, pageParameters } from '../paging.ts'
import { shapeOf } from '../shapes.ts'

/**
 * Who changed what (AUDIT_OPERATIONS). Staff of some organizations see the changes that concern those organizations;
 * the others are shown only to staff who see all organizations. What needs a right to be read needs it here too.
 */
export const auditRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/audit', doc, (call) =>
    answerList(scope, call, missingRight(call.staff, 'personal_data') ? masked : list),
  ),
]

const guardedTables: readonly (readonly [table: string, readonly Right[]])[] = [
  ['STAFF', recordRights.staff.read],
  ['STAFF_ROLES', recordRights.staff.read],
  ['API_TOKENS', recordRights.staff.read],
  ['SYSTEM_SETTINGS', recordRights.setting.read],
  ['NAS_TEMPLATES', recordRights.nasTemplate.read],
  ['FISCAL_CONFIGS', recordRights.fiscalConfig.read],
  ['WEBHOOK_ENDPOINTS', recordRights.webhook.read],
  ['PAYMENT_PROBLEMS', recordRights.paymentProblem.read],
  ['PAYMENT_REFUNDS', recordRights.paymentProblem.read],
  ['CASH_SHIFTS', recordRights.cashShift.read],
]

function narrow(filters: ListFilters, { staff }: Call): Refused | null {
  const hidden = guardedTables.filter(([, rights]) => missingRight(staff, rights)).map(([name]) => name)
  if (hidden.length > 0) filters.where(`NOT table_name = ANY(${filters.place(hidden)}::text[])`)
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
const personal = `ARRAY[${personalFields.map((name) => `'${name}'`).join(', ')}]`
const maskedDiff = `CASE WHEN ${row}.diff ?| ${personal} THEN
  (SELECT json_object_agg(name, CASE WHEN name = ANY(${personal}) THEN '["***", "***"]' ELSE value END)
    FROM jsonb_each(${row}.diff) AS field (name, value)) ELSE ${row}.diff::json END`
const shape = (diff: string) =>
  shapeOf(row, {
    id: schemas.integer,
    at: schemas.moment,
    user: [nullable(schemas.text), 'user_name'],
    address: nullable(schemas.text),
    table_name: schemas.text,
    object_id: schemas.text,
    action: schemas.text,
    diff: [
      Type.Unknown({
        description:
          'The old and the new value of each field. Secrets are shown as ***, and so are personal documents to who lacks the right personal_data',
      }),
      diff,
    ],
  })
const [schema, item] = shape('diff')

const list: FilteredList = {
  item,
  row,
  table: row,
  order: `${row}.at DESC, ${row}.id DESC`,
  organization: 'organization_id',
  isStrict: true,
  narrow,
}

/** The list for who may not see personal documents. */
const masked: FilteredList = { ...list, item: shape(maskedDiff)[1] }

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
  answers: longPageAnswers(schema),
}
