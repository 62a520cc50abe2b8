import { spawnSync } from 'node:child_process'
import { faultOfBuild, readBuilt } from '../../src/interfaces/admin/console/built.ts'

/** Builds the console where it is older than its source. To be called before the program is opened. */
export function currentConsole(): void {
  if (faultOfBuild(readBuilt()) === null) return
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/build-console.js'], { encoding: 'utf8' })
  if (status !== 0 || faultOfBuild(readBuilt()) !== null)
    throw new Error(`The console was not built.\n${stdout}${stderr}`)
}
