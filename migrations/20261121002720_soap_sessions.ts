import { Migration } from '@mikro-orm/migrations'

/** Accounting systems and cash desks that signed in by SOAP stay signed in for their hour, over a restart too. */
export class SoapSessions extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE soap_sessions (
        key_hash text PRIMARY KEY,
        staff_id int8 NOT NULL REFERENCES staff ON DELETE CASCADE,
        password_mark text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        address text
      );
      CREATE INDEX soap_sessions_staff ON soap_sessions (staff_id);
      CREATE INDEX soap_sessions_expires_at ON soap_sessions (expires_at);
    `)
  }
}
