import { Migration } from '@mikro-orm/migrations'

/**
 * Debts by their age looked for the last fall of each account that is below zero. Now the account says since when it is: the ledger writes it
 * where a posting crosses zero, so that every other posting leaves the column and its index alone and stays a HOT update.
 */
export class DebtSince extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE admin_accounts ADD COLUMN debt_since timestamptz`)
    this.addSql(filled)
    this.addSql(`CREATE INDEX admin_accounts_debt_since ON admin_accounts (debt_since) WHERE debt_since IS NOT NULL`)
    this.addSql('DROP INDEX finance_operations_fall')
  }
}

/**
 * By the last operation of each chain that took its account from zero or above to below, whether or not its record is still there; since the
 * account was opened, where none tells. The ledger knows moments to the millisecond.
 */
const filled = `
  SET LOCAL tollgate.writer = 'on';
  WITH falls AS (
    SELECT account_id, chain_seq, op_id, system_date FROM finance_operations WHERE aa_ostatok >= 0 AND op_summa < -aa_ostatok
    UNION ALL
    SELECT account_id, chain_seq, op_id, system_date FROM removed_operations WHERE aa_ostatok >= 0 AND op_summa < -aa_ostatok),
  lasts AS (
    SELECT DISTINCT ON (account_id) account_id, system_date FROM falls
    ORDER BY account_id, chain_seq DESC NULLS LAST, op_id DESC)
  UPDATE admin_accounts SET debt_since = date_trunc('milliseconds', coalesce(
    (SELECT system_date FROM lasts WHERE account_id = admin_accounts.id), create_date))
  WHERE ostatok < 0`
