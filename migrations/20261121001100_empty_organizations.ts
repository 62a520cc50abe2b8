import { Migration } from '@mikro-orm/migrations'

/**
 * Rows brought over from an older billing may have no organization: they count as the default one's until
 * backfill_abonent_org and backfill_finops_org have given them theirs.
 */
export class EmptyOrganizations extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE abonents ALTER COLUMN organization_id DROP NOT NULL;
      ALTER TABLE finance_operations ALTER COLUMN organization_id DROP NOT NULL;
    `)
  }
}
