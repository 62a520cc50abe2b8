import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** The process that holds a lock. A pid alone is not enough, because pids are reused after a crash or a reboot. */
type Holder = { pid: number; bornAt: string }

export type LockAttempt = { kind: 'taken'; release(): void } | { kind: 'held'; pid: number }

/**
 * Takes the lock file unless the process named in it still lives. A lock left by a dead process is taken over.
 * The content appears together with the name (link of a finished file), so nobody reads half a lock.
 */
export function takeLock(path: string): LockAttempt {
  const mine: Holder = { pid: process.pid, bornAt: birthOf(process.pid) ?? 'unknown' }
  const text = JSON.stringify(mine)
  for (;;) {
    const fresh = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
    writeFileSync(fresh, text, { mode: 0o600 })
    try {
      linkSync(fresh, path)
      return { kind: 'taken', release: () => releaseLock(path, text) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(fresh, { force: true })
    }
    const found = readLock(path)
    if (found === null) continue
    const holder = parseHolder(found)
    if (holder !== null && isHeldBy(holder, path)) return { kind: 'held', pid: holder.pid }
    discardStale(path, found)
  }
}

/** The pid of the living holder, or null. */
export function lockHolder(path: string): number | null {
  const found = readLock(path)
  const holder = found === null ? null : parseHolder(found)
  return holder !== null && isHeldBy(holder, path) ? holder.pid : null
}

/** Whether a process with this number runs; a zombie has ended. */
export const isAlive = (pid: number): boolean => birthOf(pid) !== null

function releaseLock(path: string, text: string): void {
  if (readLock(path) === text) rmSync(path, { force: true })
}

/** Renames the stale file first, so that only one of two processes that judge it stale removes it. */
function discardStale(path: string, judged: string): void {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Another process took the lock between our check and the rename, so it gets its file back.
  if (readLock(aside) !== judged) {
    try {
      linkSync(aside, path)
    } catch {
      // A third process has taken the lock in the meantime.
    }
  }
  rmSync(aside, { force: true })
}

function readLock(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function parseHolder(text: string): Holder | null {
  try {
    const { pid, bornAt } = JSON.parse(text) as Partial<Holder>
    return typeof pid === 'number' && typeof bornAt === 'string' ? { pid, bornAt } : null
  } catch {
    return null
  }
}

/**
 * A service with a /proc of its own may be shown another boot id than commands beside it, as systemd does in a
 * container. Then a process of this number that began at the same tick is the holder if it was there when the lock was
 * written: one of another boot is younger than a lock of before.
 */
function isHeldBy(holder: Holder, path: string): boolean {
  const born = birthOf(holder.pid)
  if (born === null || born === holder.bornAt) return born !== null
  const ticks = ticksOf(born)
  if (ticks === null || ticks !== ticksOf(holder.bornAt)) return false
  const own = ticksOf(birthOf(process.pid) ?? '')
  const written = statSync(path, { throwIfNoEntry: false })
  if (own === null || !written) return false
  const bornAtMs = Date.now() - process.uptime() * 1000 + (ticks - own) * tickMs
  return bornAtMs <= written.mtimeMs + clockStepMs
}

/** Of every Linux: sysconf(_SC_CLK_TCK) is 100. */
const tickMs = 10
/** By so much the clock may have been set since. */
const clockStepMs = 1_000

/** From the boot to the start of a process; null: `birth` has none. */
function ticksOf(birth: string): number | null {
  const ticks = /:(\d+)$/.exec(birth)?.[1]
  return ticks === undefined ? null : Number(ticks)
}

/** Boot id and start tick of a living process: together they never repeat. Null when it has ended. */
function birthOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): the command name may hold spaces and brackets; after the last bracket come state (field 3) … starttime
    // (22).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    return `${bootId()}:${fields[19]}`
  } catch {
    return process.platform === 'linux' ? null : birthWithoutProc(pid)
  }
}

function birthWithoutProc(pid: number): string | null {
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'unknown' : null
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return 'boot'
  }
}
