import type { Pool } from 'pg'
import type { Clock } from '../actors/clock.ts'
import type { Log } from '../log.ts'
import type { NodeChannel } from './channel.ts'
import type { LoggedRow, LogReading } from './log-reading.ts'

export type NodeLogParts = {
  readonly reading: LogReading
  /** Where old rows are deleted; null: others do that. */
  readonly purged: Pool | null
  /** Without a wake-up: one may be lost together with its connection. */
  readonly pollMs?: number
  readonly channel: Pick<NodeChannel, 'on'>
  /** The number of this node. */
  readonly node: number
  /** No other node is alive, as of the last heartbeat. */
  readonly isAlone: () => boolean
  readonly clock: Clock
  readonly log: Log
}

/** Who follows what the other nodes do. */
export type NodeLogFollower = {
  /** Told in the order of their ids. It is repeated when it rejects, so rows may come twice. */
  readonly play: (rows: readonly LoggedRow[]) => Promise<void>
  /** More was missed than the log holds: everything in memory has to be read anew. */
  readonly missed: () => Promise<void>
}

/** Between two readings, so that a thousand commits a second are read by some hundred statements. */
const paceMs = 3
const usualPollMs = 250
/**
 * The same while there is nobody who could write. One that joins is heard by its wake-ups from its first commit on, and
 * seen by the next heartbeat.
 */
const alonePollMs = 10_000
/** Of a reading that failed, while the database is away. */
const retryMs = 500
/** How long a row stays; a node that has read nothing for longer has missed some. */
const keptMinutes = 15
const keptMs = (keptMinutes - 1) * 60_000
const purgeEveryMs = 60_000
const purgedAtOnce = 10_000
/** Beyond it, reading everything anew is quicker. */
const rowsMax = 50_000

/** Reads what the other nodes have committed, in the order in which it became visible. */
export class NodeLog {
  readonly #parts: NodeLogParts
  #readAtMs = 0
  /** The same by the clock of the database, by which old rows are deleted. */
  #readAtThereMs = 0
  #follower: NodeLogFollower | null = null
  #isWoken = false
  #reading: Promise<void> | null = null
  #cancels: (() => void)[] = []
  #isStopped = false
  /** The number of the last reading that has begun. */
  #begun = 0
  /** Who waits for the end of a reading of this number or a later one. */
  #waiting: { readonly reading: number; readonly settle: (error?: Error) => void }[] = []
  #hasMissed = false
  /** When a row read last was written, until it was played; of the last reading that found one. */
  lagMs = 0

  constructor(parts: NodeLogParts) {
    this.#parts = parts
  }

  /** What is committed from now on will be read. To be called before anything is loaded. */
  async open(): Promise<void> {
    const { reading, clock } = this.#parts
    const startedMs = clock.elapsedMs()
    this.#readAtThereMs = await reading.open()
    this.#readAtMs = startedMs
  }

  /** Followers get what was committed since `open`, and then what follows. */
  async start(follower: NodeLogFollower): Promise<void> {
    const { channel } = this.#parts
    this.#follower = follower
    this.#cancels.push(channel.on((node) => node !== this.#parts.node && this.wake()))
    this.#poll()
    this.#purgeLater()
    this.wake()
    await this.#reading
  }

  /** Another server numbers its transactions otherwise: what is read next is everything, whatever is read just now. */
  forget(): void {
    this.#hasMissed = true
    if (this.#follower) this.wake()
  }

  /** Reads soon. */
  wake(): void {
    this.#isWoken = true
    if (!this.#isStopped)
      this.#reading ??= this.#readAll().finally(() => {
        this.#reading = null
      })
  }

  /** Resolves when everything has been played that was committed before the call. Rejects when the log is stopped. */
  async caughtUp(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (this.#isStopped) reject(stopped())
    else this.#waiting.push({ reading: this.#begun + 1, settle: (error) => (error ? reject(error) : resolve()) })
    this.wake()
    await promise
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { settle } of this.#waiting.splice(0)) settle(stopped())
    for (const cancel of this.#cancels) cancel()
    await this.#reading
    this.#parts.reading.close()
  }

  async #readAll(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false
      try {
        await this.#read()
      } catch (error) {
        this.#parts.log.warn('The log of the other nodes cannot be read now; trying again.', { error })
        this.#isWoken = true
        await this.#pause(retryMs)
      }
      if (this.#isWoken) await this.#pause(paceMs)
    }
  }

  async #read(): Promise<void> {
    const { reading, clock, log } = this.#parts
    const startedMs = clock.elapsedMs()
    const number = ++this.#begun
    const { rows, isElsewhere, atMs, keep } = await reading.read(rowsMax + 1)
    // A machine that was suspended, or whose virtual machine was paused, has not counted that time itself.
    const pausedMs = Math.max(startedMs - this.#readAtMs, atMs - this.#readAtThereMs)
    if (isElsewhere || pausedMs > keptMs || rows.length > rowsMax) {
      log.warn(
        isElsewhere
          ? 'Another server answers where the log of nodes is read, or one that was started anew; everything is read anew.'
          : 'More has happened on other nodes than their log holds; everything is read anew.',
      )
      this.#hasMissed = true
    }
    if (this.#hasMissed) await this.#readEverything()
    else {
      if (rows.length > 0) {
        await this.#follower!.play(rows)
        this.lagMs = Math.max(0, ...rows.map(({ age_ms }) => age_ms)) + clock.elapsedMs() - startedMs
      }
      keep()
      this.#readAtMs = startedMs
      this.#readAtThereMs = atMs
    }
    for (const one of this.#waiting) if (one.reading <= number) one.settle()
    this.#waiting = this.#waiting.filter((one) => one.reading > number)
  }

  async #readEverything(): Promise<void> {
    this.#hasMissed = false
    try {
      await this.open()
      await this.#follower!.missed()
    } catch (error) {
      this.#hasMissed = true
      throw error
    }
  }

  #poll(): void {
    const { isAlone, clock, pollMs = usualPollMs } = this.#parts
    this.#later(pollMs, () => {
      if (!isAlone() || clock.elapsedMs() - this.#readAtMs >= alonePollMs) this.wake()
      this.#poll()
    })
  }

  #purgeLater(): void {
    this.#later(purgeEveryMs, () => {
      void this.#purge().finally(() => this.#purgeLater())
    })
  }

  async #purge(): Promise<void> {
    const { purged, log } = this.#parts
    if (!purged) return
    try {
      for (let gone = purgedAtOnce; gone === purgedAtOnce && !this.#isStopped; )
        gone = (await purged.query(purgeText)).rowCount ?? 0
    } catch (error) {
      log.debug('old rows of the log of nodes could not be deleted', { error })
    }
  }

  #later(ms: number, work: () => void): void {
    if (this.#isStopped) return
    const cancel = this.#parts.clock.after(ms, () => {
      this.#cancels = this.#cancels.filter((one) => one !== cancel)
      work()
    })
    this.#cancels.push(cancel)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(ms, resolve))
  }
}

const stopped = () => new Error('The log of the other nodes is read no more.')

const purgeText = `DELETE FROM node_log WHERE id IN (
    SELECT id FROM node_log WHERE at < now() - interval '${keptMinutes} minutes' ORDER BY id LIMIT ${purgedAtOnce}
    FOR UPDATE SKIP LOCKED)`
