import { Migration } from '@mikro-orm/migrations'

/**
 * Ended sessions are listed by their end, of everybody or of one NAS. An index over the end in radius_sessions would make every end a new
 * entry in each index of that table, so the ends stand in a table of their own, as the live sessions do. Sessions are also looked for by
 * address and MAC, which an Interim-Update does not change: it stays within its page.
 */
export class EndedSessions extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE radius_ended_sessions (
        session_id int8 PRIMARY KEY,
        nas_id int8 NOT NULL,
        ended_at timestamptz NOT NULL
      );
      INSERT INTO radius_ended_sessions SELECT id, nas_id, ended_at FROM radius_sessions WHERE ended_at IS NOT NULL ORDER BY ended_at;
      CREATE INDEX radius_ended_sessions_ended_at ON radius_ended_sessions (ended_at DESC, session_id DESC);
      CREATE INDEX radius_ended_sessions_nas ON radius_ended_sessions (nas_id, ended_at DESC, session_id DESC);
      CREATE INDEX radius_sessions_ip ON radius_sessions (framed_ip) WHERE framed_ip IS NOT NULL;
      CREATE INDEX radius_sessions_ipv6_prefix ON radius_sessions (ipv6_prefix) WHERE ipv6_prefix IS NOT NULL;
      CREATE INDEX radius_sessions_mac ON radius_sessions (mac) WHERE mac IS NOT NULL;
    `)
    this.addSql(triggers)
  }
}

/**
 * Whoever ends a session takes it out of the live ones, many with one statement, and the ends follow with it. A session whose Start was lost
 * has never been among them. One that goes on after a presumed end keeps its row, and lists leave it out because it lives.
 */
const triggers = `
CREATE FUNCTION tollgate_sessions_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO radius_ended_sessions (session_id, nas_id, ended_at)
    SELECT s.id, s.nas_id, s.ended_at FROM over JOIN radius_sessions s ON s.id = over.session_id WHERE s.ended_at IS NOT NULL
    ON CONFLICT (session_id) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN NULL;
END $$;

CREATE TRIGGER radius_live_sessions_ended AFTER DELETE ON radius_live_sessions REFERENCING OLD TABLE AS over
  FOR EACH STATEMENT EXECUTE FUNCTION tollgate_sessions_ended();

CREATE FUNCTION tollgate_session_was_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO radius_ended_sessions (session_id, nas_id, ended_at) VALUES (NEW.id, NEW.nas_id, NEW.ended_at)
    ON CONFLICT (session_id) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN NULL;
END $$;

CREATE TRIGGER radius_sessions_was_over AFTER INSERT ON radius_sessions FOR EACH ROW
  WHEN (NEW.ended_at IS NOT NULL) EXECUTE FUNCTION tollgate_session_was_over();
`
