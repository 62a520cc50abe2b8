import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id, looseId, money, moneyFromZero } from './columns.ts'
import { Currency } from './currency.ts'

/** A personal account (specification 2.3). The ledger alone writes its money; see migrations for the triggers that guard this. */
export const AdminAccount = defineEntity({
  name: 'AdminAccount',
  tableName: 'admin_accounts',
  properties: {
    id: id(),
    ostatok: moneyFromZero(),
    debit: moneyFromZero(),
    credit: moneyFromZero(),
    limit: moneyFromZero(),
    unlimited: p.boolean().default(false),
    unlimited_date: p.datetime().nullable(),
    warn: money().nullable(),
    bonus_score: moneyFromZero(),
    currency: () => p.manyToOne(Currency).deleteRule('restrict').updateRule('no action').default(1),
    sleep_date: p.datetime().nullable(),
    comment: p.text().nullable(),
    last_notification_date: p.datetime().nullable(),
    /** Without a foreign key: an operation may be deleted and its number stays. */
    last_operation_id: looseId(),
    /** Grows with every change of the account or of anybody's access that hangs on it. */
    version: p.integer().default(0),
    create_date: createdNow(),
    /** The chain of its operations: how many there have ever been, and the hash of the last (domain/chain.ts). */
    chain_length: p.integer().default(0),
    chain_head: p.blob().defaultRaw(`''`),
  },
  checks: [{ name: 'admin_accounts_balanced', expression: 'ostatok = debit - credit' }],
  indexes: [{ name: 'admin_accounts_currency', properties: ['currency'] }],
})
