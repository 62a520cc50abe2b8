import {
  boolean,
  bytes,
  createdNow,
  id,
  integer,
  looseId,
  moment,
  money,
  moneyFromZero,
  reference,
  text,
  varchar,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** The account just before an operation. */
const snapshot = {
  aa_ostatok: moneyFromZero(),
  aa_debit: moneyFromZero(),
  aa_credit: moneyFromZero(),
  aa_credit_adjust: moneyFromZero(),
  aa_limit_warning: money().nullable(),
  aa_limit: moneyFromZero(),
  aa_unlimited: boolean().default(false),
  aa_unlimited_date: moment().nullable(),
  balance_buh: moneyFromZero(),
}

export const snapshotColumns = Object.keys(snapshot) as (keyof typeof snapshot)[]

/** A movement of money (specification 2.4). */
export const FinanceOperation = entity('finance_operations', {
  columns: {
    op_id: id(),
    /** When the money actually moved. */
    op_date: createdNow(),
    /** When it was recorded. */
    system_date: createdNow(),
    /** Positive is income, negative is expense. */
    op_summa: money(),
    op_type_id: reference('fin_types'),
    abonent_id: reference('abonents').nullable(),
    account_id: reference('admin_accounts'),
    /** Null for automatic operations. */
    owner_id: reference('staff').nullable(),
    /** Payments carry the marker [txn:<ID>]. */
    descr: text().nullable(),
    number: text().nullable(),
    /** True on both the original and the reversal. */
    storno: boolean().default(false),
    related_operation_id: reference('finance_operations').onDelete('set null').nullable(),
    usluga_id: reference('uslugas').nullable(),
    /** The parent invoice. */
    fin_op_id: reference('finance_operations').onDelete('set null').nullable(),
    credit_type_id: reference('fin_types').nullable(),
    /** The carrier to bill. */
    operator_id: reference('abonents').nullable(),
    /** Invisible to the client. */
    admin_comment: text().nullable(),
    /** Null in rows brought over from elsewhere: the default one, until a backfill. */
    organization_id: reference('organizations').nullable(),
    ...snapshot,
    kkm_printed: boolean().default(false),
    kkm_storno: boolean().default(false),
    kkm_check_id: text().nullable(),
    kkm_check_retry_num: integer().default(0),
    atol_config_id: looseId(),
    print_form: bytes().nullable(),
    is_cash: boolean().default(false),
    operator_pay_id: money().nullable(),
    operator_pay_id_str: text().nullable(),
    operator_name: text().nullable(),
    operator_result: text().nullable(),
    sync1c: boolean().default(false),
    code1c: varchar(32).nullable(),
    /** False for service operations, which stay out of reports. */
    isbuhdoc: boolean().default(true),
    /** The transaction id that made it idempotent; unique through money_keys. */
    txn: text().nullable(),
    /** Its place in the account's chain (domain/chain.ts). */
    chain_seq: integer().nullable(),
    chain_hash: bytes().nullable(),
  },
  indexes: [
    {
      name: 'finance_operations_account',
      expression: 'CREATE INDEX finance_operations_account ON finance_operations (account_id, op_id DESC)',
    },
    {
      name: 'finance_operations_abonent',
      expression:
        'CREATE INDEX finance_operations_abonent ON finance_operations (abonent_id, op_date DESC, op_id DESC)',
    },
    {
      name: 'finance_operations_op_date',
      expression: 'CREATE INDEX finance_operations_op_date ON finance_operations (op_date DESC, op_id DESC)',
    },
    {
      name: 'finance_operations_organization',
      expression:
        'CREATE INDEX finance_operations_organization ON finance_operations (organization_id, op_date DESC, op_id DESC)',
    },
    {
      name: 'finance_operations_op_type',
      expression:
        'CREATE INDEX finance_operations_op_type ON finance_operations (op_type_id, op_date DESC, op_id DESC)',
    },
    {
      name: 'finance_operations_related',
      columns: ['related_operation_id'],
      where: 'related_operation_id IS NOT NULL',
    },
    { name: 'finance_operations_fin_op', columns: ['fin_op_id'], where: 'fin_op_id IS NOT NULL' },
    { name: 'finance_operations_usluga', columns: ['usluga_id'], where: 'usluga_id IS NOT NULL' },
    { name: 'finance_operations_owner', columns: ['owner_id'], where: 'owner_id IS NOT NULL' },
    { name: 'finance_operations_operator', columns: ['operator_id'], where: 'operator_id IS NOT NULL' },
    { name: 'finance_operations_credit_type', columns: ['credit_type_id'], where: 'credit_type_id IS NOT NULL' },
    {
      name: 'finance_operations_pay_id',
      columns: ['operator_pay_id_str'],
      where: 'operator_pay_id_str IS NOT NULL',
    },
    { name: 'finance_operations_storno', columns: ['op_id'], where: 'storno' },
  ],
})
