import { Migration } from '@mikro-orm/migrations'

/**
 * Operators ask why a client cannot sign in, so answers to Access-Requests are kept, a partition for each day, which is dropped as a
 * whole. The program may work as a role that owns nothing, so the owner's functions make and drop partitions, of this table alone and
 * for those alone who may delete its rows.
 */
export class RadiusAuthLog extends Migration {
  override up(): void {
    this.addSql(table)
    this.addSql(addDay)
    this.addSql(dropBefore)
    this.addSql(`INSERT INTO system_settings (name, value) VALUES ('RADIUS_LOG_DAYS', '30'), ('RADIUS_LOG_ACCEPTS', '0')
      ON CONFLICT DO NOTHING`)
  }
}

const table = `
  CREATE TABLE radius_auth_log (
    at timestamptz NOT NULL,
    id int8 NOT NULL,
    accepted bool NOT NULL,
    reason text,
    login text,
    abonent_id int8,
    organization_id int8,
    nas_id int8,
    mac text,
    port text,
    count int4 NOT NULL,
    PRIMARY KEY (at, id)
  ) PARTITION BY RANGE (at);
  CREATE INDEX radius_auth_log_login ON radius_auth_log (login, at);
  CREATE INDEX radius_auth_log_abonent ON radius_auth_log (abonent_id, at) WHERE abonent_id IS NOT NULL;
  CREATE INDEX radius_auth_log_organization ON radius_auth_log (organization_id, at) WHERE organization_id IS NOT NULL;
  CREATE INDEX radius_auth_log_nas ON radius_auth_log (nas_id, at);
  CREATE INDEX radius_auth_log_mac ON radius_auth_log (mac, at) WHERE mac IS NOT NULL;
  CREATE INDEX radius_auth_log_reason ON radius_auth_log (reason, at) WHERE reason IS NOT NULL;
  CREATE INDEX radius_auth_log_accepted ON radius_auth_log (at) WHERE accepted;
  CREATE SEQUENCE radius_auth_log_ids INCREMENT BY 5000`

/** Whoever calls it twice at once makes the day once. It waits for readers of the table two seconds at most. */
const addDay = `
  CREATE FUNCTION radius_auth_log_add_day(day date) RETURNS bool LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
  DECLARE partition text := 'radius_auth_log_' || to_char(day, 'YYYYMMDD');
  BEGIN
    IF NOT has_table_privilege(session_user, 'public.radius_auth_log', 'DELETE') THEN
      RAISE insufficient_privilege;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('radius_auth_log'));
    IF to_regclass(format('public.%I', partition)) IS NOT NULL THEN
      RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE public.%I PARTITION OF public.radius_auth_log FOR VALUES FROM (%L) TO (%L)', partition,
      day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    RETURN true;
  END $$`

/** Answers how many days were dropped. */
const dropBefore = `
  CREATE FUNCTION radius_auth_log_drop_before(day date) RETURNS int4 LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
  DECLARE
    old text;
    dropped int4 := 0;
  BEGIN
    IF NOT has_table_privilege(session_user, 'public.radius_auth_log', 'DELETE') THEN
      RAISE insufficient_privilege;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('radius_auth_log'));
    FOR old IN SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'public.radius_auth_log'::regclass AND relname < 'radius_auth_log_' || to_char(day, 'YYYYMMDD')
    LOOP
      EXECUTE format('DROP TABLE public.%I', old);
      dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
  END $$`
