import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type RunReport, TapReader } from './report.ts'
import type { Room } from './rooms.ts'

/**
 * Tests make much that is soon garbage beside what stays, the modules and the programs: to look through it less often
 * spares a tenth of the CPU.
 */
const roomyNursery = '--max-semi-space-size=64'

/** How long a test file may take. */
export const fileSeconds = 600
/** A process that cannot even tell that the time of a file is over, or that does not end after its files, is ended. */
const graceSeconds = 60

/**
 * Runs test files one after the other in one process of their own. `onFile` takes the lines of each when it is through.
 */
export function runRoom(
  room: Room,
  env: NodeJS.ProcessEnv,
  onFile: (lines: readonly string[]) => void,
): Promise<RunReport> {
  const child = spawn(process.execPath, [roomyNursery, join(import.meta.dirname, 'room.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, TAP_TIMEOUT: String(fileSeconds) },
  })
  let gaveUp: string | null = null
  let watch = setTimeout(() => {}, 0)
  const watchFor = (seconds: number, why: string) => {
    clearTimeout(watch)
    watch = setTimeout(() => {
      gaveUp = why
      child.kill('SIGKILL')
    }, seconds * 1_000)
  }
  const give = () => {
    const file = room()
    if (file === null) {
      child.stdin.end()
      return watchFor(graceSeconds, 'something was left open, and it did not end by itself')
    }
    reader.expect(file)
    child.stdin.write(`${file}\n`)
    watchFor(fileSeconds + graceSeconds, `no result after ${fileSeconds} s`)
  }
  const reader = new TapReader([], (_, lines) => {
    onFile(lines)
    if (child.stdin.writable) give()
  })
  // A process that has broken takes no more.
  child.stdin.on('error', () => {})
  give()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => reader.read(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const how = gaveUp ?? (signal ? `signal ${signal}` : code === 0 ? null : `status ${code}`)
      const report = reader.report(how)
      clearTimeout(watch)
      resolve(report)
    })
  })
}
