import { Migration } from '@mikro-orm/migrations'

/**
 * An Accounting-On that one node has stored may still lie before another one that stood still meanwhile, which looks for it by its mark so
 * that it ends no session that began since.
 */
export class RebootsOfNodes extends Migration {
  override up(): void {
    this.addSql(`CREATE INDEX node_log_reboots ON node_log (note) WHERE kind = 'sessions' AND note IS NOT NULL`)
  }
}
