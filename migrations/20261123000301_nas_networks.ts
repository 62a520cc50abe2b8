import { Migration } from '@mikro-orm/migrations'

/**
 * A NAS record may stand for a network, or for one of several NAS behind an address by its NAS-Identifier; Disconnect and CoA may go to and
 * leave from addresses of their own; and a secret is changed while both are accepted. A new session keeps the address its packets came from.
 */
export class NasNetworks extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE nas
        DROP CONSTRAINT nas_ip,
        ALTER COLUMN ip DROP NOT NULL,
        ADD COLUMN network cidr,
        ADD COLUMN identifier text,
        ADD COLUMN coa_ip inet,
        ADD COLUMN coa_source inet,
        ADD COLUMN secret_next text,
        ADD COLUMN secret_seen_at timestamptz,
        ADD COLUMN secret_next_seen_at timestamptz,
        ADD COLUMN asked_ip inet,
        ADD CONSTRAINT nas_place CHECK (num_nonnulls(ip, network) = 1);
      CREATE UNIQUE INDEX nas_ip ON nas (ip, coalesce(identifier, ''));
      CREATE UNIQUE INDEX nas_network ON nas (network, coalesce(identifier, ''));
      ALTER TYPE radius_session_given ADD ATTRIBUTE nas_ip text;
    `)
  }
}
