import { spawnSync } from 'node:child_process'
import { faultOfBuild, readBuilt } from '../../src/interfaces/admin/console/built.ts'

/** Builds the console where it is older than its source. Two at once would meet in one folder, so a run does it first. */
export function currentConsole(): void {
  if (faultOfBuild(readBuilt()) === null) return
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/build-console.js'], { encoding: 'utf8' })
  if (status !== 0 || faultOfBuild(readBuilt()) !== null)
    throw new Error(`The console was not built.\n${stdout}${stderr}`)
}
