import { Migration } from '@mikro-orm/migrations'

/** While somebody types the number of a document, it is looked up and not searched for in all operations. */
export class DocumentNumbers extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX finance_operations_number ON finance_operations (number) WHERE number IS NOT NULL')
  }
}
