import { Migration } from '@mikro-orm/migrations'

/**
 * The accounts of an organization, and those in the order of the names of their clients, were looked for in the rows of
 * its subscribers; the indexes that take the place of those before have all that is asked.
 */
export class AccountsOfAnOrganization extends Migration {
  override up(): void {
    this.addSql('DROP INDEX abonents_organization')
    this.addSql('CREATE INDEX abonents_organization ON abonents (organization_id, id) INCLUDE (account_id, is_main)')
    this.addSql('DROP INDEX abonents_name')
    this.addSql(
      'CREATE INDEX abonents_name ON abonents (name, id) INCLUDE (account_id, deleted, is_main, organization_id)',
    )
  }
}
