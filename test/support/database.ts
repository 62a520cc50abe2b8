import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { silentLog } from '../../src/platform/log.ts'
import { type Database, openDatabase } from '../../src/platform/storage/database.ts'
import { withDatabase } from '../../src/platform/storage/schema-check.ts'
import { cloneOf, takeSpare } from '../runner/spare-databases.ts'
import { testServer } from './postgres.ts'
import { asAdmin, migratedTemplate } from '../runner/template.ts'

/** A machine that runs several tests at once may take long to open a connection; the database is there all the same. */
export const patientLimits = { connectionTimeoutMillis: 30_000, query_timeout: 60_000 }

type Teardown = { teardown(deed: () => unknown): unknown }

/** A migrated database of its own, gone when the test is through. */
export async function testDatabase(t: Teardown): Promise<{ url: string; database: Database }> {
  const url = await testDatabaseUrl(t)
  const database = await openDatabase({ url, log: silentLog, pool: { general: 4, ledger: 4 }, limits: patientLimits })
  t.teardown(() => database.close())
  return { url, database }
}

/** The same for a test that opens the database itself; `migrated: false` makes it empty. */
export async function testDatabaseUrl(t: Teardown, { migrated = true } = {}): Promise<string> {
  const server = await testServer()
  const name = `tollgate_test_${randomBytes(6).toString('hex')}`
  await asAdmin(server, async (admin) => {
    if (migrated && (await takeSpare(admin, name))) return
    await admin.query(cloneOf(migrated ? await migratedTemplate(server) : 'template0', name))
  })
  t.teardown(() => asAdmin(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
  return withDatabase(server, name)
}

/**
 * Connections to a database of a test, closed when the test is through. The promise of `end` does not wait for them to
 * leave, so the server may tell one that it is dropping the database.
 */
export function testPool(t: Teardown, url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max })
  pool.on('error', (error) => {
    if (!pool.ending) throw error
  })
  t.teardown(() => pool.end())
  return pool
}
