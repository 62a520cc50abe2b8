import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../src/platform/log.ts'
import { type PostgresServer, startPostgres } from '../../src/platform/postgres/server.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { migratedDataDir, migratedFolder, newDataDir } from '../support/data-folder.ts'
import { cheapenSignIn } from './template.ts'

/** Nobody needs what is in the servers of a run after a power cut. */
const unsafeSettings = { fsync: 'off', full_page_writes: 'off' }

/**
 * Makes the data folder that tests copy, as `tollgate migrate` leaves it, with the program's own code and once in a run:
 * to make one takes two seconds of CPU, and to copy it a tenth of one.
 */
export async function makeMigratedFolder(): Promise<void> {
  const dataDir = newDataDir()
  // Of the log as few files as there can be.
  const settings = { ...unsafeSettings, min_wal_size: '32MB', wal_recycle: 'off' }
  const server = await startPostgres({ dataDir, log: silentLog, settings })
  try {
    await migrate({ url: server.url, log: silentLog })
    await cheapenSignIn(server.url)
  } finally {
    await server.stop()
  }
  // A server comes back under its last port, and those of all copies would try for the same one.
  const key = join(dataDir, 'postgres.json')
  writeFileSync(key, JSON.stringify({ ...JSON.parse(readFileSync(key, 'utf8')), port: 0 }))
  renameSync(dataDir, migratedFolder())
}

/**
 * The server that all processes of the run share, on such a copy. Thousands of connections are opened to it, by programs
 * with fifteen of them each, and passwords in plain text spare each a quarter of its CPU.
 */
export function startSharedServer(): Promise<PostgresServer> {
  const dataDir = migratedDataDir()
  const rules = join(dataDir, 'postgres', 'pg_hba.conf')
  writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll('scram-sha-256', 'password'))
  // It would look after databases that are gone in some seconds, and change plans while tests run.
  const settings = { ...unsafeSettings, max_connections: '200', autovacuum: 'off', synchronous_commit: 'off' }
  return startPostgres({ dataDir, log: silentLog, settings })
}
