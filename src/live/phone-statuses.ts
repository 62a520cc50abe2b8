import { hash } from 'node:crypto'
import type { EventOf } from '../domain/events.ts'
import type { SubscriberId } from '../domain/ids.ts'
import type { Language } from '../domain/language.ts'
import type { Clock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { writeFrame } from './frames.ts'
import type { PhoneConnection } from './phone-connection.ts'

export type PhoneStatusesParts = {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  /** The account status object by subscriber; subscribers that no longer exist are left out. */
  readonly statuses: (ids: readonly SubscriberId[], language: Language) => Promise<ReadonlyMap<SubscriberId, object>>
  /**
   * Called for every commit, in order. What it returns gives the account status after the commit where that is known
   * without reading; null elsewhere.
   */
  readonly statusAfter: (event: EventOf<'accountCommitted'>) => StatusAfter
}

type StatusAfter = (id: SubscriberId, language: Language) => object | null

type Group = {
  readonly connections: Set<PhoneConnection>
  /** The last status by language. When it is not certain that something changed, an equal status is not sent again. */
  readonly last: Map<Language, string>
}

/** How many statuses are read together: one query for many subscribers costs little more than for one. */
const batchMax = 1_000
const batchesAtOnce = 2
const retryMs = 1_000
const noConnections: ReadonlySet<PhoneConnection> = new Set()

/**
 * Keeps the status of every phone up to date: changes are collected, read in batches, and each phone is sent the latest
 * status.
 */
export class PhoneStatuses {
  readonly #parts: PhoneStatusesParts
  readonly #groups = new Map<SubscriberId, Group>()
  /** The subscribers whose status is to be read. A change during the reading adds its subscriber again. */
  readonly #waiting = new Set<SubscriberId>()
  /** The subscribers whose accounts have committed something in this turn of the event loop. */
  readonly #committed = new Map<SubscriberId, StatusAfter>()
  /**
   * The subscribers being read now, because two simultaneous readings of one subscriber could finish in the wrong
   * order.
   */
  readonly #reading = new Set<SubscriberId>()
  #batches = 0
  #isPlanned = false
  #stopRetry: (() => void) | null = null
  #isStopped = false

  constructor(parts: PhoneStatusesParts) {
    this.#parts = parts
  }

  get subscribers(): SubscriberId[] {
    return [...this.#groups.keys()]
  }

  connectionsOf(id: SubscriberId): ReadonlySet<PhoneConnection> {
    return this.#groups.get(id)?.connections ?? noConnections
  }

  add(connection: PhoneConnection): void {
    const id = connection.user.subscriberId
    const group = this.#groups.get(id) ?? { connections: new Set(), last: new Map() }
    this.#groups.set(id, group)
    group.connections.add(connection)
    this.wanted(connection)
  }

  remove(connection: PhoneConnection): void {
    const id = connection.user.subscriberId
    const group = this.#groups.get(id)
    group?.connections.delete(connection)
    if (group?.connections.size === 0) this.#groups.delete(id)
  }

  /** This phone is sent a status, the others of its subscriber only if it is news to them. */
  wanted(connection: PhoneConnection): void {
    connection.wantsStatus = true
    this.mayHaveChanged(connection.user.subscriberId)
  }

  /** Every phone of the subscriber is sent a status. */
  changed(id: SubscriberId): void {
    const group = this.#groups.get(id)
    if (!group) return
    for (const connection of group.connections) connection.wantsStatus = true
    this.mayHaveChanged(id)
  }

  /** Every phone of the account is sent a status; where it is known after the commit, nothing is read for it. */
  committed(event: EventOf<'accountCommitted'>): void {
    const statusAfter = this.#parts.statusAfter(event)
    for (const { id, deleted } of event.after.subscribers) {
      const group = this.#groups.get(id)
      if (!group || deleted) continue
      for (const connection of group.connections) connection.wantsStatus = true
      this.#committed.set(id, statusAfter)
    }
    if (this.#committed.size > 0) this.#plan()
  }

  mayHaveChanged(id: SubscriberId): void {
    if (!this.#groups.has(id)) return
    this.#waiting.add(id)
    this.#plan()
  }

  stop(): void {
    this.#isStopped = true
    this.#stopRetry?.()
  }

  /** At the end of this turn of the event loop: a payment that also ends a promise is one change. */
  #plan(): void {
    if (this.#isPlanned || this.#isStopped || this.#stopRetry) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      this.#sendCommitted()
      while (this.#batches < batchesAtOnce) {
        const batch = this.#nextBatch()
        if (batch.length === 0) return
        void this.#read(batch)
      }
    })
  }

  /**
   * Whatever waits to be read is read in any case, and a reading under way may be older than the commit, so its
   * subscribers are read again after it.
   */
  #sendCommitted(): void {
    for (const [id, statusAfter] of this.#committed) {
      const mayBeSent = !this.#waiting.has(id) && !this.#reading.has(id)
      if (!(mayBeSent && this.#sendKnown(id, statusAfter)) && this.#groups.has(id)) this.#waiting.add(id)
    }
    this.#committed.clear()
  }

  /** Whether the status was known in every language. One that cannot be made is read, so that it harms nobody else. */
  #sendKnown(id: SubscriberId, statusAfter: StatusAfter): boolean {
    try {
      for (const language of this.#languagesOf([id])) {
        const status = statusAfter(id, language)
        if (!status) return false
        this.#send(id, language, status)
      }
      return true
    } catch (error) {
      this.#parts.log.error('The status of a phone could not be made after a commit.', { subscriber: id, error })
      return false
    }
  }

  #nextBatch(): SubscriberId[] {
    const batch: SubscriberId[] = []
    for (const id of this.#waiting) {
      if (this.#reading.has(id)) continue
      this.#waiting.delete(id)
      this.#reading.add(id)
      if (batch.push(id) === batchMax) break
    }
    return batch
  }

  async #read(batch: readonly SubscriberId[]): Promise<void> {
    this.#batches++
    try {
      for (const language of this.#languagesOf(batch)) {
        const statuses = await this.#parts.statuses(batch, language)
        for (const id of batch) this.#send(id, language, statuses.get(id) ?? null)
      }
    } catch (error) {
      this.#parts.log.debug('The status of phones could not be read now', { error })
      for (const id of batch) if (this.#groups.has(id)) this.#waiting.add(id)
      this.#retry()
    } finally {
      for (const id of batch) this.#reading.delete(id)
      this.#batches--
      if (this.#waiting.size > 0) this.#plan()
    }
  }

  /** While the database is unavailable, the reading is repeated until it succeeds. */
  #retry(): void {
    if (this.#isStopped) return
    this.#stopRetry ??= this.#parts.clock.after(retryMs, () => {
      this.#stopRetry = null
      this.#plan()
    })
  }

  #languagesOf(batch: readonly SubscriberId[]): Set<Language> {
    const languages = new Set<Language>()
    for (const id of batch) for (const { language } of this.connectionsOf(id)) languages.add(language)
    return languages
  }

  #send(id: SubscriberId, language: Language, status: object | null): void {
    const group = this.#groups.get(id)
    if (!group || !status) return
    const text = hash('sha1', JSON.stringify(status), 'base64')
    const isNews = group.last.get(language) !== text
    group.last.set(language, text)
    let body: string | null = null
    for (const connection of group.connections) {
      if (connection.language !== language || !(isNews || connection.wantsStatus)) continue
      body ??= writeFrame('status', this.#parts.clock.now(), { status })
      connection.status(body)
    }
  }
}
