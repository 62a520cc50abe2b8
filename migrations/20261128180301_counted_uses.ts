import { Migration } from '@mikro-orm/migrations'

/**
 * How many subscribers have a tariff and how many logins are on a switch was counted from the rows of all subscribers
 * and of those logins; these indexes have all that is counted. The second one serves what users_switch did.
 */
export class CountedUses extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX abonents_live_uses ON abonents (tarif_id, organization_id) WHERE NOT deleted')
    this.addSql('CREATE INDEX users_switch_owner ON users (switch_id, abonent_id) WHERE switch_id IS NOT NULL')
    this.addSql('DROP INDEX users_switch')
  }
}
