import { Migration } from '@mikro-orm/migrations'

/**
 * An edge is a node beside NAS that has RADIUS alone, and may read from a standby, which notifies of nothing. So while there are edges the
 * log of nodes has what triggers notify of as well, as rows of the kind `rows`.
 */
export class Edges extends Migration {
  override up(): void {
    this.addSql(
      `ALTER TABLE nodes ADD COLUMN role text NOT NULL DEFAULT 'full' CONSTRAINT nodes_role CHECK (role IN ('full', 'edge'))`,
    )
    this.addSql(`
      CREATE FUNCTION tollgate_tell(notice text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('tollgate_changes', notice);
        IF EXISTS (SELECT FROM nodes WHERE role = 'edge') THEN
          INSERT INTO node_log (node, kind, note)
            VALUES (coalesce(nullif(current_setting('tollgate.node', true), '')::int4, 0), 'rows', notice::jsonb);
        END IF;
      END $$`)
    // As in record_notices.
    this.addSql(`
      CREATE OR REPLACE FUNCTION tollgate_notice() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        ids int8[];
        named text := '"*"';
        rows text := CASE WHEN TG_OP = 'UPDATE' THEN '(SELECT * FROM before UNION ALL SELECT * FROM changed) AS touched' ELSE 'changed' END;
      BEGIN
        IF TG_ARGV[0] = '' THEN
          IF NOT EXISTS (SELECT FROM changed) THEN RETURN NULL; END IF;
        ELSE
          EXECUTE format('SELECT array_agg(DISTINCT %I) FROM %s', TG_ARGV[0], rows) INTO ids;
          IF ids IS NULL THEN RETURN NULL; END IF;
          -- A payload of NOTIFY is shorter than 8000 bytes.
          IF cardinality(ids) <= 500 AND octet_length(ids::text) < 7800 THEN named := to_json(ids)::text; END IF;
        END IF;
        PERFORM tollgate_tell(format('{"table":"%s","ids":%s}', TG_ARGV[1], named));
        RETURN NULL;
      END $$`)
    this.addSql(`
      CREATE OR REPLACE FUNCTION tollgate_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM tollgate_tell(format('{"table":"%s","ids":"*"}', TG_TABLE_NAME));
        RETURN NULL;
      END $$`)
  }
}
