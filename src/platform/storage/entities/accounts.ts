import {
  bigint,
  boolean,
  bytes,
  createdNow,
  id,
  int8,
  integer,
  looseId,
  moment,
  money,
  moneyFromZero,
  oneOf,
  reference,
  sealed,
  smallint,
  text,
  varchar,
} from '../columns.ts'
import { columnNames, entity } from '../entity.ts'

export const Currency = entity('currencies', {
  columns: {
    id: id(),
    code: varchar(3).unique('currencies_code'),
    name: text(),
    is_default: boolean().default(false),
  },
})

/**
 * A personal account (specification 2.3). The ledger alone writes its money; see migrations for the triggers that guard
 * this.
 */
export const AdminAccount = entity('admin_accounts', {
  columns: {
    id: id(),
    ostatok: moneyFromZero(),
    debit: moneyFromZero(),
    credit: moneyFromZero(),
    /** When the operation was recorded by which the balance came below zero; null while it is not below. */
    debt_since: moment().nullable(),
    limit: moneyFromZero(),
    unlimited: boolean().default(false),
    unlimited_date: moment().nullable(),
    warn: money().nullable(),
    bonus_score: moneyFromZero(),
    currency_id: reference('currencies').default(1),
    sleep_date: moment().nullable(),
    comment: text().nullable(),
    last_notification_date: moment().nullable(),
    /** Without a foreign key: an operation may be deleted and its number stays. */
    last_operation_id: looseId(),
    /** Grows with every change of the account or of anybody's access that hangs on it. */
    version: integer().default(0),
    create_date: createdNow(),
    /** The chain of its operations: how many there have ever been, and the hash of the last (domain/chain.ts). */
    chain_length: integer().default(0),
    chain_head: bytes().defaultSql(`''`),
  },
  checks: { admin_accounts_balanced: 'ostatok = debit - credit' },
  // Nothing on the balance, which every posting changes. A debt's beginning changes only where a posting crosses zero.
  indexes: {
    admin_accounts_debt_since: '(debt_since) WHERE debt_since IS NOT NULL',
    admin_accounts_currency: '(currency_id)',
    admin_accounts_limit: '("limit", id)',
    admin_accounts_create_date: '(create_date, id)',
  },
})

/** A kind of finance operation (specification 2.5); the fixed numbers are in domain/operation. */
export const FinType = entity('fin_types', {
  columns: {
    type_id: id(),
    op_name: varchar(256),
    op_sign: smallint<1 | -1 | 0>(),
    op_descr: text().nullable(),
    is_common: boolean().default(false),
    enabled: boolean().default(true),
  },
  checks: { fin_types_op_sign: 'op_sign IN (1, -1, 0)' },
})

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
  indexes: {
    finance_operations_account: '(account_id, op_id DESC)',
    finance_operations_abonent: '(abonent_id, op_date DESC, op_id DESC)',
    finance_operations_op_date: '(op_date DESC, op_id DESC)',
    finance_operations_organization: '(organization_id, op_date DESC, op_id DESC)',
    finance_operations_op_type: '(op_type_id, op_date DESC, op_id DESC)',
    finance_operations_related: '(related_operation_id) WHERE related_operation_id IS NOT NULL',
    finance_operations_fin_op: '(fin_op_id) WHERE fin_op_id IS NOT NULL',
    finance_operations_usluga: '(usluga_id) WHERE usluga_id IS NOT NULL',
    finance_operations_owner: '(owner_id, system_date) WHERE owner_id IS NOT NULL',
    finance_operations_operator: '(operator_id) WHERE operator_id IS NOT NULL',
    finance_operations_credit_type: '(credit_type_id) WHERE credit_type_id IS NOT NULL',
    finance_operations_number: '(number) WHERE number IS NOT NULL',
    finance_operations_pay_id: '(operator_pay_id_str) WHERE operator_pay_id_str IS NOT NULL',
    finance_operations_txn: '(txn) WHERE txn IS NOT NULL',
    finance_operations_storno: '(op_id) WHERE storno',
  },
})

/**
 * The place a deleted operation leaves in its account's chain. Outlives the rows it names, so it has no foreign keys.
 */
export const RemovedOperation = entity('removed_operations', {
  columns: {
    op_id: bigint().primary(),
    account_id: bigint(),
    op_type_id: bigint(),
    op_summa: money(),
    system_date: moment(),
    aa_ostatok: money(),
    aa_debit: money(),
    aa_credit: money(),
    storno: boolean(),
    related_operation_id: looseId(),
    chain_seq: integer().nullable(),
    chain_hash: bytes().nullable(),
    removed_at: createdNow(),
    removed_by: looseId(),
  },
  indexes: { removed_operations_account: '(account_id, chain_seq)' },
})

/** What stays of an operation whose record is removed: its place in the account's chain. */
export const keptOfRemoved = columnNames(RemovedOperation).filter((name) => name in FinanceOperation.columns)

/**
 * What stands behind every "already taken": a transaction id or a payment id of an operator, kept for ever. Without
 * foreign keys, because a deleted operation must not be taken a second time.
 */
export const MoneyKey = entity('money_keys', {
  columns: {
    key: text().primary(),
    account_id: int8(),
    op_id: int8().nullable(),
    amount: money().nullable(),
    created_at: createdNow(),
  },
})

/** A payment card. */
export const Card = entity('cards', {
  columns: {
    id: id(),
    serial: text().unique('cards_serial'),
    pin: sealed(),
    nominal: money(),
    status: oneOf('new', 'active', 'used', 'blocked').default('new'),
    abonent_id: reference('abonents').nullable(),
    used_date: moment().nullable(),
    create_date: createdNow(),
  },
  indexes: { cards_abonent: '(abonent_id) WHERE abonent_id IS NOT NULL' },
})

/** A camera or the like that is paid from an account; its account is not an orphan. */
export const VideoObject = entity('video_objects', {
  columns: {
    id: id(),
    name: text(),
    account_id: reference('admin_accounts').nullable(),
    enabled: boolean().default(true),
    comment: text().nullable(),
    create_date: createdNow(),
  },
  indexes: { video_objects_account: '(account_id) WHERE account_id IS NOT NULL' },
})
