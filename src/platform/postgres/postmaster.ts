import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Log } from '../log.ts'
import type { PostgresKey } from './cluster.ts'
import { StartRefusal } from './data-folder.ts'
import { isAlive } from './process-lock.ts'
import { ensureWorkingRole } from './working-role.ts'

/** A running PostgreSQL as its `postmaster.pid` describes it. */
export type Postmaster = { readonly pid: number; readonly port: number }

type PidFile = Postmaster & { status: string }

const repeatMessageMs = 5_000
const stoppingMs = 20_000
const accessMs = 15_000

/**
 * The server that works on this cluster now, ready for connections; null when there is none. One that is starting or
 * stopping is waited for. A pid file that names another program's process is removed.
 */
export async function findPostmaster(cluster: string, log: Log, signal: AbortSignal): Promise<Postmaster | null> {
  const began = performance.now()
  let loggedAt = began
  let isUrged = false
  for (;;) {
    const file = readPidFile(cluster)
    if (file === null || !isAlive(file.pid)) return null
    if (!servesFolder(file.pid, cluster)) {
      discardStalePidFile(cluster, file.pid, log)
      return null
    }
    if (file.status === 'ready') return { pid: file.pid, port: file.port }
    const now = performance.now()
    if (now - loggedAt > repeatMessageMs) {
      loggedAt = now
      log.info(`PostgreSQL (process ${file.pid}) is still ${file.status || 'starting'}; waiting for it`)
    }
    if (file.status === 'stopping' && now - began > stoppingMs && !isUrged) {
      isUrged = true
      log.warn(`PostgreSQL (process ${file.pid}) takes long to stop; it is told to stop at once`)
      process.kill(file.pid, 'SIGQUIT')
    }
    await pause(50, undefined, { signal })
  }
}

/**
 * PostgreSQL's miscadmin.h: line 1 the pid, line 4 the port, line 8 the status. Null while it is missing or incomplete.
 */
export function readPidFile(cluster: string): PidFile | null {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 0) return null
    return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() }
  } catch {
    return null
  }
}

/**
 * Whether the process is a postmaster or backend of this cluster: only those have its folder as their working
 * directory.
 */
function servesFolder(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' && namesFolder(pid, cluster)
  }
}

/**
 * A process with a right that we have not, as a service gives its own, hides its folder from us, even where its user is
 * the same. It shows its command line: the postmaster's has the folder, and a backend's says what it does.
 */
function namesFolder(pid: number, cluster: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    const isOfOurUser = statSync(`/proc/${pid}`).uid === process.getuid?.()
    return isOfOurUser && (command.split('\0').includes(cluster) || command.startsWith('postgres: '))
  } catch {
    return false
  }
}

/**
 * After a crash another process may have got the old pid, and PostgreSQL would refuse to start for ever. The file also
 * protects against backends that outlived their postmaster, so it stays while any of them is left.
 */
function discardStalePidFile(cluster: string, pid: number, log: Log): void {
  const survivors = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && servesFolder(Number(name), cluster))
  if (survivors.length > 0) return
  log.warn(`the pid file of PostgreSQL names process ${pid}, which is not PostgreSQL; the stale file is removed`)
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
}

export const urlOf = (key: PostgresKey, port: number, database = key.database): string =>
  `postgres://${key.user}:${key.password}@127.0.0.1:${port}/${database}`

/**
 * Waits until the server takes our connections. False when it ended meanwhile (it was about to stop).
 * `stillThere` says whether its process lives.
 */
export async function waitForAccess(
  cluster: string,
  key: PostgresKey,
  port: number,
  stillThere: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const giveUpAt = performance.now() + accessMs
  while (stillThere()) {
    const obstacle = await trySignIn(cluster, key, port)
    if (obstacle === null) return true
    if (performance.now() > giveUpAt)
      throw new StartRefusal(
        `The PostgreSQL of ${cluster} runs on port ${port} but does not let us in: ${obstacle}. End that process, then start Tollgate again.`,
      )
    await pause(50, undefined, { signal })
  }
  return false
}

/**
 * Signs in, checks that this server holds our folder, and makes our database and the role that works on it where they
 * are missing. SCRAM proves that both sides know the password. Null, or what is in the way.
 */
async function trySignIn(cluster: string, key: PostgresKey, port: number): Promise<string | null> {
  const client = new Client({ connectionString: urlOf(key, port, 'postgres'), connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ folder: string; known: boolean }>(
      `select current_setting('data_directory') as folder, exists(select from pg_database where datname = $1) as known`,
      [key.database],
    )
    const { folder, known } = rows[0]!
    if (folder !== cluster) return `it serves the folder ${folder}`
    if (!known) await client.query(`create database ${client.escapeIdentifier(key.database)}`)
    await ensureWorkingRole(urlOf(key, port))
    return null
  } catch (error) {
    if ((error as { code?: string }).code === '28P01')
      throw new StartRefusal(
        `The PostgreSQL of ${cluster} does not accept the password kept in postgres.json beside it. Bring that file back from a backup of the data folder.`,
      )
    return (error as Error).message
  } finally {
    await client.end().catch(() => {})
  }
}
