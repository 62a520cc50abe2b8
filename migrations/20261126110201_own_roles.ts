import { Migration } from '@mikro-orm/migrations'

/**
 * A provider makes roles of its own beside those of the program, and calls each as it likes. A row without rights has
 * those of the program.
 */
export class OwnRoles extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE staff_roles ADD COLUMN title text NULL CONSTRAINT staff_roles_title UNIQUE,
        ALTER COLUMN rights DROP NOT NULL;
    `)
  }
}
