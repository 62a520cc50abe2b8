import { Migration } from '@mikro-orm/migrations'

/** Clients signed in at the portal (a cookie) and on phones (a family of refresh tokens each). */
export class ClientSignIn extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE client_sessions (
        key_hash text PRIMARY KEY,
        login_id int8 NOT NULL REFERENCES users ON DELETE CASCADE,
        csrf_token text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        address text,
        user_agent text
      );
      CREATE INDEX client_sessions_login ON client_sessions (login_id);
      CREATE INDEX client_sessions_expires_at ON client_sessions (expires_at);

      CREATE TABLE phone_sessions (
        id uuid PRIMARY KEY,
        login_id int8 NOT NULL REFERENCES users ON DELETE CASCADE,
        refresh_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        refreshed_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        end_reason text,
        address text,
        user_agent text,
        CONSTRAINT phone_sessions_end_reason CHECK (end_reason IN ('signed_out', 'reused', 'password', 'expired'))
      );
      CREATE INDEX phone_sessions_login ON phone_sessions (login_id);
      CREATE INDEX phone_sessions_expires_at ON phone_sessions (expires_at);
    `)
  }
}
