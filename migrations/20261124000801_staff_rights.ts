import { Migration } from '@mikro-orm/migrations'

/**
 * Rights that a staff user is given besides those of the role. Cashiers and viewers lose REST with this version; those
 * who have used it keep it: by an API token, by a program that signed in, or by a change that a cashier can make by REST
 * only. An admin who sees every organization there is goes on to change what concerns all of them.
 */
export class StaffRights extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE staff
        ADD COLUMN rest boolean NOT NULL DEFAULT false,
        ADD COLUMN personal_data boolean NOT NULL DEFAULT false,
        ADD COLUMN all_organizations boolean NOT NULL DEFAULT false;

      UPDATE staff SET rest = true WHERE role IN ('cashier', 'viewer') AND (
        EXISTS (SELECT FROM api_tokens WHERE staff_id = staff.id AND used_at IS NOT NULL)
        OR EXISTS (SELECT FROM staff_sessions WHERE staff_id = staff.id AND coalesce(user_agent, '') NOT LIKE 'Mozilla/%')
        OR EXISTS (SELECT FROM audit_operations WHERE user_id = staff.id AND table_name = 'FINANCE_OPERATIONS'
          AND action IN ('change', 'delete')));

      UPDATE staff SET all_organizations = true WHERE role = 'admin' AND NOT is_superuser AND NOT EXISTS (
        SELECT FROM organizations WHERE NOT EXISTS (
          SELECT FROM staff_organizations WHERE staff_id = staff.id AND organization_id = organizations.id))`)
  }
}
