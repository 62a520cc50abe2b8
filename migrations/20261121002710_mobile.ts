import { Migration } from '@mikro-orm/migrations'

/**
 * The telephone application: its settings, the answers that a repeated request with an Idempotency-Key gets again (kept for ever, like
 * the keys of money), and notices of the rows that its account status is made of beside those that are told already.
 */
export class Mobile extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO system_settings (name, value) VALUES
        ('MOBILE_BRAND_NAME', 'Tollgate'),
        ('MOBILE_BRAND_LOGO_URL', ''),
        ('MOBILE_BRAND_COLOR_PRIMARY', '#1a5fb4'),
        ('MOBILE_BRAND_COLOR_ACCENT', '#e66100'),
        ('MOBILE_SUPPORT_PHONE', ''),
        ('MOBILE_SUPPORT_EMAIL', ''),
        ('MOBILE_ANDROID_VERSION_MIN', '1.0.0'),
        ('MOBILE_ANDROID_VERSION_LATEST', '1.0.0'),
        ('MOBILE_ANDROID_STORE_URL', ''),
        ('MOBILE_IOS_VERSION_MIN', '1.0.0'),
        ('MOBILE_IOS_VERSION_LATEST', '1.0.0'),
        ('MOBILE_IOS_STORE_URL', '')
      ON CONFLICT (name) DO NOTHING;

      CREATE TABLE client_answers (
        subscriber_id int8 NOT NULL REFERENCES abonents ON DELETE CASCADE,
        key text NOT NULL,
        request_hash text NOT NULL,
        status int4,
        body text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT client_answers_pkey PRIMARY KEY (subscriber_id, key)
      );

      CREATE INDEX hdsk_messages_unread ON hdsk_messages (hdsk_id) WHERE author = 'staff' AND read_date IS NULL;
    `)
    for (const [table, key] of [
      ['users_uslugas', 'abonent_id'],
      ['uslugas', 'id'],
    ] as const) {
      for (const event of ['INSERT', 'UPDATE', 'DELETE'] as const) this.addSql(noticeOf(table, key, event))
    }
  }
}

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
