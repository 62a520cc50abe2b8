import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../log.ts'
import type { PostgresBinaries } from './binaries.ts'
import { type DataFolder, StartRefusal } from './data-folder.ts'
import { chooseUser, launchAs, type RunAs, requireAccess } from './user.ts'

/** How we sign in to our own server; `postgres.json` in the data folder, readable by us alone. */
export type PostgresKey = { user: string; password: string; database: string; port: number }

/** A database cluster on disk, ready to be started. */
export type Cluster = { readonly path: string; readonly runAs: RunAs; readonly key: PostgresKey }

/** Makes the cluster when there is none, and checks that the one there can be served by these binaries. */
export async function openCluster(folder: DataFolder, binaries: PostgresBinaries, log: Log): Promise<Cluster> {
  const path = clusterPath(folder)
  const runAs = chooseUser(path)
  await requireAccess(runAs, binaries.folder, 'install Tollgate in a folder open to all, such as /opt/tollgate')
  await requireAccess(runAs, dirname(path), 'choose another folder with TOLLGATE_DATA_DIR, such as /var/lib/tollgate')
  if (!existsSync(path)) requireNoDraft(folder)
  if (!existsSync(path)) return { path, runAs, key: await createCluster(folder, path, binaries, runAs, log) }
  const major = readMajor(path)
  if (major !== binaries.major)
    throw new StartRefusal(
      `${path} was made by PostgreSQL ${major ?? '(no PG_VERSION file)'}, and this Tollgate brings PostgreSQL ${binaries.major}. ${remedyFor(major, binaries)}`,
    )
  await requireOwner(path, runAs)
  return { path, runAs, key: readKey(folder) }
}

/** Where a new cluster is prepared before it takes its place in the data folder. */
export const draftFolders = { restore: 'restoring', upgrade: 'upgrading' } as const

/** What was begun and has not put a cluster in place must not be followed by an empty one. */
function requireNoDraft(folder: DataFolder): void {
  if (existsSync(folder.file(draftFolders.restore)))
    throw new StartRefusal(
      `A restore into ${folder.path} was cut off. Run \`tollgate restore\` with the archive again.`,
    )
  if (existsSync(folder.file(draftFolders.upgrade)))
    throw new StartRefusal(
      `The upgrade of the database in ${folder.path} was cut off. Run \`tollgate upgrade_database\` again.`,
    )
}

/** The administrator may have moved the cluster to another disk and left a link. */
export function clusterPath(folder: DataFolder): string {
  const path = folder.file('postgres')
  return existsSync(path) ? realpathSync(path) : path
}

export function rememberPort(folder: DataFolder, key: PostgresKey, port: number): PostgresKey {
  if (key.port === port) return key
  const changed = { ...key, port }
  writeKey(folder, changed)
  return changed
}

/**
 * The cluster is created under another name and then renamed, so that an interrupted initdb leaves no half-made cluster
 * behind.
 */
async function createCluster(
  folder: DataFolder,
  path: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
  log: Log,
): Promise<PostgresKey> {
  const began = performance.now()
  const key: PostgresKey = {
    user: 'tollgate',
    password: randomBytes(24).toString('base64url'),
    database: 'tollgate',
    port: 0,
  }
  const draft = `${path}.new`
  const passwordFile = folder.file('postgres.initial')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, key.password, { mode: 0o600 })
  if (runAs) for (const owned of [draft, passwordFile]) chownSync(owned, runAs.uid, runAs.gid)
  const launch = await launchAs(runAs, join(binaries.folder, 'bin', 'initdb'), [
    ...['--pgdata', draft, '--username', key.user, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C.UTF-8'],
    // The built-in provider sorts the same under every glibc, so an upgrade of the system cannot spoil an index.
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ])
  try {
    await promisify(execFile)(launch.command, launch.args, { ...launch.options, shell: false })
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    rmSync(draft, { recursive: true, force: true })
    throw new StartRefusal(`PostgreSQL could not create its files in ${path}: ${lastLines(stderr || message, 5)}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
  writeKey(folder, key)
  renameSync(draft, path)
  log.info('database cluster created', { path, user: runAs?.name, tookMs: Math.round(performance.now() - began) })
  return key
}

const remedyFor = (major: string | null, binaries: PostgresBinaries): string =>
  Number(major) < Number(binaries.major)
    ? '`tollgate upgrade_database` carries the data over.'
    : 'Start a version of Tollgate that brings that PostgreSQL, or set DATABASE_URL to a server of that version.'

/** Null: it is none, or was damaged. */
export function readMajor(path: string): string | null {
  try {
    return readFileSync(join(path, 'PG_VERSION'), 'utf8').trim()
  } catch {
    return null
  }
}

/**
 * PostgreSQL serves only a cluster that belongs to its user. As root we change the owner, otherwise we say what to do.
 */
async function requireOwner(path: string, runAs: RunAs): Promise<void> {
  const owner = statSync(path).uid
  if (runAs === null && owner !== process.getuid?.())
    throw new StartRefusal(
      `The database in ${path} belongs to another user (uid ${owner}). Start Tollgate as root or as that user, or run \`chown -R $(id -u) ${path}\` as root.`,
    )
  if (runAs !== null && owner !== runAs.uid)
    await promisify(execFile)('chown', ['-R', `${runAs.uid}:${runAs.gid}`, path])
}

function readKey(folder: DataFolder): PostgresKey {
  const file = folder.file('postgres.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PostgresKey
  } catch (error) {
    throw new StartRefusal(
      `The database password is kept in ${file}, and it cannot be read (${(error as Error).message}). Bring it back from a backup of the data folder.`,
    )
  }
}

/** Null while another process is still making the cluster. */
export const readKeyIfAny = (folder: DataFolder): PostgresKey | null =>
  existsSync(folder.file('postgres.json')) ? readKey(folder) : null

function writeKey(folder: DataFolder, key: PostgresKey): void {
  const file = folder.file('postgres.json')
  writeFileSync(`${file}.new`, `${JSON.stringify(key)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export const lastLines = (text: string, count: number): string => text.trim().split('\n').slice(-count).join('\n')
