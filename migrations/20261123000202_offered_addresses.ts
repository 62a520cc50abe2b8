import { Migration } from '@mikro-orm/migrations'

/**
 * Some NAS send no Framed-IP-Address, so the address of their sessions is the one that was offered. It is kept with the session, because the
 * pools are filled from there when the program starts.
 */
export class OfferedAddresses extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE radius_sessions ADD COLUMN offered_ip inet;
      ALTER TYPE radius_session_given ADD ATTRIBUTE offered_ip text;
    `)
  }
}
