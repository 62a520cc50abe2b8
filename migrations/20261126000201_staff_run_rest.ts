import { Migration } from '@mikro-orm/migrations'

/** What is done to many at once may be cut off by a restart, and whoever started it wants the rest of exactly those done. */
export class StaffRunRest extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE staff_run_rest (
        run_id int8 NOT NULL REFERENCES staff_runs (id) ON DELETE CASCADE,
        record int8 NOT NULL,
        PRIMARY KEY (run_id, record)
      );
    `)
  }
}
