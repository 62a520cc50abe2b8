import { Migration } from '@mikro-orm/migrations'

/**
 * The rights of a role may be others than those of the program. Every program drops what it knows of signed-in staff when
 * they change, as it does for the rows of staff.
 */
export class StaffRoles extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE staff_roles (
        name text NOT NULL PRIMARY KEY,
        rights text[] NOT NULL
      );
      CREATE TRIGGER staff_roles_notice_insert AFTER INSERT ON staff_roles
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tollgate_notice('', 'staff');
      CREATE TRIGGER staff_roles_notice_update AFTER UPDATE ON staff_roles
        REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tollgate_notice('', 'staff');
      CREATE TRIGGER staff_roles_notice_delete AFTER DELETE ON staff_roles
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tollgate_notice('', 'staff');
    `)
  }
}
