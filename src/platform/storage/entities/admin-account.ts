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
} from '../columns.ts'
import { entity } from '../entity.ts'

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
  checks: [{ name: 'admin_accounts_balanced', expression: 'ostatok = debit - credit' }],
  indexes: [{ name: 'admin_accounts_currency', columns: ['currency_id'] }],
})
