import { Migration } from '@mikro-orm/migrations'

/**
 * The MD5 that SOAP needs gives the password away to who reads the table and the key, so only those keep it who may use
 * SOAP: cash desks, integrations, and whoever has used it.
 */
export class StaffSoap extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE staff ADD COLUMN soap bool NOT NULL DEFAULT false;
      UPDATE staff SET soap = true WHERE soap_md5 IS NOT NULL AND (role IN ('cashier', 'integration')
        OR EXISTS (SELECT FROM soap_sessions WHERE staff_id = staff.id)
        OR EXISTS (SELECT FROM finance_operations WHERE owner_id = staff.id AND op_type_id = 40));
      UPDATE staff SET soap_md5 = NULL WHERE NOT soap;
    `)
  }
}
