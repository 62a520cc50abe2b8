import { randomInt } from 'node:crypto'
import type { Pool } from 'pg'
import { steadyMs, suspendedMs } from '../actors/day-time.ts'
import type { Log } from '../log.ts'
import type { DatabaseClock } from './database-clock.ts'
import { type NodePlace, notJoined, regainPlace, type Standing, startedAtSql } from './joining.ts'
import { isAliveSql, leaseMs, mayServeSql } from './nodes-table.ts'

/** Another program on the same database, as this one saw it at its last heartbeat. */
type OtherNode = { readonly number: number; readonly is_alive: boolean; readonly may_serve: boolean }

/** A heartbeat that has reached the database. */
export type Heartbeat = {
  /** By the clock of `elapsedMs`. */
  readonly sentAtMs: number
  /**
   * Since the heartbeat before: by the clock of `elapsedMs` or by that of the database, whichever says more. The former
   * stands still while the machine is suspended or its virtual machine is paused, and others go on meanwhile.
   */
  readonly silentMs: number
  /** For how long the heartbeats have come one after another. */
  readonly steadyMs: number
  /** Other nodes that may serve: `silent` ones are not alive, but need not have ended. */
  readonly others: number
  readonly silent: number
}

export type MembershipParts = {
  readonly pool: Pool
  readonly place: NodePlace
  /** Follows every heartbeat. */
  readonly clock: DatabaseClock
  readonly log: Log
  /** Default: `suspendedMs`. */
  readonly suspendedMs?: () => number
}

/** What the others are to know of a node: a JSON object of a kilobyte at most. */
export type NodeState = Readonly<Record<string, unknown>>

const everyMs = 1_000
/** A node that reaches the database no more must begin nothing by the time at which the others take over. */
const fencedAfterMs = leaseMs - 1_000

/**
 * The life of this program among those that serve one database: a heartbeat every second, by the clock of the database.
 *
 * A node whose last heartbeat was sent more than four seconds ago counts itself as fenced: it begins no job, takes over
 * nothing and is not ready, while RADIUS goes on answering and accounting goes to the spool. A second later the others
 * count it as gone. A frozen process therefore wakes up fenced, and so does a machine that was suspended, which only
 * the clock since its boot tells (`suspendedMs`). Of a virtual machine that was paused no clock inside tells at once:
 * its next heartbeat does, within a second, by the clock of the database.
 */
export class Membership {
  readonly #parts: MembershipParts
  readonly #suspendedMs: () => number
  readonly #gone = new Set<() => void>()
  readonly #drained = new Set<() => void>()
  readonly #beats = new Set<(beat: Heartbeat) => void>()
  #state: () => NodeState = () => ({})
  #sentAtMs: number
  /** What `suspendedMs` was then. */
  #suspendedBeforeMs: number
  /** By the clock of the database; null: there was no heartbeat yet. */
  #heardAtMs: number | null = null
  #silentMs = 0
  /** When the first of the heartbeats was sent that have come one after another since. */
  #steadySinceMs: number
  #others: readonly OtherNode[] = []
  /** Null: that of `parts`, which an edge gets when it has reached the database. */
  #place: NodePlace | null = null
  /** The place that is to be regained. */
  #next: NodePlace
  /** Whether the database knows that this program has its name. */
  #standing: Standing = 'held'
  #isDraining = false
  #isStopped = false
  #beating: Promise<void> = Promise.resolve()
  #cancel: () => void = () => {}

  constructor(parts: MembershipParts) {
    this.#parts = parts
    this.#next = parts.place
    this.#sentAtMs = parts.clock.elapsedMs()
    this.#steadySinceMs = this.#sentAtMs
    this.#suspendedMs = parts.suspendedMs ?? suspendedMs
    this.#suspendedBeforeMs = this.#suspendedMs()
  }

  get place(): NodePlace {
    return this.#place ?? this.#parts.place
  }

  /** Why this node must begin nothing that only one of them may do; null: it may. */
  get fault(): string | null {
    return this.fenced ?? (this.#isDraining ? 'draining' : null)
  }

  /** Why the others may count this node as gone; null: they do not. */
  get fenced(): string | null {
    if (this.#standing === 'taken') return 'Another program has taken the name of this node.'
    if (this.#standing === 'lost')
      return 'The database does not know of the start of this node; its name may be that of another program.'
    const sinceMs = this.#parts.clock.elapsedMs() - this.#sentAtMs + this.#suspendedMs() - this.#suspendedBeforeMs
    if (sinceMs > fencedAfterMs)
      return 'The other nodes do not see this one: its heartbeat does not reach the database.'
    return null
  }

  /** How many other programs serve the database, as of the last heartbeat. */
  get others(): number {
    return this.#others.filter(({ is_alive }) => is_alive).length
  }

  /** Called after every heartbeat that has reached the database. */
  onBeat(listener: (beat: Heartbeat) => void): void {
    this.#beats.add(listener)
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Whether another program has the name of this one, or may have it. */
  get isReplaced(): boolean {
    return this.#standing !== 'held'
  }

  /** Called when a node has gone, in good order or not, and for those that were gone before the start. */
  onGone(listener: () => void): void {
    this.#gone.add(listener)
  }

  /** The first heartbeats are of a node that is still loading. */
  start(): void {
    this.#plan(0)
  }

  /** Called once, when somebody has asked that this node be prepared for its stop. */
  onDrain(listener: () => void): void {
    this.#drained.add(listener)
  }

  /** What its heartbeats tell from now on. */
  tell(state: () => NodeState): void {
    this.#state = state
  }

  /** It begins nothing new from now on; what it has begun it ends. */
  drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    this.#parts.log.info('draining: this node may be stopped once its clients have gone to another one')
    for (const tell of this.#drained) tell()
  }

  /** Tells the others that it has ended, so that they need not wait for its lease. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#beating
    const { pool, log } = this.#parts
    const { number, epoch, startedAt } = this.place
    const text = `UPDATE nodes SET stopped_at = clock_timestamp() WHERE ${isOwnRow}`
    await pool
      .query(text, [number, epoch, startedAt])
      .catch((error) => log.debug('the end of this node could not be told', { error }))
  }

  #plan(ms: number): void {
    if (this.#isStopped) return
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#beating = this.#beat().finally(() => this.#plan(everyMs))
    })
  }

  /** Never rejects. */
  async #beat(): Promise<void> {
    const { pool, clock, log } = this.#parts
    const { number, epoch, startedAt } = this.place
    if (number === notJoined || this.#standing === 'taken') return
    const sentAtMs = clock.elapsedMs()
    const suspendedBeforeMs = this.#suspendedMs()
    const askedMs = steadyMs()
    try {
      const values = [
        number,
        epoch,
        startedAt,
        JSON.stringify({ ...this.#state(), clock_offset_ms: Math.round(clock.machineAheadMs) }),
        this.#isDraining,
      ]
      const { rows } = await pool.query<Beat>({ name: 'node-heartbeat', text: beatText, values })
      const [beat] = rows
      if (!beat) await this.#regain()
      else {
        const heardAtMs = beat.now.getTime()
        this.#silentMs = Math.max(sentAtMs - this.#sentAtMs, heardAtMs - (this.#heardAtMs ?? heardAtMs))
        if (this.#silentMs > fencedAfterMs) this.#steadySinceMs = sentAtMs
        this.#sentAtMs = sentAtMs
        this.#suspendedBeforeMs = suspendedBeforeMs
        this.#heardAtMs = heardAtMs
        clock.take({ now: beat.now, askedMs, answeredMs: steadyMs() })
        if (beat.is_draining) this.drain()
        this.#see(beat.others ?? [])
        this.#tellBeat()
      }
    } catch (error) {
      log.debug('the heartbeat did not reach the database', { error })
    }
  }

  #see(others: readonly OtherNode[]): void {
    const wereGone = new Set(this.#others.filter(({ is_alive }) => !is_alive).map(({ number }) => number))
    this.#others = others
    if (others.some(({ number, is_alive }) => !is_alive && !wereGone.has(number))) for (const tell of this.#gone) tell()
  }

  #tellBeat(): void {
    const serving = this.#others.filter(({ may_serve }) => may_serve)
    const beat = {
      sentAtMs: this.#sentAtMs,
      silentMs: this.#silentMs,
      steadyMs: this.#sentAtMs - this.#steadySinceMs,
      others: serving.length,
      silent: serving.filter(({ is_alive }) => !is_alive).length,
    }
    for (const tell of this.#beats) tell(beat)
  }

  /** The next heartbeat is of the place that is regained. */
  async #regain(): Promise<void> {
    const { pool, log } = this.#parts
    if (this.#standing === 'held') {
      this.#standing = 'lost'
      this.#next = { ...this.place, epoch: this.place.epoch + 1, startedAt: aMoment() }
    }
    this.#standing = await regainPlace(pool, this.place, this.#next)
    if (this.#standing === 'held') {
      this.#place = this.#next
      log.warn('The database had lost the start of this node, which has taken its place again.')
    } else if (this.#standing === 'taken') this.#tellTaken()
  }

  #tellTaken(): void {
    this.#parts.log.error(
      `Another program has taken the name ${this.place.name} among the nodes of this database; this one begins nothing any more. Stop one of the two, or give it another TOLLGATE_NODE.`,
    )
  }
}

type Beat = { readonly now: Date; readonly is_draining: boolean; readonly others: readonly OtherNode[] | null }

/** Of a start, for NodePlace.startedAt: to the microsecond, so that no other start has it. */
const aMoment = (): string => `${Math.floor(Date.now() / 1000)}.${randomInt(1e5, 1e6)}`

const isOwnRow = `number = $1 AND epoch = $2 AND ${startedAtSql} = $3::numeric`

const beatText = `UPDATE nodes SET heartbeat_at = clock_timestamp(), stopped_at = NULL, state = $4, is_draining = is_draining OR $5
  WHERE ${isOwnRow}
  RETURNING clock_timestamp() AS now, is_draining,
    (SELECT json_agg(json_build_object('number', number, 'is_alive', ${isAliveSql}, 'may_serve', ${mayServeSql})) FROM nodes WHERE number <> $1) AS others`
