import pg from 'pg'
import { openMigrator } from '../../src/platform/storage/migrator.ts'
import { testDatabaseUrl } from './database.ts'

type Migration = {
  readonly client: pg.Client
  /** Goes on to the migration of this name, or to the last one. */
  up(to?: string): Promise<void>
}

/** A database as it was after the migration `last`, gone when the test is through: for the test of a later one. */
export async function migratedTo(t: { teardown(deed: () => unknown): unknown }, last: string): Promise<Migration> {
  const url = await testDatabaseUrl(t, { migrated: false })
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
  await up(last)
  return { client, up }
}
