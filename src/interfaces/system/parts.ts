import type { Pool } from 'pg'
import type { SubscriberActors } from '../../billing/accounts/subscribers.ts'
import type { Jobs } from '../../billing/jobs/jobs.ts'
import type { Notices } from '../../billing/messages/notices.ts'
import type { NasEntry } from '../../domain/nas.ts'
import type { ForeignCounters } from '../../network/radius/accounting/foreign-counters.ts'
import type { SessionTable } from '../../network/radius/accounting/session-table.ts'
import type { Disconnects } from '../../network/radius/coa/disconnects.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings/settings.ts'

/** The state of the program that is known without the database. */
export type ProgramState = {
  /** Why the program cannot serve now; null: it can. */
  readonly notReady: string | null
  readonly databaseUp: boolean
  readonly radius: {
    readonly ready: boolean
    readonly workers: number
    readonly authPort: number
    readonly acctPort: number
  }
  readonly spoolBytes: number
  readonly version: string
  readonly startedAt: Date
}

/** What the handlers of the System API depend on. */
export type SystemParts = {
  readonly database: { readonly pool: Pool }
  readonly settings: Pick<Settings, 'get' | 'set'>
  readonly timeZone: () => string
  readonly sessions: Pick<SessionTable, 'liveOf' | 'ofSubscriber' | 'byId' | 'page' | 'size'>
  readonly foreignCounters: Pick<ForeignCounters, 'of'>
  readonly nas: () => readonly Pick<NasEntry, 'id' | 'ip' | 'network'>[]
  /** Users.login of a login or a MAC; null for an unknown one. */
  readonly loginOf: (login: string) => string | null
  readonly disconnects: Pick<Disconnects, 'orderLogins' | 'orderSession' | 'unanswered'>
  readonly jobs: Pick<Jobs, 'names' | 'run'>
  readonly subscribers: Pick<SubscriberActors, 'status' | 'ask' | 'promiseProspect'>
  readonly notices: Pick<Notices, 'reply'>
  readonly state: () => ProgramState
  /** Reads everything that is held in memory from the tables again. */
  readonly reload: () => Promise<void>
  readonly clock: { now(): Date }
  readonly log: Log
}
