import { Migration } from '@mikro-orm/migrations'

/**
 * The report of who came and left looked at every subscriber. Those who are there have an index by when they came; the deleted ones have one of
 * their own now, which is written when somebody is deleted.
 */
export class DeletedSubscribers extends Migration {
  override up(): void {
    this.addSql(
      `CREATE INDEX abonents_deleted ON abonents (id) INCLUDE (create_date, deleted_date, organization_id) WHERE deleted`,
    )
  }
}
