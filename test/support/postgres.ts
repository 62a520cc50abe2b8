import t from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { type PostgresServer, startTemporaryPostgres } from '../../src/platform/postgres/server.ts'

export { ownServer } from './own-server.ts'

let server: Promise<PostgresServer> | null = null

/** The server of the whole run (test/run.ts), else one for this file, stopped when the file is through. */
export async function testServer(): Promise<string> {
  const shared = process.env.TOLLGATE_TEST_POSTGRES
  if (shared) return shared
  if (!server) {
    server = startTemporaryPostgres(silentLog)
    t.teardown(async () => (await server)?.stop())
  }
  return (await server).url
}
