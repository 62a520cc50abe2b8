import { Migration } from '@mikro-orm/migrations'

/**
 * Which sessions are live stands in a table of its own. As an index over `ended_at IS NULL` it made the end of every session a new entry in
 * each of the seven indexes; now a session's row is written once in them, and every later change stays within its page. Half a page is
 * left free for that, because the sessions of one page begin together and are told of together.
 *
 * Accounting writes both tables by one statement; the triggers are for everybody else.
 */
export class LiveSessions extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE radius_live_sessions (
        session_id int8 PRIMARY KEY,
        nas_id int8 NOT NULL
      );
      INSERT INTO radius_live_sessions SELECT id, nas_id FROM radius_sessions WHERE ended_at IS NULL;
      CREATE INDEX radius_live_sessions_nas ON radius_live_sessions (nas_id);
      DROP INDEX radius_sessions_live;
      DROP INDEX radius_sessions_live_nas;
      ALTER TABLE radius_sessions SET (fillfactor = 50);
      -- Half of it changes in an hour, and it is small.
      ALTER TABLE radius_live_sessions SET (autovacuum_vacuum_scale_factor = 0.5);
    `)
    this.addSql(given)
    this.addSql(triggers)
  }
}

/** A session as accounting hands it over: text where a cast is cheaper than a parameter of its own. */
const given = `
CREATE TYPE radius_session_given AS (
  id int8, nas_id int8, user_id int8, abonent_id int8, organization_id int8, nas_port int8,
  session_time int8, input_octets int8, output_octets int8, input_packets int8, output_packets int8,
  started_at timestamptz, updated_at timestamptz, ended_at timestamptz,
  acct_session_id text, login text, start_mark text, framed_ip text, ipv6_prefix text, delegated_ipv6_prefix text, mac text,
  calling_station_id text, called_station_id text, nas_port_id text, class text, terminate_cause text, end_reason text
)`

const byOthers = `current_setting('tollgate.writer', true) IS DISTINCT FROM 'on'`

const triggers = `
CREATE FUNCTION tollgate_follow_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW.ended_at IS NOT NULL THEN
    DELETE FROM radius_live_sessions WHERE session_id = OLD.id;
  ELSE
    INSERT INTO radius_live_sessions VALUES (NEW.id, NEW.nas_id) ON CONFLICT (session_id) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER radius_sessions_live_insert AFTER INSERT ON radius_sessions FOR EACH ROW
  WHEN (NEW.ended_at IS NULL AND ${byOthers}) EXECUTE FUNCTION tollgate_follow_session();
CREATE TRIGGER radius_sessions_live_update AFTER UPDATE ON radius_sessions FOR EACH ROW
  WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at AND ${byOthers}) EXECUTE FUNCTION tollgate_follow_session();
CREATE TRIGGER radius_sessions_live_delete AFTER DELETE ON radius_sessions FOR EACH ROW
  WHEN (${byOthers}) EXECUTE FUNCTION tollgate_follow_session();
`
