import { Migration } from '@mikro-orm/migrations'

/** A stolen password alone signs nobody in: staff may have a code of an application beside it, and recovery codes. */
export class StaffSecondFactor extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE staff ADD COLUMN totp_secret text, ADD COLUMN totp_step int8;

      CREATE TABLE staff_recovery_codes (
        staff_id int8 NOT NULL REFERENCES staff ON DELETE CASCADE,
        code_hash text NOT NULL,
        PRIMARY KEY (staff_id, code_hash)
      );

      CREATE TABLE staff_challenges (
        key_hash text NOT NULL PRIMARY KEY,
        staff_id int8 NOT NULL REFERENCES staff ON DELETE CASCADE,
        is_weak bool NOT NULL,
        failures int4 NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX staff_challenges_staff ON staff_challenges (staff_id);

      INSERT INTO system_settings (name, value) VALUES ('STAFF_SECOND_FACTOR', 'offered') ON CONFLICT DO NOTHING;
    `)
  }
}
