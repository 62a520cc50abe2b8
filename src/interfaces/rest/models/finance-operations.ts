import { recordRights } from '../../../domain/record-rights.ts'
import * as field from '../../../platform/records/fields.ts'
import { type FieldSpec, type Model, modelOf } from '../../../platform/records/model.ts'
import { FinanceOperation } from '../../../platform/storage/entities/accounts.ts'
import { abonents } from './abonents.ts'
import { adminAccounts } from '../../../billing/accounts/account-record.ts'
import { finTypes, organizations, staff } from './dictionaries.ts'
import { usluga } from './usluga.ts'

/** Set by POST and never changed, because these fields move money or say whose it is. */
const fixed = { access: 'createOnly' } as const

/** A field with the state of the account just before the operation. A write that names it is refused with 400. */
const snapshot = (field: FieldSpec): FieldSpec => ({ ...field, access: 'refused' })

export const financeOperations: Model = modelOf({
  name: 'FinanceOperations',
  entity: FinanceOperation,
  counted: true,
  rights: recordRights.operation,
  doc: 'A movement of money. POST posts it through the account; DELETE removes the record and leaves the balance.',
  fields: [
    field.key('op_id'),
    field.key('id', 'op_id'),
    field.datetime('op_date', 'When the money actually moved.'),
    field.datetime('system_date', 'When it was recorded.', field.readOnly),
    field.money('op_summa', 'Amount; the sign follows op_sign of the type', { ...field.required, ...fixed }),
    field.relation('op_type', 'Type.', () => finTypes, { ...field.required, ...fixed }),
    field.relation('abonent', 'Subscriber.', () => abonents, fixed),
    field.relation('account', 'Personal account.', () => adminAccounts, fixed),
    field.relation('owner', 'Staff user; null for automatic operations.', () => staff, field.readOnly),
    field.longText('descr', 'Free text; payments carry the marker [txn:<ID>].'),
    field.text('number', 'Document number.'),
    field.boolean('storno', 'Reversed, or a reversal.', field.readOnly),
    field.relation('related_operation', 'The original of a reversal.', () => financeOperations, field.readOnly),
    field.relation('usluga', 'Service.', () => usluga),
    field.relation('fin_op', 'Parent invoice.', () => financeOperations),
    field.relation('credit_type', 'Paid by.', () => finTypes),
    field.relation('operator', 'Carrier to bill.', () => abonents),
    field.longText('admin_comment', 'Invisible to the client.'),
    field.relation('organization', 'Organization.', () => organizations, field.readOnly),
    snapshot(field.money('aa_ostatok', 'Balance before')),
    snapshot(field.money('aa_debit', 'Receipts before')),
    snapshot(field.money('aa_credit', 'Write-offs before')),
    snapshot(field.money('aa_credit_adjust', 'Credit adjustment before')),
    snapshot(field.money('aa_limit_warning', 'WARN before')),
    snapshot(field.money('aa_limit', 'LIMIT before')),
    snapshot(field.boolean('aa_unlimited', 'UNLIMITED before.')),
    snapshot(field.datetime('aa_unlimited_date', 'End of UNLIMITED before.')),
    snapshot(field.money('balance_buh', 'Accounting balance before')),
    field.boolean('kkm_printed', 'Sent to the cash register.'),
    field.boolean('kkm_storno', 'Reversed through the cash register.'),
    field.text('kkm_check_id', 'Receipt.'),
    field.integer('kkm_check_retry_num', 'Attempts to send the receipt.', { min: 0 }),
    field.long('atol_config', 'Fiscal configuration.', { column: 'atol_config_id' }),
    field.boolean('is_cash', 'Paid through the web cash register.'),
    field.long('operator_pay_id', 'Transaction at the payment operator.'),
    field.text('operator_pay_id_str', 'Transaction at the payment operator; taken once per operator_name.'),
    field.text('operator_name', 'Payment operator.'),
    field.text('operator_result', 'Result code.'),
    field.boolean('sync1c', 'Synchronised with accounting.'),
    field.text('code1c', 'Accounting document.', { max: 32 }),
    field.boolean('isbuhdoc', 'A real financial document.'),
    field.text('txn', 'Transaction id; taken once.', fixed),
  ],
})
