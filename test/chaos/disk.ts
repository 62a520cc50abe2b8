import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const pageBytes = 4096

/** The disk under the spool of the program. */
export type SpoolDisk = {
  readonly kind: string
  /** Writing fails from now on, perhaps in the middle of a record; `pid` is the program, where that is needed. */
  fill(pid: number): Promise<void>
  empty(pid: number): Promise<void>
  remove(): void
}

/** A small file system of its own where we may mount one, else a limit on the size of the program's files. */
export function spoolDisk(folder: string): SpoolDisk {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'tmpfs', folder], { stdio: 'ignore' })
    return new SmallDisk(folder)
  } catch {
    return sizeLimit
  }
}

/** ENOSPC. */
class SmallDisk implements SpoolDisk {
  readonly kind = 'tmpfs (ENOSPC)'
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    chmodSync(folder, 0o700)
    process.on('exit', this.remove)
  }

  /** One page is left, so that a batch may fit in part. */
  async fill(): Promise<void> {
    const ballast = openSync(join(this.#folder, 'ballast'), 'w')
    try {
      while (statfsSync(this.#folder).bavail > 1) writeSync(ballast, Buffer.alloc(pageBytes))
    } finally {
      closeSync(ballast)
    }
  }

  async empty(): Promise<void> {
    rmSync(join(this.#folder, 'ballast'), { force: true })
  }

  readonly remove = (): void => {
    process.off('exit', this.remove)
    execFileSync('umount', ['-l', this.#folder], { stdio: 'ignore' })
  }
}

/**
 * EFBIG: no file of the program may grow beyond a page. Gone with the process, as long as nobody fills the disk of the
 * next one.
 */
const sizeLimit: SpoolDisk = {
  kind: 'RLIMIT_FSIZE (EFBIG)',
  fill: async (pid) => void (await run('prlimit', ['--pid', String(pid), `--fsize=${pageBytes}:`]).catch(() => {})),
  empty: async (pid) => void (await run('prlimit', ['--pid', String(pid), '--fsize=unlimited:']).catch(() => {})),
  remove: () => {},
}
