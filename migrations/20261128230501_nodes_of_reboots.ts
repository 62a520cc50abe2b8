import { Migration } from '@mikro-orm/migrations'

/**
 * A node that stored a reboot of a NAS by a clock that was set back since knows that what it received afterwards came after it, also where the
 * clock has been set forth again, so it is kept which node that was.
 */
export class NodesOfReboots extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE nas_reboots ADD COLUMN node int4;
      ALTER TABLE nas_reboots ALTER COLUMN node SET DEFAULT nullif(current_setting('tollgate.node', true), '')::int4`)
  }
}
