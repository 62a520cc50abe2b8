import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { silentLog } from '../../src/platform/log.ts'
import { ensureWorkingRole, workingUrlOf } from '../../src/platform/postgres/working-role.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { withDatabase } from '../../src/platform/storage/schema-check.ts'
import { cloneOf } from './spare-databases.ts'

// Used by test/run.ts too, so nothing here imports tap: that would make the runner a test with a time limit.

/**
 * A migrated database to clone, open to the working role. Its name changes with the migrations and with what that role
 * may do, so that a server that stays never serves an old one. `source` is a database that may be migrated
 * already.
 */
export async function migratedTemplate(serverUrl: string, source = 'template0'): Promise<string> {
  const name = `tollgate_template_${migrationsDigest()}`
  await asAdmin(serverUrl, async (admin) => {
    // Test files run beside each other; the first one makes the template.
    await admin.query('SELECT pg_advisory_lock(7000002)')
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount) return
    const draft = `${name}_draft`
    await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`)
    await admin.query(cloneOf(source, draft))
    await migrate({ url: withDatabase(serverUrl, draft), log: silentLog })
    await ensureWorkingRole(withDatabase(serverUrl, draft))
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${name}`)
  })
  return name
}

/** Thousands of connections are opened in a run: for its own server the password need not be hard to guess. */
export async function cheapenSignIn(serverUrl: string): Promise<void> {
  await asAdmin(serverUrl, async (admin) => {
    await admin.query('SET scram_iterations = 1')
    for (const url of [serverUrl, workingUrlOf(serverUrl)]) {
      const { username, password } = new URL(url)
      await admin.query(`ALTER ROLE ${username} PASSWORD ${pg.escapeLiteral(decodeURIComponent(password))}`)
    }
  })
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
  hash.update(readFileSync(new URL('../../src/platform/postgres/working-role.ts', import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}
