import { Migration } from '@mikro-orm/migrations'

/** A secret that a program was given for an application of one-time codes waits here for the first code of it. */
export class StaffTotpProposals extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE staff_totp_proposals (
        staff_id int8 NOT NULL PRIMARY KEY REFERENCES staff ON DELETE CASCADE,
        totp_secret text NOT NULL,
        failures int4 NOT NULL DEFAULT 0,
        expires_at timestamptz NOT NULL
      )`)
  }
}
