import { Migration } from '@mikro-orm/migrations'

/**
 * Several NAS behind one proxy have one NAS record, and only NAS-IP-Address, NAS-IPv6-Address and NAS-Identifier of their packets tell them
 * apart. They are kept as the packets carry them; sessions from before have none until their next packet.
 */
export class NasIdentity extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE radius_sessions ADD COLUMN nas_ip_address text, ADD COLUMN nas_ipv6_address text, ADD COLUMN nas_identifier text;
      ALTER TYPE radius_session_given
        ADD ATTRIBUTE nas_ip_address text, ADD ATTRIBUTE nas_ipv6_address text, ADD ATTRIBUTE nas_identifier text;
    `)
  }
}
