import { Migration } from '@mikro-orm/migrations'

/** How contracts of new subscribers are numbered where an operator names no number; empty goes on from the newest one. */
export class ContractNumberPattern extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO system_settings (name, value) VALUES ('CONTRACT_NUMBER_PATTERN', '') ON CONFLICT (name) DO NOTHING`)
  }
}
