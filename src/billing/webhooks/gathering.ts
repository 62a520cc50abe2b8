import type { WebhookEvent } from '../../domain/webhook-events.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { reading, type TransactionScope, writing } from '../../platform/storage/transactions.ts'
import { lockLanes } from './delivery-table.ts'
import { fanOutSessions, fanOutStored } from './fan-out.ts'
import { sessionEventsSince } from './session-events.ts'
import { readWanting, wants } from './wants.ts'

export type GatheringParts = {
  readonly scope: TransactionScope
  readonly clock: Clock
  readonly log: Log
  /** Called when there are deliveries that were not. */
  readonly made: () => void
}

/** Events of sessions are written together, so that many of them cost little. */
const gatherMs = 250
const retryMs = 1_000
/** How often the outbox is searched for events that nobody announced: of commits whose outcome was unknown. */
const sweepEveryMs = 30_000
/** While the database is away. What is beyond it is looked for in the table of sessions. */
const sessionsMax = 50_000
const sessionsAtOnce = 2_000
/** How far back sessions are looked for whose events may have been lost with the program. */
const lookBackMs = 3_600_000
/** They began or ended at most so long before the last delivery was made. */
const overlapMs = 10 * 60_000
const lookBackTimeoutMs = 30_000

/**
 * Makes deliveries of events: one for each endpoint that wants the event, with what will be sent. Events of the ledger
 * and of subscribers are read from the outbox, where they stand since the commit they tell of; those of sessions, which
 * accounting does not wait for, come from memory, and after a start from the table of sessions.
 */
export class Gathering {
  readonly #parts: GatheringParts
  #sessions: WebhookEvent[] = []
  #mayHaveMissed = true
  #again = false
  #running: Promise<void> | null = null
  #isStopped = false
  #cancel: () => void = () => {}
  #isPlanned = false

  constructor(parts: GatheringParts) {
    this.#parts = parts
  }

  /** An event of a session, which stands in the database. */
  take(event: WebhookEvent): void {
    if (this.#sessions.length < sessionsMax) this.#sessions.push(event)
    else this.#mayHaveMissed = true
    this.#plan(gatherMs)
  }

  /** Events may stand in the outbox. */
  wake(): void {
    this.#again = !this.#isStopped
    if (this.#running || this.#isStopped) return
    this.#running = this.#gather().finally(() => {
      this.#running = null
      if (this.#again) this.wake()
      else if (this.#sessions.length > 0) this.#plan(gatherMs)
    })
  }

  /** Writes what has been taken; while the database is away, that is left to the next start. */
  async stop(): Promise<void> {
    await this.#running
    if (this.#sessions.length > 0) this.wake()
    this.#isStopped = true
    this.#again = false
    this.#cancel()
    await this.#running
  }

  async #gather(): Promise<void> {
    const { log, made } = this.#parts
    try {
      for (;;) {
        this.#again = false
        const done = await this.#gatherSome()
        if (done.made > 0) made()
        if (this.#again || !done.isLast || this.#sessions.length > 0) continue
        if (done.isWanted) this.#replan(sweepEveryMs)
        return
      }
    } catch (error) {
      log.warn('Events for webhooks cannot be written now.', { error, waiting: this.#sessions.length })
      this.#again = false
      this.#replan(retryMs)
    }
  }

  async #gatherSome(): Promise<{ made: number; isLast: boolean; isWanted: boolean }> {
    const { scope, clock } = this.#parts
    if (this.#mayHaveMissed) await this.#lookBack()
    const taken = this.#sessions.splice(0, sessionsAtOnce)
    try {
      return await writing(scope, async (client) => {
        await lockLanes(client)
        const endpoints = await readWanting(client)
        const now = clock.now()
        const stored = await fanOutStored(client, endpoints, now)
        const told = await fanOutSessions(client, endpoints, taken, now)
        return { made: stored.made + told, isLast: stored.isLast, isWanted: endpoints.length > 0 }
      })
    } catch (error) {
      this.#sessions.unshift(...taken)
      throw error
    }
  }

  /**
   * Takes the events of sessions that began or ended when nobody may have told it. What was told is known by its
   * message.
   */
  async #lookBack(): Promise<void> {
    const { scope, clock } = this.#parts
    this.#mayHaveMissed = false
    try {
      const missed = await reading(scope, (client) => readMissed(client, clock.now()), lookBackTimeoutMs)
      this.#sessions.unshift(...missed)
    } catch (error) {
      this.#mayHaveMissed = true
      throw error
    }
  }

  #plan(ms: number): void {
    if (this.#isPlanned || this.#running) return
    this.#replan(ms)
  }

  #replan(ms: number): void {
    if (this.#isStopped) return
    this.#cancel()
    // A sweep that is far away does not stand for what is to be written soon.
    this.#isPlanned = ms < sweepEveryMs
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#isPlanned = false
      this.wake()
    })
  }
}

async function readMissed(client: Client, now: Date): Promise<WebhookEvent[]> {
  const endpoints = await readWanting(client)
  const telling = endpoints.filter(({ events }) => events.some((event) => event.startsWith('session.')))
  if (telling.length === 0) return []
  const { rows } = await client.query<{ created_at: Date }>(
    'SELECT created_at FROM webhook_deliveries ORDER BY id DESC LIMIT 1',
  )
  const wantedMs = Math.min(...telling.map(({ since }) => since.getTime()))
  const toldMs = (rows[0]?.created_at.getTime() ?? Number.NEGATIVE_INFINITY) - overlapMs
  const found = await sessionEventsSince(client, new Date(Math.max(wantedMs, toldMs, now.getTime() - lookBackMs)))
  return found.filter((event) => telling.some((one) => wants(one, event) && new Date(event.at) >= one.since))
}
