import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { LiveSession } from './live-session.ts'
import type { NodeSessions, StoredCounters } from './node-sessions.ts'
import { slotsAtOnce } from './session-search.ts'
import type { SessionTable } from './session-table.ts'

export type ForeignCountersParts = {
  /** Null: there are no other nodes. */
  readonly nodes: Pick<NodeSessions, 'countersOf' | 'countersSince'> | null
  readonly sessions: SessionTable
  readonly clock: Clock
  readonly log: Log
}

/** Whoever asks for all counters again within this time gets what was read before. */
const readAgainMs = 5_000
/** What was committed while it was read, and a clock that is not quite that of the database. */
const marginMs = 60_000

/**
 * The counters of sessions that other nodes hear of. Nobody is told of ordinary reports, so they are read from the rows
 * when somebody looks at them. While the database is away they are what was read last.
 */
export class ForeignCounters {
  readonly #parts: ForeignCountersParts
  #readAtMs: number
  #reading: Promise<void> | null = null

  constructor(parts: ForeignCountersParts) {
    this.#parts = parts
    this.#readAtMs = parts.clock.elapsedMs() - readAgainMs
  }

  /** These sessions, as far as they still live, with the counters of their rows. */
  async of(shown: readonly LiveSession[]): Promise<readonly LiveSession[]> {
    const { nodes, sessions } = this.#parts
    const foreign = new Map(shown.flatMap(({ id, node, slot }) => (node === null ? [] : [[Number(id), slot] as const])))
    if (!nodes || foreign.size === 0) return shown
    await this.#trying(async () => this.#take(await nodes.countersOf([...foreign.keys()]), foreign))
    return shown.flatMap(({ id, slot }) => (sessions.idAt(slot) === Number(id) ? [sessions.at(slot)] : []))
  }

  /** Brings the counters of all sessions in memory up to date, to some seconds. */
  async all(): Promise<void> {
    const { nodes, sessions, clock } = this.#parts
    if (!nodes || sessions.foreign === 0 || clock.elapsedMs() - this.#readAtMs < readAgainMs) return
    this.#reading ??= this.#readAll(nodes).finally(() => {
      this.#reading = null
    })
    await this.#reading
  }

  async #readAll(nodes: NonNullable<ForeignCountersParts['nodes']>): Promise<void> {
    const nowMs = this.#parts.clock.elapsedMs()
    const isRead = await this.#trying(async () => {
      for await (const page of nodes.countersSince(nowMs - this.#readAtMs + marginMs)) {
        const ids = Array.from(page, ({ id }) => id)
        if (ids.length > 0) this.#take(page, await this.#foreignSlots(ids))
      }
    })
    if (isRead) this.#readAtMs = nowMs
  }

  /** The slots of other nodes' sessions with these ids, which ascend. A map of all such sessions would be too large. */
  async #foreignSlots(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { sessions } = this.#parts
    const [firstId, lastId] = [ids[0]!, ids.at(-1)!]
    const sought = new Set(ids)
    const found = new Map<number, number>()
    for (let from = 0; from < sessions.view.slots; from += slotsAtOnce) {
      if (from > 0) await new Promise(setImmediate)
      const { slots, numbers } = sessions.view
      const to = Math.min(slots, from + slotsAtOnce)
      for (let slot = from; slot < to; slot++) {
        const id = numbers.id[slot]!
        if (numbers.node[slot] !== 0 && id >= firstId && id <= lastId && sought.has(id)) found.set(id, slot)
      }
    }
    return found
  }

  #take(counters: Iterable<StoredCounters>, slots: ReadonlyMap<number, number>): void {
    const { sessions } = this.#parts
    for (const one of counters) {
      const slot = slots.get(one.id)
      // The session may have ended, or have come to this node, meanwhile.
      if (slot === undefined || sessions.idAt(slot) !== one.id || sessions.nodeAt(slot) === null) continue
      sessions.count(slot, one, one.atMs)
    }
  }

  /** False: the database is away. */
  async #trying(read: () => Promise<void>): Promise<boolean> {
    try {
      await read()
      return true
    } catch (error) {
      this.#parts.log.debug('the counters of sessions of other nodes cannot be read now', { error })
      return false
    }
  }
}
