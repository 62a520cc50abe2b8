import type { AccountActors } from '../billing/accounts/accounts.ts'
import type { SubscriberActors } from '../billing/accounts/subscribers.ts'
import type { Jobs } from '../billing/jobs/jobs.ts'
import type { Messages } from '../billing/messages/messages.ts'
import type { ProgramState, SystemParts } from '../interfaces/system/parts.ts'
import type { AccessBook } from '../network/access/book.ts'
import type { SessionBook } from '../network/radius/accounting/sessions.ts'
import type { Spool } from '../network/radius/accounting/spool.ts'
import type { Disconnects } from '../network/radius/coa/disconnects.ts'
import type { RadiusEngine } from '../network/radius/engine.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { Database } from '../platform/storage/database.ts'

/** The parts of the program that the System API looks into and steers. */
export type Steered = {
  database: Database
  settings: Settings
  sessions: SessionBook
  spool: Spool
  book: AccessBook
  disconnects: Disconnects
  accounts: AccountActors
  subscribers: SubscriberActors
  radius: RadiusEngine
  /** Threads that answer RADIUS. */
  workers: number
  jobs: Jobs
  messages: Messages
  /** Why the program cannot serve now; null: it can. */
  notReady: () => string | null
  /** Staff and their sessions are asked of the tables again. */
  forgetStaff: () => void
  version: string
  log: Log
}

/** Joins the System API, which knows no other edge, with the rooms it speaks of. */
export function systemApi(parts: Steered): SystemParts {
  const { database, settings, sessions, book, disconnects, accounts, subscribers, radius, jobs, messages, log } = parts
  const startedAt = new Date()
  return {
    database,
    settings,
    timeZone: () => settings.get('TIME_ZONE'),
    sessions,
    nas: () => book.nas,
    loginOf: (login) => book.ownerOf(login)?.login ?? null,
    disconnects,
    disconnectSession: (id) => {
      const session = sessions.byId(id)
      return session && disconnects.orderSession(session)
    },
    jobs,
    subscribers,
    messages: { answer: (id, template, values) => messages.notices.answer(id, template, values) },
    state: (): ProgramState => ({
      notReady: parts.notReady(),
      databaseUp: database.isUp(),
      radius: {
        ready: radius.isReady(),
        workers: parts.workers,
        authPort: radius.addresses.authPort,
        acctPort: radius.addresses.acctPort,
      },
      liveSessions: sessions.size,
      spoolBytes: parts.spool.bytes,
      version: parts.version,
      startedAt,
    }),
    reload: async () => {
      await settings.reload()
      accounts.invalidateAll()
      subscribers.invalidateAll()
      parts.forgetStaff()
      await book.refresh({ pools: '*', nas: '*', users: '*' })
    },
    log,
  }
}
