import {
  boolean,
  datetime,
  type FieldSpec,
  integer,
  key,
  long,
  longText,
  type Model,
  modelOf,
  money,
  readOnly,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
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
  label: 'finance operations',
  audit: 'FINANCE_OPERATIONS',
  counted: true,
  doc: 'A movement of money. POST posts it through the account; DELETE removes the record and leaves the balance.',
  fields: [
    key('op_id'),
    key('id', 'op_id'),
    datetime('op_date', 'When the money actually moved.'),
    datetime('system_date', 'When it was recorded.', readOnly),
    money('op_summa', 'Amount; the sign follows op_sign of the type', { ...required, ...fixed }),
    relation('op_type', 'Type.', () => finTypes, { ...required, ...fixed }),
    relation('abonent', 'Subscriber.', () => abonents, fixed),
    relation('account', 'Personal account.', () => adminAccounts, fixed),
    relation('owner', 'Staff user; null for automatic operations.', () => staff, readOnly),
    longText('descr', 'Free text; payments carry the marker [txn:<ID>].'),
    text('number', 'Document number.'),
    boolean('storno', 'Reversed, or a reversal.', readOnly),
    relation('related_operation', 'The original of a reversal.', () => financeOperations, readOnly),
    relation('usluga', 'Service.', () => usluga),
    relation('fin_op', 'Parent invoice.', () => financeOperations),
    relation('credit_type', 'Paid by.', () => finTypes),
    relation('operator', 'Carrier to bill.', () => abonents),
    longText('admin_comment', 'Invisible to the client.'),
    relation('organization', 'Organization.', () => organizations, readOnly),
    snapshot(money('aa_ostatok', 'Balance before')),
    snapshot(money('aa_debit', 'Receipts before')),
    snapshot(money('aa_credit', 'Write-offs before')),
    snapshot(money('aa_credit_adjust', 'Credit adjustment before')),
    snapshot(money('aa_limit_warning', 'WARN before')),
    snapshot(money('aa_limit', 'LIMIT before')),
    snapshot(boolean('aa_unlimited', 'UNLIMITED before.')),
    snapshot(datetime('aa_unlimited_date', 'End of UNLIMITED before.')),
    snapshot(money('balance_buh', 'Accounting balance before')),
    boolean('kkm_printed', 'Sent to the cash register.'),
    boolean('kkm_storno', 'Reversed through the cash register.'),
    text('kkm_check_id', 'Receipt.'),
    integer('kkm_check_retry_num', 'Attempts to send the receipt.', { min: 0 }),
    long('atol_config', 'Fiscal configuration.', { column: 'atol_config_id' }),
    boolean('is_cash', 'Paid through the web cash register.'),
    long('operator_pay_id', 'Transaction at the payment operator.'),
    text('operator_pay_id_str', 'Transaction at the payment operator; taken once per operator_name.'),
    text('operator_name', 'Payment operator.'),
    text('operator_result', 'Result code.'),
    boolean('sync1c', 'Synchronised with accounting.'),
    text('code1c', 'Accounting document.', { max: 32 }),
    boolean('isbuhdoc', 'A real financial document.'),
    text('txn', 'Transaction id; taken once.', fixed),
  ],
})
