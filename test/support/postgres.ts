import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { silentLog } from '../../src/log.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { type PostgresServer, startPostgres, startTemporaryPostgres } from '../../src/storage/postgres-server.ts'
import { withDatabase } from '../../src/storage/schema-check.ts'

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

/** A migrated database to clone. Its name changes with the migrations, so that a server that stays never serves an old one. */
export async function migratedTemplate(serverUrl: string): Promise<string> {
  const name = `tollgate_template_${migrationsDigest()}`
  await asAdmin(serverUrl, async (admin) => {
    // Test files run beside each other; the first one makes the template.
    await admin.query('SELECT pg_advisory_lock(7000002)')
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount) return
    const draft = `${name}_draft`
    await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`)
    await admin.query(`CREATE DATABASE ${draft} TEMPLATE template0`)
    await migrate({ url: withDatabase(serverUrl, draft), log: silentLog })
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${name}`)
  })
  return name
}

export async function asAdmin<T>(serverUrl: string, deed: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  try {
    return await deed(admin)
  } finally {
    await admin.end()
  }
}

function migrationsDigest(): string {
  const folder = new URL('../../migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(new URL(file, folder)))
  return hash.digest('hex').slice(0, 16)
}

/** A server of a test's own, to be stopped and frozen. It keeps its address over a stop. */
export async function ownServer(t: { teardown(deed: () => unknown): unknown }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-server-'))
  // Run by root, the server is another user and must get in.
  chmodSync(dataDir, 0o711)
  const start = () => startPostgres({ dataDir, log: silentLog, settings: { fsync: 'off' } })
  let running = await start()
  const pid = () => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  /** The server is one process for each connection; all of them stand still. */
  const signal = (name: NodeJS.Signals) => {
    for (const one of [pid(), ...childrenOf(pid())]) process.kill(one, name)
  }
  t.teardown(async () => {
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    url: running.url,
    stop: () => running.stop(),
    start: async () => {
      running = await start()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
