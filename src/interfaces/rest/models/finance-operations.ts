import {
  boolean,
  datetime,
  type Field,
  integer,
  key,
  long,
  longText,
  type Model,
  money,
  optional,
  readOnly,
  relation,
  required,
  text,
} from '../../../platform/records/model.ts'
import { abonents } from './abonents.ts'
import { adminAccounts } from '../../../billing/accounts/account-record.ts'
import { finTypes, organizations, staff } from './dictionaries.ts'
import { usluga } from './usluga.ts'

/** Made by POST and never changed: these move money or say whose it is. */
const fixed = { access: 'createOnly' } as const

/** The account just before the operation; naming it in a write is 400. */
const snapshot = (field: Field): Field => ({ ...field, access: 'refused' })

export const financeOperations: Model = {
  name: 'FinanceOperations',
  table: 'finance_operations',
  key: 'op_id',
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
    relation('abonent', 'Subscriber.', () => abonents, { ...optional, ...fixed }),
    relation('account', 'Personal account.', () => adminAccounts, fixed),
    relation('owner', 'Staff user; null for automatic operations.', () => staff, { ...readOnly, ...optional }),
    longText('descr', 'Free text; payments carry the marker [txn:<ID>].'),
    text('number', 'Document number.', optional),
    boolean('storno', 'Reversed, or a reversal.', readOnly),
    relation('related_operation', 'The original of a reversal.', () => financeOperations, { ...readOnly, ...optional }),
    relation('usluga', 'Service.', () => usluga, optional),
    relation('fin_op', 'Parent invoice.', () => financeOperations, optional),
    relation('credit_type', 'Paid by.', () => finTypes, optional),
    relation('operator', 'Carrier to bill.', () => abonents, optional),
    longText('admin_comment', 'Invisible to the client.'),
    relation('organization', 'Organization.', () => organizations, { ...readOnly, ...optional }),
    snapshot(money('aa_ostatok', 'Balance before')),
    snapshot(money('aa_debit', 'Receipts before')),
    snapshot(money('aa_credit', 'Write-offs before')),
    snapshot(money('aa_credit_adjust', 'Credit adjustment before')),
    snapshot(money('aa_limit_warning', 'WARN before', optional)),
    snapshot(money('aa_limit', 'LIMIT before')),
    snapshot(boolean('aa_unlimited', 'UNLIMITED before.')),
    snapshot(datetime('aa_unlimited_date', 'End of UNLIMITED before.', optional)),
    snapshot(money('balance_buh', 'Accounting balance before')),
    boolean('kkm_printed', 'Sent to the cash register.'),
    boolean('kkm_storno', 'Reversed through the cash register.'),
    text('kkm_check_id', 'Receipt.', optional),
    integer('kkm_check_retry_num', 'Attempts to send the receipt.', { min: 0 }),
    long('atol_config', 'Fiscal configuration.', { ...optional, column: 'atol_config_id' }),
    boolean('is_cash', 'Paid through the web cash register.'),
    long('operator_pay_id', 'Transaction at the payment operator.', optional),
    text('operator_pay_id_str', 'Transaction at the payment operator; taken once per operator_name.', optional),
    text('operator_name', 'Payment operator.', optional),
    text('operator_result', 'Result code.', optional),
    boolean('sync1c', 'Synchronised with accounting.'),
    text('code1c', 'Accounting document.', { ...optional, max: 32 }),
    boolean('isbuhdoc', 'A real financial document.'),
    text('txn', 'Transaction id; taken once.', { ...optional, ...fixed }),
  ],
}
