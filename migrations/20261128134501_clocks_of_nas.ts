import { Migration } from '@mikro-orm/migrations'

/** Times of sessions are those of the NAS, so it is kept how far its clock is off, and `tollgate doctor` says so. */
export class ClocksOfNas extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE nas ADD COLUMN clock_ahead_seconds int8')
  }
}
