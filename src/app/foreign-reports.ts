import type { EventOf } from '../domain/events.ts'
import type { Live } from '../live/live.ts'
import type { ForeignCounters } from '../network/radius/accounting/foreign-counters.ts'
import type { LiveSession } from '../network/radius/accounting/live-session.ts'
import type { SessionTable } from '../network/radius/accounting/session-table.ts'
import type { Clock } from '../platform/actors/clock.ts'

type ForeignReportsParts = {
  readonly live: Pick<Live, 'watchedSubscribers'> & { sessionUpdated(event: EventOf<'sessionUpdated'>): void }
  readonly sessions: Pick<SessionTable, 'ofSubscriber'>
  readonly foreignCounters: Pick<ForeignCounters, 'of'>
  readonly clock: Clock
}

/** The interval at which a page asks again for sessions that have been reported. */
const everyMs = 5_000

/**
 * Shows the open pages of subscribers the reports that other nodes hear of their sessions. Nobody is told of these, so
 * they are looked up by one statement, while there is such a page and such a session. Pages of all sessions do without
 * them, since at a hundred thousand sessions that would be hundreds a second.
 */
export class ForeignReports {
  readonly #parts: ForeignReportsParts
  /** By session, when it was reported last, as far as its pages know. */
  #shown = new Map<string, number>()
  #cancel: () => void = () => {}

  constructor(parts: ForeignReportsParts) {
    this.#parts = parts
    this.#plan()
  }

  stop(): void {
    this.#cancel()
  }

  #plan(): void {
    this.#cancel = this.#parts.clock.after(everyMs, () => {
      this.#plan()
      void this.#look()
    })
  }

  /** Never rejects: while the database is away there is nothing new. */
  async #look(): Promise<void> {
    const { live, sessions, foreignCounters, clock } = this.#parts
    const watched: LiveSession[] = []
    for (const id of live.watchedSubscribers())
      watched.push(...sessions.ofSubscriber(id).filter(({ node }) => node !== null))
    const before = this.#shown
    this.#shown = new Map(watched.map(({ id, updatedAt }) => [id, before.get(id) ?? updatedAt.getTime()]))
    for (const session of await foreignCounters.of(watched)) {
      const reportedMs = session.updatedAt.getTime()
      if (reportedMs === this.#shown.get(session.id)) continue
      this.#shown.set(session.id, reportedMs)
      live.sessionUpdated({ kind: 'sessionUpdated', at: clock.now(), session, isForeign: true })
    }
  }
}
