import { boolean, datetime, relation, required, rubles } from '../../../platform/records/fields.ts'
import type { FieldSpec, Model } from '../../../platform/records/model.ts'
import { FinanceOperation } from '../../../platform/storage/entities/accounts.ts'
import { Usluga } from '../../../platform/storage/entities/services.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { dictionaryModel, empty, line, note, positive } from '../provider/dictionaries/fields.ts'
import { finTypes } from '../provider/dictionaries/plain-dictionaries.ts'

/** The fields of finops_crud (contract section 5). A relation may be named with and without `_id`. */

const types = () => finTypes.model
const services = dictionaryModel({ name: 'uslugas', doc: 'Services', entity: Usluga, fields: [] })

/** Subscribers and accounts are not looked up here: their own checks refuse with other statuses. */
const client = (name: string, doc: string): FieldSpec => relation(name, doc, null, { ...positive, ...empty })

/** What describes an operation and can be changed later. */
const descriptiveFields: readonly FieldSpec[] = [
  datetime('op_date', 'When the money moved; left out: now', { ...empty, nullable: true }),
  note('descr', 'Text; the mark [txn:<ID>] makes it be taken once'),
  line('number', 'Number of the document', 100, empty),
  // Services the specification fixes have negative ids.
  relation('usluga', 'Service', () => services, empty),
  relation('fin_op', 'Parent operation, an invoice', () => describedOperation, { ...positive, ...empty }),
  relation('credit_type', 'Paid by', types, { ...positive, ...empty }),
  client('operator', 'Carrier to bill: a subscriber'),
  note('admin_comment', 'Invisible to the client'),
  line('code1c', 'Document of the accounting system', 32, empty),
  boolean('isbuhdoc', 'False: stays out of reports'),
  boolean('is_cash', 'Paid through the web cash register'),
  line('operator_pay_id_str', 'Transaction at the payment operator; taken once per operator_name', 100, empty),
  line('operator_name', 'Payment operator', 100, empty),
  client('abonent', 'Subscriber; of an operation that exists one of its account'),
]

/** What only a new operation takes. */
const movingFields: readonly FieldSpec[] = [
  { ...client('account', 'Personal account; left out: that of the subscriber'), nullable: true },
  relation('op_type', 'Type; it gives the sign', types, { ...positive, ...required }),
  rubles('amount', 'Rubles; nothing for an informational type', { ...empty, nullable: true, column: 'op_summa' }),
  line('txn', 'Transaction, taken once in all accounts', 100, empty),
]

const operationModel = (fields: readonly FieldSpec[]): Model =>
  dictionaryModel({
    name: 'finops',
    doc: 'A finance operation',
    entity: FinanceOperation,
    fields,
    visible: (table, parameter) => visibleSql(`${table}.organization_id`, parameter),
  })

/** An operation that exists. */
export const describedOperation: Model = operationModel(descriptiveFields)

/** An operation that is to be posted. */
export const postedOperation: Model = operationModel([...movingFields, ...descriptiveFields])
