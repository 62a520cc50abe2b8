import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartRefusal } from '../start-refusal.ts'
import { takeLock } from './process-lock.ts'

export { StartRefusal }

/** Everything Tollgate keeps on disk: `postgres` (cluster), `postgres.json`, `postgres.log`, keys, spool, locks. */
export type DataFolder = {
  /** Absolute, symbolic links resolved. */
  readonly path: string
  file(name: string): string
}

/**
 * Creates the folder when it is missing. Run by root it must let another user pass to the cluster (o+x, not listable);
 * otherwise it is closed to everybody else. The mode of an existing folder is not changed.
 */
export function openDataFolder(path: string): DataFolder {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  try {
    if (makeFolder(path)) chmodSync(path, mode)
    if (!statSync(path).isDirectory())
      throw new StartRefusal(`The data folder ${path} is not a folder. Choose another with TOLLGATE_DATA_DIR.`)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof StartRefusal) throw error
    throw new StartRefusal(
      `The data folder ${path} cannot be used: ${(error as Error).message}. Create it for the user who runs Tollgate, or choose another with TOLLGATE_DATA_DIR.`,
    )
  }
  const real = realpathSync(path)
  return { path: real, file: (name) => join(real, name) }
}

/**
 * Makes a folder with its missing parents, through which everybody may pass. False: it is there. One after the other,
 * because with `recursive` Node tries for ever where the kernel has no such folder, as under /proc.
 */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, 0o755)
    return true
  } catch (error) {
    if (existsSync(path)) return false
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(parent)) throw error
    makeFolder(parent)
    return makeFolder(path)
  }
}

/** At most one `serve` works on a data folder. Other commands do not take this lock. */
export function lockDataFolder(folder: DataFolder): { release(): void } {
  const attempt = takeLock(folder.file('serve.lock'))
  if (attempt.kind === 'taken') return attempt
  throw new StartRefusal(
    `Another Tollgate (process ${attempt.pid}) already serves the data folder ${folder.path}. Stop it first, or choose another folder with TOLLGATE_DATA_DIR.`,
  )
}
