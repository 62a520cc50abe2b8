import { Migration } from '@mikro-orm/migrations'

/**
 * Records that faces/rest-v2 keeps in memory hang on more than was told of: the attributes of subscribers; rows that leave a key for
 * another one, of which only the new key was named; and tables emptied by TRUNCATE, which no trigger of change_notices sees.
 */
export class RecordNotices extends Migration {
  override up(): void {
    this.addSql(notice)
    for (const [table, key] of [
      ['user_attributes', 'id'],
      ['user_attribute_values', 'abonent_id'],
    ] as const) {
      for (const event of ['INSERT', 'UPDATE', 'DELETE'] as const) this.addSql(noticeOf(table, key, event))
    }
    this.addSql(`
      CREATE FUNCTION tollgate_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('tollgate_changes', format('{"table":"%s","ids":"*"}', TG_TABLE_NAME));
        RETURN NULL;
      END $$`)
    for (const table of [
      'abonents',
      'abonents_block',
      'users',
      'admin_accounts',
      'user_attributes',
      'user_attribute_values',
    ]) {
      this.addSql(`CREATE TRIGGER ${table}_notice_truncate AFTER TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION tollgate_truncated()`)
    }
  }
}

/** As in change_notices, but an UPDATE names the keys of before, too. */
const notice = `
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
  PERFORM pg_notify('tollgate_changes', format('{"table":"%s","ids":%s}', TG_ARGV[1], named));
  RETURN NULL;
END $$`

/** As the triggers of change_notices. */
function noticeOf(table: string, key: string, event: 'INSERT' | 'UPDATE' | 'DELETE'): string {
  const rows = {
    INSERT: 'NEW TABLE AS changed',
    UPDATE: 'OLD TABLE AS before NEW TABLE AS changed',
    DELETE: 'OLD TABLE AS changed',
  }[event]
  return `CREATE TRIGGER ${table}_notice_${event.toLowerCase()} AFTER ${event} ON ${table}
    REFERENCING ${rows} FOR EACH STATEMENT WHEN (current_setting('tollgate.writer', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION tollgate_notice('${key}', '${table}')`
}
