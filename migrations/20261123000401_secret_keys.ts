import { Migration } from '@mikro-orm/migrations'

/**
 * A program with another key than the one that sealed the secrets of a database would answer no NAS, so it must not
 * start; the database knows by their ids which keys it needs.
 */
export class SecretKeys extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE secret_keys (
        key_id text PRIMARY KEY,
        since timestamptz NOT NULL DEFAULT now()
      )
    `)
  }
}
