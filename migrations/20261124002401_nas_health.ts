import { Migration } from '@mikro-orm/migrations'

/**
 * A NAS that falls silent must not vanish with the next start, so when it was heard last is kept. What NAS answered to Disconnect and CoA is
 * listed by time for one NAS or subscriber, which needs the time in the index.
 */
export class NasHealth extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE nas ADD COLUMN last_packet_at timestamptz;
      DROP INDEX coa_requests_nas;
      DROP INDEX coa_requests_subscriber;
      CREATE INDEX coa_requests_nas ON coa_requests (nas_id, sent_at DESC, id DESC);
      CREATE INDEX coa_requests_subscriber ON coa_requests (subscriber_id, sent_at DESC, id DESC) WHERE subscriber_id IS NOT NULL;
    `)
  }
}
