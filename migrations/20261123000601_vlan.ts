import { Migration } from '@mikro-orm/migrations'

/** Switches and access points put a client into the VLAN that the answer names: of its login, or else of its tariff. */
export class Vlan extends Migration {
  override up(): void {
    for (const table of ['users', 'tarifs']) {
      this.addSql(
        `ALTER TABLE ${table} ADD COLUMN vlan int4, ADD CONSTRAINT ${table}_vlan CHECK (vlan BETWEEN 1 AND 4094)`,
      )
    }
  }
}
