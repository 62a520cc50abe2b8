import { Migration } from '@mikro-orm/migrations'

/**
 * A promoted standby that lacks commits has forgotten which ids were given out. They were skipped by whoever noticed,
 * and who asked before that got ids which others had: an effect of the outbox was marked as carried out by a node that
 * had carried out another one. Now the server itself skips them when it is first asked on its new timeline.
 */
export class ReservedSequences extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE reserved_sequences (name text PRIMARY KEY, timeline text NOT NULL);
      INSERT INTO reserved_sequences SELECT name, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
        FROM unnest(ARRAY['finance_operations_op_id_seq', 'outbox_id_seq', 'users_uslugas_id_seq', 'radius_sessions_id_seq',
          'coa_requests_id_seq', 'payment_orders_id_seq']) AS name;
      CREATE FUNCTION tollgate_skip_lost_ids(sequence text, is_lost boolean) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        present text := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
      BEGIN
        PERFORM FROM reserved_sequences WHERE name = sequence AND (is_lost OR timeline <> present) FOR UPDATE;
        IF NOT FOUND THEN RETURN; END IF;
        PERFORM nextval(sequence::regclass) FROM generate_series(1, 10000);
        UPDATE reserved_sequences SET timeline = present WHERE name = sequence;
      END $$;
      CREATE FUNCTION tollgate_take_ids(sequence text, count int4) RETURNS SETOF int8 LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM tollgate_skip_lost_ids(sequence, false);
        RETURN QUERY SELECT nextval(sequence::regclass) FROM generate_series(1, count);
      END $$`)
  }
}
