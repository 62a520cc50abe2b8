import { Migration } from '@mikro-orm/migrations'

/**
 * A session that has ended on one node was believed on the others for ten seconds. The end of sessions of staff and of
 * clients, in the portal and on the phone, is told like every other change, so that nobody remembers them.
 */
export class SignOutsTold extends Migration {
  override up(): void {
    for (const [table, key, named] of ended) this.addSql(deleted(table, key, named))
    // A refresh of tokens is an update too, and no end.
    this.addSql(`
      CREATE FUNCTION tollgate_phone_ended() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('tollgate_changes', format('{"table":"phone_sessions","ids":[%s]}', NEW.login_id));
        RETURN NULL;
      END $$;
      CREATE TRIGGER phone_sessions_notice_end AFTER UPDATE OF ended_at ON phone_sessions FOR EACH ROW
        WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION tollgate_phone_ended()`)
  }
}

/** Table, column whose values are the ids, and the table that the notice names. */
const ended = [
  ['staff_sessions', 'staff_id', 'staff'],
  ['client_sessions', 'login_id', 'client_sessions'],
  ['phone_sessions', 'login_id', 'phone_sessions'],
] as const

const deleted = (table: string, key: string, named: string): string =>
  `CREATE TRIGGER ${table}_notice_delete AFTER DELETE ON ${table}
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tollgate_notice('${key}', '${named}')`
