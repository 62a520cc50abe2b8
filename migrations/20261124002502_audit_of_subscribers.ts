import { Migration } from '@mikro-orm/migrations'

/**
 * What was done to a subscriber is found by his records. Those that are gone, and the rare deeds on operations besides
 * postings, have small indexes of their own, to which postings write nothing.
 */
export class AuditOfSubscribers extends Migration {
  override up(): void {
    this.addSql(`
      CREATE INDEX audit_operations_gone ON audit_operations
        ((coalesce(diff->'abonent'->>0, diff->'abonent_id'->>0, diff->>'abonent_id')))
        WHERE table_name IN ('USERS', 'USERS_USLUGA') AND action IN ('delete', 'end');
      CREATE INDEX audit_operations_deeds ON audit_operations (object_id)
        WHERE table_name = 'FINANCE_OPERATIONS' AND action NOT IN ('create', 'storno')`)
  }
}
