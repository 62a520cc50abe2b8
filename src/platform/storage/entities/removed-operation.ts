import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, looseId, money } from './columns.ts'

/** The place a deleted operation leaves in its account's chain. Outlives the rows it names, so it has no foreign keys. */
export const RemovedOperation = defineEntity({
  name: 'RemovedOperation',
  tableName: 'removed_operations',
  properties: {
    op_id: p.bigint().primary().autoincrement(false),
    account_id: p.bigint(),
    op_type_id: p.bigint(),
    op_summa: money(),
    system_date: p.datetime(),
    aa_ostatok: money(),
    aa_debit: money(),
    aa_credit: money(),
    storno: p.boolean(),
    related_operation_id: looseId(),
    chain_seq: p.integer().nullable(),
    chain_hash: p.blob().nullable(),
    removed_at: createdNow(),
    removed_by: looseId(),
  },
  indexes: [{ name: 'removed_operations_account', properties: ['account_id', 'chain_seq'] }],
})
