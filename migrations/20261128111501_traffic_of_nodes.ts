import { Migration } from '@mikro-orm/migrations'

/**
 * Where there are several programs, each counts the traffic of the sessions that it hears, so each has marks of its own, and where a
 * session goes from one to another is kept until both have counted it. Silence is judged by the clock of the database, which is one.
 */
export class TrafficOfNodes extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE radius_sessions ADD COLUMN heard_at timestamptz;
      ALTER TABLE traffic_late ADD COLUMN node int4, ADD COLUMN is_end boolean NOT NULL DEFAULT false;
      ALTER TABLE traffic_late ALTER COLUMN node SET DEFAULT nullif(current_setting('tollgate.node', true), '')::int4;
      CREATE TABLE traffic_node_marks (
        node int4 NOT NULL,
        block int4 NOT NULL,
        next_id int8 NOT NULL,
        sessions bytea NOT NULL,
        PRIMARY KEY (node, block)
      ) WITH (fillfactor = 50);
      ALTER TABLE traffic_node_marks ALTER COLUMN sessions SET STORAGE EXTERNAL;
      CREATE TABLE traffic_nodes (
        node int4 PRIMARY KEY,
        scanned_from int8 NOT NULL
      )`)
  }
}
