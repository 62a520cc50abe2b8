import { accessSync, chmodSync, constants, mkdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
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
    // Only missing folders are created. Everybody may pass through the parents that are created.
    const made = mkdirSync(path, { recursive: true, mode: 0o755 })
    if (made !== undefined) chmodSync(path, mode)
    if (!statSync(path).isDirectory()) throw new StartRefusal(`The data folder ${path} is not a folder.`)
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

/** At most one `serve` works on a data folder. Other commands do not take this lock. */
export function lockDataFolder(folder: DataFolder): { release(): void } {
  const attempt = takeLock(folder.file('serve.lock'))
  if (attempt.kind === 'taken') return attempt
  throw new StartRefusal(
    `Another Tollgate (process ${attempt.pid}) already serves the data folder ${folder.path}. Stop it first, or choose another folder with TOLLGATE_DATA_DIR.`,
  )
}
