import { bigint, boolean, bytes, createdNow, integer, looseId, moment, money } from '../columns.ts'
import { columnNames, entity } from '../entity.ts'
import { FinanceOperation } from './finance-operation.ts'

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
  indexes: [{ name: 'removed_operations_account', columns: ['account_id', 'chain_seq'] }],
})

/** What stays of an operation whose record is removed: its place in the account's chain. */
export const keptOfRemoved = columnNames(RemovedOperation).filter((name) => name in FinanceOperation.columns)
