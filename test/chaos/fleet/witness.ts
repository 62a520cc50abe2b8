import type { Pool } from 'pg'
import { isAliveSql } from '../../../src/platform/nodes/nodes-table.ts'

/** A row that somebody wrote, as a trigger saw it by the clock of the database. */
export type Seen = {
  readonly at: Date
  /** The node whose connection it was, and its epoch; null: none. */
  readonly node: number | null
  readonly epoch: number | null
  readonly what: 'job_runs' | 'outbox' | 'coa_requests' | 'radius_sessions'
  readonly row: Readonly<Record<string, unknown>>
  /** Of an update. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** Of a row of the outbox that goes to another node: whether the one that had it was alive. */
  readonly wasAlive: boolean | null
}

/** Nobody of the program knows of it, and it follows every row into the standby. */
const schema = `
CREATE SCHEMA chaos;
CREATE TABLE chaos.seen (id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(), node int, epoch int,
  what text NOT NULL, "row" jsonb NOT NULL, before jsonb, was_alive boolean);
CREATE FUNCTION chaos.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  me int := nullif(current_setting('tollgate.node', true), '')::int;
  former jsonb := CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) END;
BEGIN
  INSERT INTO chaos.seen (node, epoch, what, "row", before, was_alive) VALUES (me, (SELECT epoch FROM nodes WHERE number = me),
    TG_TABLE_NAME, to_jsonb(NEW), former, (SELECT ${isAliveSql} FROM nodes WHERE number = (former->>'node')::int));
  RETURN NULL;
END $$;
CREATE TRIGGER chaos AFTER INSERT OR UPDATE ON job_runs FOR EACH ROW EXECUTE FUNCTION chaos.see();
CREATE TRIGGER chaos AFTER INSERT ON coa_requests FOR EACH ROW EXECUTE FUNCTION chaos.see();
CREATE TRIGGER chaos_made AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION chaos.see();
CREATE TRIGGER chaos_taken AFTER UPDATE ON outbox FOR EACH ROW WHEN (OLD.node IS DISTINCT FROM NEW.node) EXECUTE FUNCTION chaos.see();
CREATE TRIGGER chaos_marked AFTER UPDATE ON outbox FOR EACH ROW WHEN (OLD.done_at IS NULL AND NEW.done_at IS NOT NULL) EXECUTE FUNCTION chaos.see();
CREATE TRIGGER chaos AFTER UPDATE ON radius_sessions FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.end_reason = 'Lost-Carrier') EXECUTE FUNCTION chaos.see();`

/** From here on it is written down who does what. */
export const beginToWatch = async (pool: Pool): Promise<void> => void (await pool.query(schema))

export async function allSeen(pool: Pool): Promise<Seen[]> {
  const text = 'SELECT at, node, epoch, what, "row", before, was_alive AS "wasAlive" FROM chaos.seen ORDER BY id'
  return (await pool.query<Seen>(text)).rows
}
