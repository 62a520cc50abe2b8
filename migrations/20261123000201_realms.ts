import { Migration } from '@mikro-orm/migrations'

/** Subscribers send their login with a realm or in other letters than it is stored; each provider decides what counts. */
export class Realms extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE nas ADD COLUMN realms text')
    this.addSql(`INSERT INTO system_settings (name, value) VALUES ('RADIUS_REALMS', ''), ('RADIUS_LOGIN_CASE', 'exact')
      ON CONFLICT DO NOTHING`)
  }
}
