import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { LiveSession } from './live-session.ts'
import type { NodeSessions, StoredCounters } from './node-sessions.ts'
import type { SessionTable } from './session-table.ts'

export type ForeignCountersParts = {
  /** Null: there are no other nodes. */
  readonly nodes: Pick<NodeSessions, 'countersOf' | 'countersSince'> | null
  readonly sessions: SessionTable
  readonly clock: Clock
  readonly log: Log
}

/** Whoever asks for all of them again sooner is content with what was read. */
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
    await this.#read(nodes.countersOf([...foreign.keys()]), foreign)
    return shown.flatMap(({ id, slot }) => (sessions.idAt(slot) === Number(id) ? [sessions.at(slot)] : []))
  }

  /** Those of all sessions in memory, some seconds old at most. */
  async all(): Promise<void> {
    const { nodes, sessions, clock } = this.#parts
    if (!nodes || sessions.foreign === 0 || clock.elapsedMs() - this.#readAtMs < readAgainMs) return
    this.#reading ??= this.#readAll(nodes).finally(() => {
      this.#reading = null
    })
    await this.#reading
  }

  async #readAll(nodes: NonNullable<ForeignCountersParts['nodes']>): Promise<void> {
    const { sessions, clock } = this.#parts
    const nowMs = clock.elapsedMs()
    const { slots, numbers } = sessions.view
    const foreign = new Map<number, number>()
    for (let slot = 0; slot < slots; slot++) if (numbers.node[slot] !== 0) foreign.set(numbers.id[slot]!, slot)
    if (await this.#read(nodes.countersSince(nowMs - this.#readAtMs + marginMs), foreign)) this.#readAtMs = nowMs
  }

  /** False: the database is away. */
  async #read(counters: Promise<readonly StoredCounters[]>, slots: ReadonlyMap<number, number>): Promise<boolean> {
    const { sessions, log } = this.#parts
    try {
      for (const one of await counters) {
        const slot = slots.get(one.id)
        // It may have ended, or have come to this node, meanwhile.
        if (slot === undefined || sessions.idAt(slot) !== one.id || sessions.nodeAt(slot) === null) continue
        sessions.count(slot, one, one.atMs)
      }
      return true
    } catch (error) {
      log.debug('the counters of sessions of other nodes cannot be read now', { error })
      return false
    }
  }
}
