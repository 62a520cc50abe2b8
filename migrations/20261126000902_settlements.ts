import { Migration } from '@mikro-orm/migrations'

/** A payment that was not credited is settled by crediting it to a subscriber, by giving it back, or by a note. */
export class Settlements extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE payment_problems
        ADD COLUMN settlement text
          CONSTRAINT payment_problems_settlement CHECK (settlement IN ('credited', 'given_back', 'noted')),
        ADD COLUMN operation_id int8;
    `)
  }
}
