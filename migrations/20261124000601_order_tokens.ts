import { Migration } from '@mikro-orm/migrations'

/** Who comes back from a gateway without being signed in shows by it that the order is his. */
export class OrderTokens extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE payment_orders ADD COLUMN result_token text')
  }
}
