import { Migration } from '@mikro-orm/migrations'

/**
 * How many subscribers of some organizations live in a house was counted from the rows of all who live there; the index
 * that takes the place of abonents_home has all that is counted. A part of the serial of a card was looked for in all
 * serials.
 */
export class HousesAndSerials extends Migration {
  override up(): void {
    this.addSql(
      'CREATE INDEX abonents_home_uses ON abonents (home_id, organization_id, deleted) WHERE home_id IS NOT NULL',
    )
    this.addSql('DROP INDEX abonents_home')
    this.addSql(trigrams)
  }
}

const trigrams = `DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX cards_trigrams ON cards USING gin (lower(serial) gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
  RAISE NOTICE 'pg_trgm cannot be had: parts of serials of cards are looked for in all of them (%)', SQLERRM;
END $$`
