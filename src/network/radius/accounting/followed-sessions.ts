import type { Events } from '../../../domain/events.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { LoggedRow } from '../../../platform/nodes/log-reading.ts'
import { ForeignSessions } from './foreign-sessions.ts'
import type { HeardNas, RebootMark } from './heard-nas.ts'
import type { SessionListener } from './live-session.ts'
import type { NodeSessions } from './node-sessions.ts'
import type { OctetCounter } from './octet-counter.ts'
import type { SessionTable } from './session-table.ts'

/** A row of the log of nodes: sessions that were written, and the RebootMark of an Accounting-On or -Off. */
export type LoggedSessions = Pick<LoggedRow, 'ids' | 'note'>

type FollowedParts = {
  readonly nodes?: NodeSessions | null
  readonly heard: HeardNas
  readonly sessions: SessionTable
  readonly events: Events
  readonly listener: SessionListener
  readonly octets: OctetCounter
  readonly isUp: () => boolean
  readonly clock: Clock
  readonly log: Log
}

/** How many sessions one statement reads, while accounting waits for it. */
const readAtOnce = 500

/**
 * The sessions that other nodes have written and this one has yet to read. What waits is in memory only: a program that
 * starts reads all sessions anyway.
 */
export class FollowedSessions {
  readonly #parts: FollowedParts
  readonly #player: ForeignSessions
  readonly #waiting = new Set<number>()
  /** The sessions that were told of since the last reading began, which may have found an older state of them. */
  readonly #toldSince = new Set<number>()
  #awaited: { readonly ids: Set<number>; readonly resolve: () => void }[] = []

  constructor(parts: FollowedParts) {
    this.#parts = parts
    this.#player = new ForeignSessions(parts)
  }

  /** How many are still to be read. */
  get waiting(): number {
    return this.#waiting.size
  }

  add(rows: readonly LoggedSessions[]): void {
    for (const { ids, note } of rows) {
      if (note !== null) this.#parts.heard.rememberReboot(note as RebootMark)
      for (const id of ids) this.#wait(id)
    }
  }

  /** Resolves when all that waits now is in memory. */
  async played(): Promise<void> {
    if (this.#waiting.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#awaited.push({ ids: new Set(this.#waiting), resolve })
    await promise
  }

  /** Adds all sessions that live in memory or in the tables. Rejects when the database is unavailable. */
  async addAll(): Promise<void> {
    const { nodes, sessions } = this.#parts
    for (const id of (await nodes?.liveIds()) ?? []) this.#wait(id)
    const { slots, numbers } = sessions.view
    for (let slot = 0; slot < slots; slot++)
      if (numbers.nasId[slot] !== 0 && numbers.id[slot]! > 0) this.#wait(numbers.id[slot]!)
  }

  /**
   * Reads some of the sessions that wait, has memory follow them, and returns how many. Never rejects: while the
   * database is away they wait. To be called while nothing is being stored.
   */
  async play(): Promise<number> {
    const { nodes, heard, isUp, log } = this.#parts
    if (!nodes || this.waiting === 0 || !isUp()) return 0
    const ids: number[] = []
    for (const id of this.#waiting) if (ids.push(id) === readAtOnce) break
    this.#toldSince.clear()
    try {
      const told = await nodes.read(ids)
      const read = ids.filter((id) => !this.#toldSince.has(id))
      for (const id of read) this.#waiting.delete(id)
      for (const { session } of told) heard.hear(session.nasId, session.nasIdentity)
      this.#player.play(told)
      this.#settle(read)
      const lost = new Set(ids)
      for (const { session } of told) lost.delete(session.id)
      if (lost.size > 0) this.#player.forget(lost)
      return ids.length
    } catch (error) {
      log.warn('The sessions of other nodes cannot be read now; trying again.', { error })
      return 0
    }
  }

  #wait(id: number): void {
    this.#waiting.add(id)
    this.#toldSince.add(id)
  }

  #settle(played: readonly number[]): void {
    for (const { ids } of this.#awaited) for (const id of played) ids.delete(id)
    const isOver = ({ ids }: { readonly ids: Set<number> }) => ids.size === 0
    for (const { resolve } of this.#awaited.filter(isOver)) resolve()
    this.#awaited = this.#awaited.filter((one) => !isOver(one))
  }
}
