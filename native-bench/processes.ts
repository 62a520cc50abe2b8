import { readdirSync, readFileSync } from 'node:fs'

/** Of Linux: what /proc counts times in. */
const ticksPerSecond = 100

/**
 * User and system time of a process, of all that descend from it, and of those of them that have ended and were waited
 * for, in microseconds. The kernel tells it in steps of ten milliseconds, so measure for seconds.
 */
export function cpuMicroseconds(roots: readonly number[]): number {
  return ([...familyOf(roots).values()].reduce((sum, { ticks }) => sum + ticks, 0) * 1e6) / ticksPerSecond
}

/**
 * Time that the threads of one process have run, in microseconds, to the nanosecond where the kernel tells it so; of a
 * process that has ended none.
 */
export function ownCpuMicroseconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.reduce((sum, thread) => sum + ranOf(`/proc/${pid}/task/${thread}/schedstat`), 0)
  } catch {
    return ((readProcess(String(pid))?.ownTicks ?? 0) * 1e6) / ticksPerSecond
  }
}

/** The first number is nanoseconds on a processor. */
const ranOf = (path: string): number => Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e3

/** The process and all that descend from it. */
export const withDescendants = (pid: number): number[] => [...familyOf([pid]).keys()]

/** Asks all that descend from this process to end, also those that have been stopped. */
export function endDescendants(): void {
  for (const pid of familyOf([process.pid]).keys()) {
    if (pid === process.pid) continue
    try {
      process.kill(pid, 'SIGTERM')
      process.kill(pid, 'SIGCONT')
    } catch {
      // It has ended by itself.
    }
  }
}

/** The processes and all that descend from them. */
function familyOf(roots: readonly number[]): Map<number, ProcessRow> {
  const processes = readProcesses()
  const isOfFamily = (pid: number): boolean => {
    const found = processes.get(pid)
    return roots.includes(pid) || (found !== undefined && found.parent > 1 && isOfFamily(found.parent))
  }
  return new Map([...processes].filter(([pid]) => isOfFamily(pid)))
}

/** Bytes that a process and all that descend from it have in memory now; what several of them share counts once. */
export function treeBytes(root: number): number {
  const processes = readProcesses()
  let kib = 0
  for (const pid of processes.keys()) {
    if (!isOf(processes, pid, root)) continue
    try {
      kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      // It has ended meanwhile.
    }
  }
  return kib * 1024
}

/** Bytes of a process in memory, now and at most since its start. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** KiB that a process has in memory now. */
export function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** `ticks`: of children that were waited for too. */
type ProcessRow = { parent: number; ticks: number; ownTicks: number }

function readProcesses(): Map<number, ProcessRow> {
  const found = new Map<number, ProcessRow>()
  for (const name of readdirSync('/proc')) {
    const row = /^\d+$/.test(name) ? readProcess(name) : null
    if (row) found.set(Number(name), row)
  }
  return found
}

/** Null: it has ended. */
function readProcess(name: string): ProcessRow | null {
  try {
    // The name in parentheses may hold anything; what follows is numbers. See proc(5).
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [user, system, ofEndedUser, ofEndedSystem] = fields.slice(11, 15).map(Number)
    const ownTicks = user! + system!
    return { parent: Number(fields[1]), ticks: ownTicks + ofEndedUser! + ofEndedSystem!, ownTicks }
  } catch {
    return null
  }
}

function isOf(processes: ReturnType<typeof readProcesses>, pid: number, root: number): boolean {
  for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === root) return true
  return false
}
