import { Migration } from '@mikro-orm/migrations'

/** Nobody holds attributes of subscribers in memory any more, so writes of them need not be told. */
export class NoAttributeNotices extends Migration {
  override up(): void {
    for (const table of ['user_attributes', 'user_attribute_values']) {
      for (const event of ['insert', 'update', 'delete', 'truncate'])
        this.addSql(`DROP TRIGGER ${table}_notice_${event} ON ${table}`)
    }
  }
}
