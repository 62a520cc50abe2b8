import { execFile, type SpawnOptions } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartRefusal } from './data-folder.ts'

/** The user that PostgreSQL runs as when we are root, which it refuses itself. Null: it runs as our user. */
export type RunAs = { uid: number; gid: number; name: string } | null

/**
 * The owner of an existing cluster, else `postgres`, else `nobody`. A cluster owned by root (somebody ran chown) counts
 * as new.
 */
export function chooseUser(cluster: string): RunAs {
  if (process.getuid?.() !== 0) return null
  const users = readUsers()
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster)
    if (uid !== 0) return { uid, gid, name: users.find((user) => user.uid === uid)?.name ?? `uid ${uid}` }
  }
  return (
    users.find((user) => user.name === 'postgres' && user.uid !== 0) ??
    users.find((user) => user.name === 'nobody' && user.uid !== 0) ?? { uid: 65534, gid: 65534, name: 'nobody' }
  )
}

function readUsers(): { uid: number; gid: number; name: string }[] {
  if (!existsSync('/etc/passwd')) return []
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name, , uid, gid]) => ({ name: name!, uid: Number(uid), gid: Number(gid) }))
}

/**
 * Refuses with the name of the first folder that this user may not enter. Without this check PostgreSQL would fail with
 * a message about libssl or another misleading one.
 */
export async function requireAccess(user: RunAs, target: string, whatElse: string): Promise<void> {
  if (user === null) return
  for (const folder of foldersTo(target)) {
    if (await mayPass(user, folder)) continue
    throw new StartRefusal(
      `PostgreSQL does not run as root, so it is started as user ${user.name}, and ${user.name} may not pass through the folder ${folder} on the way to ${target}. Run \`chmod o+x ${folder}\`, or ${whatElse}, or start Tollgate as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

/** `/`, `/a`, `/a/b` … up to and including the target. */
function foldersTo(target: string): string[] {
  const folders: string[] = []
  for (let folder = target; ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (folder === dirname(folder)) return folders
  }
}

async function mayPass(user: NonNullable<RunAs>, folder: string): Promise<boolean> {
  const { mode, uid, gid } = statSync(folder)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  if (mode & bit) return true
  // An access control list may still allow it, which only an attempt as that user can show.
  try {
    await promisify(execFile)('test', ['-x', folder], { uid: user.uid, gid: user.gid, cwd: '/' })
    return true
  } catch {
    return false
  }
}

export type Launch = { command: string; args: string[]; options: SpawnOptions }

/**
 * How to run a PostgreSQL program as that user. Where util-linux's setpriv is there, the kernel sends the program
 * SIGINT (fast shutdown) when we die, even by kill -9; elsewhere it outlives us and the next start finds it again.
 */
export async function launchAs(user: RunAs, program: string, args: string[]): Promise<Launch> {
  // None of our environment is passed on, neither secrets nor PGPORT, PGDATA and the like.
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  // A session of its own: Ctrl-C in the terminal reaches only us, and we stop the database last.
  const options: SpawnOptions = { cwd: '/', env, detached: true }
  const setpriv = await findSetpriv()
  if (setpriv === null)
    return { command: program, args, options: user ? { ...options, uid: user.uid, gid: user.gid } : options }
  const identity = user ? ['--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups'] : []
  return { command: setpriv, args: [...identity, ...ofProgram, '--', program, ...args], options }
}

/**
 * It ends with us, and has none of the capabilities that a service may have been given, such as that to ports below
 * 1024: commands beside the service, which have them not either, could not see whose process it is.
 */
const ofProgram = ['--pdeathsig', 'INT', '--inh-caps', '-all', '--ambient-caps', '-all'] as const

async function findSetpriv(): Promise<string | null> {
  const folders = (process.env.PATH ?? '/usr/bin:/bin').split(delimiter)
  const path = folders.map((folder) => join(folder, 'setpriv')).find((candidate) => existsSync(candidate))
  if (path === undefined) return null
  try {
    // Older and busybox versions do not know --pdeathsig.
    await promisify(execFile)(path, [...ofProgram, '--', 'true'])
    return path
  } catch {
    return null
  }
}
