import { Migration } from '@mikro-orm/migrations'

/** An import that was cut off goes on from the file that was sent, so that file is kept, unreadable, until it has ended. */
export class KeptImports extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE staff_run_files (
        run_id int8 PRIMARY KEY REFERENCES staff_runs (id) ON DELETE CASCADE,
        encoding text NOT NULL CONSTRAINT staff_run_files_encoding CHECK (encoding IN ('utf-8', 'windows-1251')),
        columns text,
        key text NOT NULL,
        content bytea NOT NULL,
        kept_at timestamptz NOT NULL DEFAULT now()
      );
    `)
  }
}
