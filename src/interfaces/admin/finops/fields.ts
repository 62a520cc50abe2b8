import Type from 'typebox'
import { readSignedId } from '../../../domain/ids.ts'
import { readMoment } from '../../../domain/iso-dates.ts'
import { parseRubles } from '../../../domain/money.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { snapshotColumns } from '../../../platform/storage/entities/finance-operation.ts'
import type { Field, Relation } from '../provider/dictionaries/description.ts'
import { type FieldKind, flag, note, relation, words } from '../provider/dictionaries/kinds.ts'

/** The fields of finops_crud (contract section 5). A relation may be named with and without `_id`. */

const everybody = (parameter: `$${number}`): string => `(${parameter}::int8[] IS NULL OR true)`
const ofOrganization = (parameter: `$${number}`): string => visibleSql('row.organization_id', parameter)

const aType: Relation = { from: '(SELECT type_id AS id FROM fin_types)', visible: everybody }
const aService: Relation = { from: 'uslugas', visible: everybody }
const anOperation: Relation = {
  from: '(SELECT op_id AS id, organization_id FROM finance_operations)',
  visible: ofOrganization,
}

/** Subscribers and accounts are found by checks of their own, whose refusals have other statuses. */
const checkedApart: Relation = { from: 'nowhere', visible: everybody }

/** Services the specification fixes have negative ids. */
const signedId: FieldKind = {
  ...relation,
  read: readSignedId,
}

const amountKind: FieldKind = {
  must: 'be an amount in rubles with at most two decimal places',
  read: parseRubles,
  schema: Type.Union([schemas.rubles, schemas.number]),
  cast: 'int8',
}

const momentKind: FieldKind = {
  must: 'be an ISO 8601 date or datetime',
  read: (input) => (typeof input === 'string' ? readMoment(input.trim()) : null),
  schema: schemas.moment,
  cast: 'text',
}

/** What describes an operation and can be changed later. */
export const descriptiveFields: readonly Field[] = [
  { name: 'op_date', kind: momentKind, isNullable: true, doc: 'When the money moved; left out: now' },
  { name: 'descr', kind: note, isNullable: true, doc: 'Text; the mark [txn:<ID>] makes it be taken once' },
  { name: 'number', kind: words(100), isNullable: true, doc: 'Number of the document' },
  { name: 'usluga', kind: signedId, refersTo: aService, isNullable: true, doc: 'Service' },
  { name: 'fin_op', kind: relation, refersTo: anOperation, isNullable: true, doc: 'Parent operation, an invoice' },
  { name: 'credit_type', kind: relation, refersTo: aType, isNullable: true, doc: 'Paid by' },
  { name: 'operator', kind: relation, refersTo: checkedApart, isNullable: true, doc: 'Carrier to bill: a subscriber' },
  { name: 'admin_comment', kind: note, isNullable: true, doc: 'Invisible to the client' },
  { name: 'code1c', kind: words(32), isNullable: true, doc: 'Document of the accounting system' },
  { name: 'isbuhdoc', kind: flag, doc: 'False: stays out of reports' },
  { name: 'is_cash', kind: flag, doc: 'Paid through the web cash register' },
  {
    name: 'operator_pay_id_str',
    kind: words(100),
    isNullable: true,
    doc: 'Transaction at the payment operator; taken once per operator_name',
  },
  { name: 'operator_name', kind: words(100), isNullable: true, doc: 'Payment operator' },
  {
    name: 'abonent',
    kind: relation,
    refersTo: checkedApart,
    isNullable: true,
    doc: 'Subscriber; of an operation that exists one of its account',
  },
]

/** What only a new operation takes. */
export const movingFields: readonly Field[] = [
  {
    name: 'account',
    kind: relation,
    refersTo: checkedApart,
    isNullable: true,
    doc: 'Personal account; left out: that of the subscriber',
  },
  { name: 'op_type', kind: relation, refersTo: aType, isRequired: true, doc: 'Type; it gives the sign' },
  { name: 'amount', kind: amountKind, isNullable: true, doc: 'Rubles; nothing for an informational type' },
  { name: 'txn', kind: words(100), isNullable: true, doc: 'Transaction, taken once in all accounts' },
]

/** The relations that are checked as every other relation is: 400 for one that is missing or foreign. */
export const plainRelations = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ refersTo }) => refersTo !== checkedApart)

/** Money, whose it is, and the account just before: never changed after the operation was made (specification 2.4). */
export const fixedFields = [
  'amount',
  'op_summa',
  'account',
  'account_id',
  'op_type',
  'op_type_id',
  ...snapshotColumns,
] as const
