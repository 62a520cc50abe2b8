import { latePackages } from '../platform/late-packages.ts'
import type { Log } from '../platform/log.ts'
import { lateOrm } from '../platform/storage/database.ts'

/**
 * What a start leaves out, loaded at once. Otherwise whoever needs it while an update puts other files in place gets
 * those of the other version, or none.
 */
export async function loadLateModules(log: Log): Promise<void> {
  try {
    await (await lateOrm()).ormOfProcess()
    for (const load of Object.values(latePackages)) await load()
  } catch (error) {
    log.warn('Modules that are used later could not be loaded yet.', { error })
  }
}
