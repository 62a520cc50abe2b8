import { Migration } from '@mikro-orm/migrations'

/** A tariff or a promise payment for many subscribers is work that goes on without the page, as a block of many is. */
export class RunsOfTariffsAndPromises extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE staff_runs DROP CONSTRAINT staff_runs_kind,
        ADD CONSTRAINT staff_runs_kind CHECK (kind IN ('import', 'blocks', 'tariffs', 'promises'));
    `)
  }
}
