import { Migration } from '@mikro-orm/migrations'

/**
 * How old a debt is says the last operation by which the account came below zero. Of a hundred operations of an account a few are such, and
 * they have an index of their own now: another posting only finds that it is none of them.
 */
export class FallsIntoDebt extends Migration {
  override up(): void {
    this.addSql(`CREATE INDEX finance_operations_fall ON finance_operations (account_id, op_id DESC) INCLUDE (op_date)
      WHERE aa_ostatok >= 0 AND op_summa < -aa_ostatok`)
  }
}
