import { Migration } from '@mikro-orm/migrations'

/**
 * Memory must hear of rows that somebody else writes: a screen, a command, another node, an operator in psql.
 *
 * Two things follow such a write. The version of every account whose access it touches grows, so that a turn decided on the
 * old rows is decided again; and `tollgate_changes` carries `{"table": "users", "ids": [1, 2]}`, or `"ids": "*"` where there
 * are too many to name. The ledger and accounting connect with tollgate.writer = 'on' and are exempt: they keep the versions
 * themselves and tell by events.
 */
export class ChangeNotices extends Migration {
  override up(): void {
    this.addSql(functions)
    this.addSql(versionOfAccount)
    for (const table of ['abonents', 'abonents_block', 'users'] as const) {
      for (const event of events) this.addSql(afterTrigger(table, 'version', event, `tollgate_touch_from_${table}()`))
    }
    for (const [table, key, named] of noticed) {
      const call = `tollgate_notice('${key}', '${named}')`
      for (const event of events) this.addSql(afterTrigger(table, 'notice', event, call))
    }
    this.addSql(settingTouched)
  }
}

/** Table, column whose values are the ids (none: always all), and the table the notice names. */
const noticed = [
  ['abonents', 'id', 'abonents'],
  ['abonents_block', 'abonent_id', 'abonents_block'],
  ['users', 'id', 'users'],
  ['admin_accounts', 'id', 'admin_accounts'],
  ['tarifs', 'id', 'tarifs'],
  ['nas', 'id', 'nas'],
  ['ip_pulls', 'id', 'ip_pulls'],
  ['system_settings', '', 'system_settings'],
  ['staff', 'id', 'staff'],
  ['staff_organizations', 'staff_id', 'staff'],
] as const

const events = ['INSERT', 'UPDATE', 'DELETE'] as const

const byOthers = `WHEN (current_setting('tollgate.writer', true) IS DISTINCT FROM 'on')`

/** A trigger with transition tables takes one event only. `changed` are the rows as they are now, of a DELETE as they were. */
function afterTrigger(table: string, name: string, event: (typeof events)[number], call: string): string {
  const rows = {
    INSERT: 'NEW TABLE AS changed',
    UPDATE: 'OLD TABLE AS before NEW TABLE AS changed',
    DELETE: 'OLD TABLE AS changed',
  }[event]
  return `CREATE TRIGGER ${table}_${name}_${event.toLowerCase()} AFTER ${event} ON ${table}
    REFERENCING ${rows} FOR EACH STATEMENT ${byOthers} EXECUTE FUNCTION ${call}`
}

const functions = `
CREATE FUNCTION tollgate_notice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids int8[];
  named text := '"*"';
BEGIN
  IF TG_ARGV[0] = '' THEN
    IF NOT EXISTS (SELECT FROM changed) THEN RETURN NULL; END IF;
  ELSE
    EXECUTE format('SELECT array_agg(DISTINCT %I) FROM changed', TG_ARGV[0]) INTO ids;
    IF ids IS NULL THEN RETURN NULL; END IF;
    -- A payload of NOTIFY is shorter than 8000 bytes.
    IF cardinality(ids) <= 500 AND octet_length(ids::text) < 7800 THEN named := to_json(ids)::text; END IF;
  END IF;
  PERFORM pg_notify('tollgate_changes', format('{"table":"%s","ids":%s}', TG_ARGV[1], named));
  RETURN NULL;
END $$;

-- In id order, as the ledger locks them.
CREATE FUNCTION tollgate_touch_accounts(ids int8[]) RETURNS void LANGUAGE sql AS $$
  WITH locked AS MATERIALIZED (SELECT id FROM admin_accounts WHERE id = ANY (ids) ORDER BY id FOR UPDATE)
  UPDATE admin_accounts SET version = version + 1 FROM locked WHERE admin_accounts.id = locked.id
$$;

CREATE FUNCTION tollgate_touch_from_abonents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' THEN
    PERFORM tollgate_touch_accounts(array_agg(account_id)) FROM changed;
  ELSE
    PERFORM tollgate_touch_accounts(array_agg(account_id)) FROM (
      SELECT unnest(ARRAY[before.account_id, changed.account_id]) AS account_id
      FROM before JOIN changed USING (id)
      WHERE (before.account_id, before.enabled, before.deleted, before.tarif_id, before.organization_id, before.promise_date_end)
        IS DISTINCT FROM
        (changed.account_id, changed.enabled, changed.deleted, changed.tarif_id, changed.organization_id, changed.promise_date_end)
    ) AS touched;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tollgate_touch_from_abonents_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tollgate_touch_accounts(array_agg(account_id)) FROM abonents WHERE id IN (SELECT abonent_id FROM changed);
  RETURN NULL;
END $$;

CREATE FUNCTION tollgate_touch_from_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' THEN
    PERFORM tollgate_touch_accounts(array_agg(account_id)) FROM abonents WHERE id IN (SELECT abonent_id FROM changed);
  ELSE
    PERFORM tollgate_touch_accounts(array_agg(account_id)) FROM abonents WHERE id IN (
      SELECT unnest(ARRAY[before.abonent_id, changed.abonent_id])
      FROM before JOIN changed USING (id)
      WHERE (before.abonent_id, before.login, before.enabled, before.disabled_by_hand)
        IS DISTINCT FROM (changed.abonent_id, changed.login, changed.enabled, changed.disabled_by_hand));
  END IF;
  RETURN NULL;
END $$`

/** Every write of others counts, whether or not it remembered to. */
const versionOfAccount = `
CREATE FUNCTION tollgate_next_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER admin_accounts_version BEFORE UPDATE ON admin_accounts FOR EACH ROW ${byOthers}
  EXECUTE FUNCTION tollgate_next_version()`

/** A setting somebody changed by hand is no longer the default that TOLLGATE_SETTING_… may replace. */
const settingTouched = `
CREATE FUNCTION tollgate_setting_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;

CREATE TRIGGER system_settings_touched BEFORE UPDATE ON system_settings FOR EACH ROW
  EXECUTE FUNCTION tollgate_setting_touched()`
