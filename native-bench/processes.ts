import { readdirSync, readFileSync } from 'node:fs'

/** Of Linux: what /proc counts times in. */
const ticksPerSecond = 100

/**
 * User and system time of a process, of all that descend from it, and of those of them that have ended and were waited for, in
 * microseconds. The kernel tells it in steps of ten milliseconds, so measure for seconds.
 */
export function cpuMicroseconds(roots: readonly number[]): number {
  const processes = readProcesses()
  const isOfRoots = (pid: number): boolean => {
    const found = processes.get(pid)
    return roots.includes(pid) || (found !== undefined && found.parent > 1 && isOfRoots(found.parent))
  }
  const ticks = [...processes].reduce((sum, [pid, one]) => (isOfRoots(pid) ? sum + one.ticks : sum), 0)
  return (ticks * 1e6) / ticksPerSecond
}

/** KiB that a process has in memory now. */
export function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

function readProcesses(): Map<number, { parent: number; ticks: number }> {
  const found = new Map<number, { parent: number; ticks: number }>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      // The name in parentheses may hold anything; what follows is numbers. See proc(5).
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      const [parent, ticks] = [Number(fields[1]), fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)]
      found.set(Number(name), { parent, ticks })
    } catch {
      // It has ended meanwhile.
    }
  }
  return found
}
