import pg from 'pg'
import { openMigrator } from '../../src/platform/storage/migrator.ts'
import { atEndOfRoom } from '../runner/end-of-room.ts'
import { testDatabaseUrl } from './database.ts'

type Migration = {
  readonly client: pg.Client
  /** Goes on to the migration of this name, or to the last one. */
  up(to?: string): Promise<void>
}

/**
 * A database as it was after the migration `last`, gone when the test is through: for the test of a later one. To make
 * one from nothing costs most of what all migrations cost, so the tests of a file are in the order of theirs.
 */
export async function migratedTo(t: { teardown(deed: () => unknown): unknown }, last: string): Promise<Migration> {
  const url = await testDatabaseUrl(t, { copyOf: await reached(last) })
  const orm = await openMigrator(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await orm.close(true)
  })
  const up = async (to?: string) => {
    await orm.migrator.up(to === undefined ? {} : { to })
  }
  return { client, up }
}

/** Goes from migration to migration, and tests get copies of it. */
let way: { readonly url: string; at: string } | null = null

/** The name of the database when it has come to this migration. One that is beyond it is of no use, and another begins. */
async function reached(migration: string): Promise<string> {
  if (way === null || way.at > migration) {
    const ofProcess = { teardown: (deed: () => unknown) => atEndOfRoom(async () => deed()) }
    way = { url: await testDatabaseUrl(ofProcess, { migrated: false }), at: '' }
  }
  if (way.at < migration) {
    const orm = await openMigrator(way.url)
    await orm.migrator.up({ to: migration })
    await orm.close(true)
    way.at = migration
  }
  return new URL(way.url).pathname.slice(1)
}
