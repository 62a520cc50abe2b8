import type { ProgramState, SystemParts } from '../interfaces/system/parts.ts'
import type { Inside } from './office.ts'

/** Connects the System API with the parts of the program that it shows and controls. */
export function systemApi(
  /** `forgetStaff` drops the cached staff and sessions, so that they are read from the tables again. */
  parts: Inside & { readonly forgetStaff: () => void },
): SystemParts {
  const { database, settings, sessions, foreignCounters, access, disconnects, accounts, subscribers } = parts
  const { radius, jobs, messages, clock, log } = parts
  const startedAt = new Date()
  return {
    database,
    settings,
    timeZone: () => settings.get('TIME_ZONE'),
    sessions,
    foreignCounters,
    nas: () => access.nas,
    loginOf: (login) => access.ownerOf(login)?.login ?? null,
    disconnects,
    jobs,
    subscribers,
    notices: messages.notices,
    state: (): ProgramState => ({
      notReady: parts.notReady(),
      databaseUp: database.isUp(),
      radius: {
        ready: radius.isReady(),
        workers: parts.config.radius.workers,
        authPort: radius.addresses.authPort,
        acctPort: radius.addresses.acctPort,
      },
      spoolBytes: parts.spool.bytes,
      version: parts.version,
      startedAt,
    }),
    reload: async () => {
      await settings.reload()
      accounts.invalidateAll()
      subscribers.invalidateAll()
      parts.forgetStaff()
      await access.refresh({ pools: '*', nas: '*', users: '*' })
    },
    clock,
    log,
  }
}
