import { Migration } from '@mikro-orm/migrations'

/**
 * A block or its end changes a switch in a row of subscribers and of logins, and autovacuum analysed the whole table for
 * each tenth that was changed so: half a second to a second of one processor for subscribers, whatever their number,
 * most of it for words of names, in the minute in which a tariff day blocks a tenth. What plans are made by hardly
 * changes with it. An import analyses by itself.
 */
export class AnalysesOfSubscribers extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE abonents SET (autovacuum_analyze_scale_factor = 0.3);
      ALTER TABLE users SET (autovacuum_analyze_scale_factor = 0.3);
    `)
  }
}
