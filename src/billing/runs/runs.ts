import { nanoid } from 'nanoid'
import type { Pool } from 'pg'
import { JobLocks } from '../jobs/job-locks.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { type RunEnd, type RunFault, type RunOrder, RunTable } from './run-table.ts'

export type RunsParts = { readonly pool: Pool; readonly clock: Clock; readonly log: Log }

/** What a run tells while it works. */
export type RunSteps = {
  readonly id: number
  /** Aborted when the program stops. */
  readonly signal: AbortSignal
  /** How many records there are. */
  total(count: number): void
  /** How many of them are done. */
  done(count: number): void
  addFaults(faults: readonly RunFault[]): Promise<void>
  readonly rest: RunRest
}

/** What a run has not gone through yet, so that another run can do it when this one is cut off. */
export type RunRest = {
  /** Notes what is to be done, before anything is. */
  keep(records: readonly number[]): Promise<void>
  /** Takes over what another run has left of these; resolves with what was still left. */
  take(from: number, records: readonly number[]): Promise<ReadonlySet<number>>
  settle(records: readonly number[]): Promise<void>
}

/** Resolves with what the run came to. */
export type RunWork = (steps: RunSteps) => Promise<Readonly<Record<string, unknown>>>

export type RunStart =
  | { readonly kind: 'started' | 'known'; readonly id: number }
  /** The Idempotency-Key was used for another request. */
  | { readonly kind: 'conflict' }
  /** Another run of this kind is under way. */
  | { readonly kind: 'busy' }

/** An error that is told to whoever started the run, in its own words. */
export class RunRefusal extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RunRefusal'
  }
}

/** How often progress is written. */
const progressMs = 500

/**
 * Work on many records that somebody of the staff starts and does not wait for. Each run is a row with its progress and
 * its end. A lock, which PostgreSQL frees when the program dies, tells a run that works from one that was cut off.
 */
export class Runs {
  readonly table: RunTable
  readonly #parts: RunsParts
  readonly #locks: JobLocks
  readonly #stopping = new AbortController()
  readonly #working = new Set<Promise<unknown>>()
  /** Runs whose end can be seen already and whose lock is about to be released, by the lock. */
  readonly #ending = new Map<string, Promise<unknown>>()

  constructor(parts: RunsParts) {
    this.#parts = parts
    this.table = new RunTable(parts.pool)
    this.#locks = new JobLocks(parts.pool)
  }

  /**
   * Starts `work` and resolves at once. `isAlone`: only one run of its kind works at a time, on the whole database. The
   * same request under the same key starts nothing again.
   */
  async start(order: RunOrder & { readonly isAlone?: boolean }, work: RunWork): Promise<RunStart> {
    const { keys, kind, isAlone = false } = order
    const known = await this.#known(order)
    if (known) return known
    const lock = `run ${isAlone ? kind : nanoid()}`
    // Whoever has seen the end of a run can start the next one.
    await this.#ending.get(lock)
    if (this.#stopping.signal.aborted) throw new Unavailable('stopping', 'The service is stopping.')
    const start = Promise.withResolvers<RunStart>()
    const working = this.#locks.exclusively(lock, async (lost) => {
      const id = await this.table.begin(order, lock)
      if (id === null) {
        start.resolve((await this.#known({ keys })) ?? { kind: 'conflict' })
        return true
      }
      start.resolve({ kind: 'started', id })
      const end = await this.#carryOut(id, work, AbortSignal.any([lost, this.#stopping.signal]))
      this.#ending.set(lock, working)
      await this.#writeEnd(id, end)
      return true
    })
    this.#working.add(working)
    working
      .then((done) => done ?? start.resolve({ kind: 'busy' }), start.reject)
      .finally(() => {
        this.#working.delete(working)
        if (this.#ending.get(lock) === working) this.#ending.delete(lock)
      })
    const started = await start.promise
    // Of two requests with one key at once the second may find the first at work.
    return started.kind === 'busy' ? ((await this.#known({ keys })) ?? started) : started
  }

  /** Waits until each run has written how far it came. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Unavailable('stopping', 'The service is stopping.'))
    await Promise.allSettled(this.#working)
  }

  async #known({ keys }: Pick<RunOrder, 'keys'>): Promise<RunStart | null> {
    const found = keys && (await this.table.ofKey(keys))
    if (!found) return null
    return found.isOther ? { kind: 'conflict' } : { kind: 'known', id: found.id }
  }

  async #carryOut(id: number, work: RunWork, signal: AbortSignal): Promise<RunEnd> {
    const { clock, log } = this.#parts
    let total: number | null = null
    let done = 0
    let toldMs = clock.elapsedMs()
    const tell = () => {
      toldMs = clock.elapsedMs()
      this.table
        .progress(id, total, done)
        .catch((error) => log.warn('Progress of a run was not written', { id, error }))
    }
    const steps: RunSteps = {
      id,
      signal,
      total: (count) => {
        total = count
        done = 0
        tell()
      },
      done: (count) => {
        done = count
        if (clock.elapsedMs() - toldMs >= progressMs) tell()
      },
      addFaults: (faults) => this.table.addFaults(id, faults),
      rest: {
        keep: (records) => this.table.keepRest(id, records),
        take: (from, records) => this.table.takeRest(id, from, records),
        settle: (records) => this.table.settleRest(id, records),
      },
    }
    const ended = await work(steps).then(
      (result): Pick<RunEnd, 'state' | 'result'> => ({ state: 'done', result }),
      (error: unknown): Pick<RunEnd, 'state' | 'result'> => {
        if (signal.aborted) return { state: 'cut_off', result: null }
        if (!(error instanceof RunRefusal)) log.error('A run of the staff failed', { id, error })
        const sentence = error instanceof RunRefusal ? error.message : 'It failed; the log says why.'
        return { state: 'failed', result: { error: sentence } }
      },
    )
    return { ...ended, total, done }
  }

  async #writeEnd(id: number, end: RunEnd): Promise<void> {
    await this.table
      .end(id, end)
      .catch((error) => this.#parts.log.error('The end of a run was not written', { id, error }))
  }
}
