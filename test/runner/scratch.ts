import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../src/platform/postgres/process-lock.ts'

const memory = '/dev/shm'
const prefix = 'tollgate-run-'
const bytesWanted = 4 * 2 ** 30

/**
 * A folder for the temporary files of this run, gone with it; `TMPDIR` of its processes. In memory where there is
 * plenty: a thousand databases are made and dropped in a run, and each costs six times the CPU on the file system of a
 * disk. Folders of runs that were killed go as well.
 */
export function scratchFolder(parent = isRoomy(memory) ? memory : tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : null
    if (pid !== null && !isAlive(pid)) remove(join(parent, name))
  }
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`))
  // Run by root, servers are another user and must get in.
  chmodSync(folder, 0o711)
  process.on('exit', () => remove(folder))
  return folder
}

/** A file system that a killed run of chaos has mounted stays until somebody unmounts it, and holds up no other run. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    process.stderr.write(`${folder} cannot be removed.\n`)
  }
}

/** A container may have no such folder, or one of some megabytes. */
function isRoomy(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return Math.min(bavail * bsize, freemem()) > bytesWanted
  } catch {
    return false
  }
}
