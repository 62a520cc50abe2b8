import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Used by test/run.ts and npm run chaos too, so nothing here imports tap.

/** PostgreSQL runs as another user when we are root, so the folder has to let it through. */
export function newDataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  chmodSync(dir, 0o755)
  return dir
}

/** Made by test/runner/migrated-folder.ts, in the folder of the temporary files of the run. */
export const migratedFolder = (): string => join(tmpdir(), 'tollgate-migrated')

/**
 * The data folder of a program that `tollgate migrate` was run for, with a PostgreSQL of its own. Outside of a run there
 * is none to copy, and it is empty: a program makes the same of it by itself.
 */
export function migratedDataDir(): string {
  const dir = newDataDir()
  // The cluster keeps its owner, who is another user than root.
  if (existsSync(migratedFolder())) execFileSync('cp', ['-a', '--reflink=auto', `${migratedFolder()}/.`, dir])
  return dir
}
