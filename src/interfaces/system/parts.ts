import type { Pool } from 'pg'
import type { SubscriberActors } from '../../billing/accounts/subscribers.ts'
import type { Session } from '../../domain/events.ts'
import type { NasId, SubscriberId } from '../../domain/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings/settings.ts'

/** A live session. `userLogin` is Users.login, even when the NAS identifies the subscriber by MAC. */
type LiveSession = Session & { readonly userLogin: string }

/** Disconnect-Requests in flight. `answered` resolves when every NAS has answered or was given up. */
export type DisconnectOrder = { readonly sent: number; readonly answered: Promise<unknown> }

type JobOutcome = { readonly ok: boolean; readonly result: Readonly<Record<string, unknown>> }

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
  readonly liveSessions: number
  readonly spoolBytes: number
  /** The NAS that have left their last Disconnects unanswered, and how many of them in a row. */
  readonly unansweredNas: readonly { readonly nas: string; readonly disconnects: number }[]
  readonly version: string
  readonly startedAt: Date
}

/** What the handlers of the System API depend on. */
export type SystemParts = {
  readonly database: { readonly pool: Pool }
  readonly settings: Pick<Settings, 'get' | 'set'>
  readonly timeZone: () => string
  readonly sessions: {
    liveOf(login: string): readonly LiveSession[]
    ofSubscriber(id: SubscriberId): readonly LiveSession[]
    page(slot: number, max: number, nas: NasId | null): { sessions: readonly LiveSession[]; next: number | null }
  }
  readonly nas: () => readonly { readonly id: NasId; readonly ip: string | null }[]
  /** Users.login of a login or a MAC; null for an unknown one. */
  readonly loginOf: (login: string) => string | null
  readonly disconnects: {
    orderLogins(logins: readonly string[], subscriberId: SubscriberId | null): DisconnectOrder
  }
  /** Disconnects a session by its id; null when it is not live. */
  readonly disconnectSession: (id: number) => DisconnectOrder | null
  readonly jobs: { readonly names: readonly string[]; run(name: string): Promise<JobOutcome | null> }
  readonly subscribers: Pick<SubscriberActors, 'status' | 'ask' | 'promiseProspect'>
  readonly messages: {
    /** The text of a message that is the reply to an SMS, which makes sending it unnecessary. */
    answer(id: SubscriberId, template: 'promise_activated', values: Readonly<Record<string, string>>): Promise<string>
  }
  readonly state: () => ProgramState
  /** Reads everything that is held in memory from the tables again. */
  readonly reload: () => Promise<void>
  readonly log: Log
}
