import { Migration } from '@mikro-orm/migrations'

/**
 * The operation of a transaction was looked for in all operations, by the search of the list and by a filter of REST.
 * Charges have none, so only payments write the index.
 */
export class OperationsByTransaction extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX finance_operations_txn ON finance_operations (txn) WHERE txn IS NOT NULL')
  }
}
