import type { Log } from '../platform/log.ts'

/**
 * What a start leaves out is loaded once the program serves. Otherwise the first who needs it waits for it, and whoever
 * needs it while an update puts other files in place gets those of the other version, or none.
 */
export async function loadLateModules(log: Log): Promise<void> {
  try {
    await (await import('../platform/storage/orm.ts')).ormOfProcess()
    await import('@simplewebauthn/server')
    await import('@simplewebauthn/server/helpers')
    await import('jose')
    await import('nodemailer')
  } catch (error) {
    log.warn('Modules that are used later could not be loaded yet.', { error })
  }
}
