import { Migration } from '@mikro-orm/migrations'

/**
 * Who came in a month was counted from the rows of all subscribers for staff of some organizations; the index of the
 * dates has their organizations now.
 */
export class SubscribersByMonth extends Migration {
  override up(): void {
    this.addSql('DROP INDEX abonents_live_create_date')
    this.addSql(
      'CREATE INDEX abonents_live_create_date ON abonents (create_date, id) INCLUDE (organization_id) WHERE NOT deleted',
    )
  }
}
