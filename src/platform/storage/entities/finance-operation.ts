import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { AdminAccount } from './admin-account.ts'
import { createdNow, id, looseId, money, moneyFromZero } from './columns.ts'
import { FinType } from './fin-type.ts'
import { Organization } from './organization.ts'
import { Staff } from './staff.ts'
import { Usluga } from './usluga.ts'

/** A movement of money (specification 2.4). aa_* and balance_buh are the account just before it. */
export const FinanceOperation = defineEntity({
  name: 'FinanceOperation',
  tableName: 'finance_operations',
  properties: {
    op_id: id(),
    /** When the money actually moved. */
    op_date: createdNow(),
    /** When it was recorded. */
    system_date: createdNow(),
    /** Positive is income, negative is expense. */
    op_summa: money(),
    op_type: () => p.manyToOne(FinType).deleteRule('restrict').updateRule('no action').joinColumn('op_type_id'),
    abonent: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action').nullable(),
    account: () => p.manyToOne(AdminAccount).deleteRule('restrict').updateRule('no action'),
    /** Null for automatic operations. */
    owner: () => p.manyToOne(Staff).deleteRule('restrict').updateRule('no action').nullable(),
    /** Payments carry the marker [txn:<ID>]. */
    descr: p.text().nullable(),
    number: p.text().nullable(),
    /** True on both the original and the reversal. */
    storno: p.boolean().default(false),
    related_operation: () =>
      p
        .manyToOne(FinanceOperation)
        .deleteRule('set null')
        .updateRule('no action')
        .nullable()
        .joinColumn('related_operation_id'),
    usluga: () => p.manyToOne(Usluga).deleteRule('restrict').updateRule('no action').nullable(),
    /** The parent invoice. */
    fin_op: () =>
      p.manyToOne(FinanceOperation).deleteRule('set null').updateRule('no action').nullable().joinColumn('fin_op_id'),
    credit_type: () =>
      p.manyToOne(FinType).deleteRule('restrict').updateRule('no action').nullable().joinColumn('credit_type_id'),
    /** The carrier to bill. */
    operator: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action').nullable(),
    /** Invisible to the client. */
    admin_comment: p.text().nullable(),
    /** Null in rows brought over from elsewhere: the default one, until a backfill. */
    organization: () => p.manyToOne(Organization).deleteRule('restrict').updateRule('no action').nullable(),
    aa_ostatok: moneyFromZero(),
    aa_debit: moneyFromZero(),
    aa_credit: moneyFromZero(),
    aa_credit_adjust: moneyFromZero(),
    aa_limit_warning: money().nullable(),
    aa_limit: moneyFromZero(),
    aa_unlimited: p.boolean().default(false),
    aa_unlimited_date: p.datetime().nullable(),
    balance_buh: moneyFromZero(),
    kkm_printed: p.boolean().default(false),
    kkm_storno: p.boolean().default(false),
    kkm_check_id: p.text().nullable(),
    kkm_check_retry_num: p.integer().default(0),
    atol_config_id: looseId(),
    print_form: p.blob().nullable(),
    is_cash: p.boolean().default(false),
    operator_pay_id: money().nullable(),
    operator_pay_id_str: p.text().nullable(),
    operator_name: p.text().nullable(),
    operator_result: p.text().nullable(),
    sync1c: p.boolean().default(false),
    code1c: p.string().length(32).nullable(),
    /** False for service operations, which stay out of reports. */
    isbuhdoc: p.boolean().default(true),
    /** The transaction id that made it idempotent; unique through money_keys. */
    txn: p.text().nullable(),
    /** Its place in the account's chain (domain/chain.ts). */
    chain_seq: p.integer().nullable(),
    chain_hash: p.blob().nullable(),
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
      properties: ['related_operation'],
      where: 'related_operation_id IS NOT NULL',
    },
    { name: 'finance_operations_fin_op', properties: ['fin_op'], where: 'fin_op_id IS NOT NULL' },
    { name: 'finance_operations_usluga', properties: ['usluga'], where: 'usluga_id IS NOT NULL' },
    { name: 'finance_operations_owner', properties: ['owner'], where: 'owner_id IS NOT NULL' },
    { name: 'finance_operations_operator', properties: ['operator'], where: 'operator_id IS NOT NULL' },
    { name: 'finance_operations_credit_type', properties: ['credit_type'], where: 'credit_type_id IS NOT NULL' },
    {
      name: 'finance_operations_pay_id',
      properties: ['operator_pay_id_str'],
      where: 'operator_pay_id_str IS NOT NULL',
    },
    { name: 'finance_operations_storno', properties: ['op_id'], where: 'storno' },
  ],
})
