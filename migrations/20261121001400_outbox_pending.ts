import { Migration } from '@mikro-orm/migrations'

/**
 * The outbox is read in the order of ids. With an index by due_at the planner walked the primary key instead, over every effect
 * ever done, as soon as many were pending.
 */
export class OutboxPending extends Migration {
  override up(): void {
    this.addSql('DROP INDEX outbox_pending')
    this.addSql('CREATE INDEX outbox_pending ON outbox (id) WHERE done_at IS NULL')
  }
}
