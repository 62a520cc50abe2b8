import { Migration } from '@mikro-orm/migrations'

/**
 * The log of nodes also tells of sessions, so a row has a kind, and a session knows the node that heard of it last. A
 * program that knows nothing of kinds finds no accounts in the new rows and passes over them.
 */
export class SessionsOfNodes extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE node_log
        ADD COLUMN kind text NOT NULL DEFAULT 'accounts',
        ADD COLUMN ids int8[] NOT NULL DEFAULT '{}',
        ADD COLUMN note jsonb,
        ALTER COLUMN accounts SET DEFAULT '{}',
        ALTER COLUMN commits SET DEFAULT '{}';
      ALTER TABLE radius_sessions ADD COLUMN node int4;
      ALTER TABLE radius_sessions ALTER COLUMN node SET DEFAULT nullif(current_setting('tollgate.node', true), '')::int4`)
  }
}
