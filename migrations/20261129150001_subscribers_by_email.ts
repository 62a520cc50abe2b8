import { Migration } from '@mikro-orm/migrations'

/**
 * The subscriber of an e-mail address was looked for in the index on parts of texts, where nearly every address has most
 * of its parts in common with all others.
 */
export class SubscribersByEmail extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX abonents_email ON abonents (lower(email) text_pattern_ops) WHERE email IS NOT NULL')
  }
}
