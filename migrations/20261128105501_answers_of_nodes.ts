import { Migration } from '@mikro-orm/migrations'

/** A request of a phone is carried out by one of several programs even where both get it at once. */
export class AnswersOfNodes extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE client_answers ADD COLUMN node int4`)
    this.addSql(
      `ALTER TABLE client_answers ALTER COLUMN node SET DEFAULT nullif(current_setting('tollgate.node', true), '')::int4`,
    )
  }
}
