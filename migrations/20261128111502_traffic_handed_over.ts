import { Migration } from '@mikro-orm/migrations'

/**
 * Where there are several programs, what is counted of a session that another node had is told apart from what has grown after its end,
 * no node writes steps of a day that another one closes, and none writes into a table between the look into it and its emptying.
 */
export class TrafficHandedOver extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE traffic_late ADD COLUMN is_taken boolean NOT NULL DEFAULT false;
      ALTER TABLE traffic_state ADD COLUMN writable_from int4;
      ALTER TABLE radius_sessions ADD COLUMN first_node int4;
      ALTER TABLE radius_sessions ALTER COLUMN first_node SET DEFAULT nullif(current_setting('tollgate.node', true), '')::int4`)
    this.addSql(emptying)
  }
}

const emptying = `
CREATE OR REPLACE FUNCTION tollgate_forget_traffic(name text, before_day int4) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
  has_any boolean;
  has_later boolean;
BEGIN
  IF name !~ '^traffic_(steps|hours|days)_[0-4]$' THEN
    RAISE EXCEPTION 'no table of traffic: %', name;
  END IF;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO has_any;
  IF NOT has_any THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE day >= $1)', name) INTO has_later USING before_day;
  IF has_later THEN
    EXECUTE format('DELETE FROM %I WHERE day < $1', name) USING before_day;
  ELSE
    EXECUTE format('TRUNCATE %I', name);
  END IF;
  RETURN NOT has_later;
END $$`
