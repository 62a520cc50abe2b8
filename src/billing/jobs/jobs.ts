import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import type { EndedRun, JobLedger, JobRun, LastRun } from './job-ledger.ts'
import { type JobChange, JobProgress, type TellProgress } from './job-progress.ts'
import { describeSchedule, dueAfter, scheduleParts } from './schedule.ts'
import type { Entry, Timetable } from './timetable.ts'

export type JobResult = Readonly<Record<string, unknown>>

/**
 * A piece of periodic work. It takes no input, may be started by the clock or by hand, and can run twice without harm.
 */
export type Job = {
  /** The name of its entry in the timetable, which says when it runs. */
  readonly name: string
  /**
   * Returns what it did, as plain data for the record. A job that may take long ends early, by throwing, once
   * `stopping` is aborted, and tells how far it is, where somebody listens.
   */
  readonly run: (now: Date, stopping: AbortSignal, tell?: TellProgress) => Promise<JobResult>
}

/**
 * A job did its work and found something wrong. The result is recorded, and the job is not repeated before it is due.
 */
export class JobFailure extends Error {
  readonly result: JobResult

  constructor(message: string, result: JobResult) {
    super(message)
    this.result = result
  }
}

export class UnknownJob extends Error {}

/**
 * After this time a run is repeated that failed because something was unavailable, or a job is checked again that
 * another program is running.
 */
const retryMs = 10_000
/** Clocks are adjusted and machines sleep, so the clock is checked at least this often. */
const longestSleepMs = 60_000

type Planned = { readonly at: Date; readonly cancel: () => void }

/**
 * Runs all jobs on time, each of them once at a time however many programs there are, and records every run. Runs that
 * were missed or interrupted are made up once.
 */
export class Jobs {
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #timetable: Timetable
  readonly #ledger: JobLedger
  readonly #clock: Clock
  readonly #log: Log
  readonly #observe: (run: EndedRun) => void
  readonly #mayRun: () => boolean
  readonly #progress: JobProgress
  /**
   * The promise resolves to null when another program is running the job, and to `notDue` when it turned out under the
   * lock to have been run meanwhile.
   */
  readonly #running = new Map<string, Promise<EndedRun | 'notDue' | null>>()
  readonly #last = new Map<string, LastRun | null>()
  /** After a failure the job is not run before this moment. */
  readonly #notBefore = new Map<string, Date>()
  readonly #plans = new Map<string, Planned>()
  readonly #stopping = new AbortController()

  constructor(parts: {
    jobs: readonly Job[]
    timetable: Timetable
    ledger: JobLedger
    clock: Clock
    log: Log
    observe?: (run: EndedRun) => void
    /** Whether this program may begin a run now; without it always. */
    mayRun?: () => boolean
    /** A run has begun, has come further, or has ended. */
    changed?: (change: JobChange) => void
  }) {
    this.#jobs = new Map(parts.jobs.map((job) => [job.name, job]))
    this.#timetable = parts.timetable
    this.#ledger = parts.ledger
    this.#clock = parts.clock
    this.#log = parts.log
    this.#observe = parts.observe ?? (() => {})
    this.#mayRun = parts.mayRun ?? (() => true)
    this.#progress = new JobProgress(parts.clock, parts.changed)
    for (const name of this.#jobs.keys()) this.#entry(name)
  }

  get names(): readonly string[] {
    return [...this.#jobs.keys()]
  }

  async start(): Promise<void> {
    for (const job of this.#jobs.values()) this.#last.set(job.name, await this.#ledger.last(job.name))
    this.replan()
  }

  /** The timetable has changed: every job that is not running is planned anew. */
  replan(): void {
    for (const job of this.#jobs.values()) if (!this.#running.has(job.name)) this.#plan(job)
  }

  /**
   * Starts a job by hand, due or not, or joins the run in progress. Null: another program is running it. `by` is whose
   * hand it is; null: the program itself cannot wait until the job is due.
   */
  async run(name: string, by: string | null): Promise<EndedRun | null> {
    const job = this.#jobs.get(name)
    if (!job) throw new UnknownJob(`There is no job "${name}"; there are ${this.names.join(', ')}.`)
    for (;;) {
      const run = await (this.#running.get(name) ?? this.#attempt(job, { by }))
      if (run !== 'notDue') return run
    }
  }

  /** What an operator sees of the jobs. */
  async list() {
    const states = await this.#ledger.states(this.names)
    return this.names.map((name) => {
      const { title, setting, schedule } = this.#entry(name)
      return {
        name,
        title,
        schedule: describeSchedule(schedule()),
        ...scheduleParts(schedule()),
        /** The setting that says when it runs; null: it cannot be changed. */
        setting,
        /** Whether it is running, in this program or another on the same database, and the last run that has ended. */
        ...(states.get(name) ?? { running: false, last: null }),
        /** How far a run of this program is; null: none is under way here, or it does not tell. */
        progress: this.#progress.of(name),
        /** When it is due; null once the program is stopping. */
        nextAt: this.#plans.get(name)?.at ?? null,
      }
    })
  }

  /** Runs of one job, the newest first. */
  runs(name: string, page: { limit: number; offset: number }): Promise<{ runs: JobRun[]; total: number }> {
    return this.#ledger.runs(name, page)
  }

  /** Starts no more jobs, asks the running ones to end early, and waits for them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The program is stopping.'))
    for (const { cancel } of this.#plans.values()) cancel()
    this.#plans.clear()
    await Promise.allSettled(this.#running.values())
  }

  #entry(name: string): Entry {
    const entry = this.#timetable[name]
    if (!entry) throw new Error(`The job ${name} is not in the timetable.`)
    return entry
  }

  #dueAt({ name }: Job): Date {
    const now = this.#clock.now()
    const last = this.#last.get(name)
    if (!last || last.again) return now
    // A start in the future means that the clock has been set back.
    return dueAfter(this.#entry(name).schedule(), last.startedAt < now ? last.startedAt : now)
  }

  #plan(job: Job): void {
    if (this.#stopping.signal.aborted) return
    this.#plans.get(job.name)?.cancel()
    const [due, notBefore] = [this.#dueAt(job), this.#notBefore.get(job.name)]
    const at = notBefore && notBefore > due ? notBefore : due
    const inMs = Math.min(Math.max(at.getTime() - this.#clock.now().getTime(), 0), longestSleepMs)
    this.#plans.set(job.name, { at, cancel: this.#clock.after(inMs, () => this.#wake(job, at)) })
  }

  #wake(job: Job, at: Date): void {
    if (this.#running.has(job.name)) return
    if (this.#clock.now() < at) this.#plan(job)
    else this.#attempt(job).catch((error) => this.#complain(job, error))
  }

  /** `hand`: it is started by hand, due or not. */
  #attempt(job: Job, hand?: { readonly by: string | null }): Promise<EndedRun | 'notDue' | null> {
    const { name } = job
    let isGood = false
    const attempt = this.#ledger
      .exclusively(name, async (lockLost) => {
        if (!this.#mayRun()) return null
        const last = await this.#ledger.last(name)
        this.#last.set(name, last)
        // Another program may have run it since it was planned.
        if (!hand && this.#dueAt(job) > this.#clock.now()) return 'notDue'
        return await this.#runRecorded(job, hand?.by ?? null, AbortSignal.any([this.#stopping.signal, lockLost]))
      })
      .then(
        (run) => {
          this.#wait(name, run === null || (run !== 'notDue' && run.again))
          isGood = run !== null && run !== 'notDue' && run.ok
          return run
        },
        (error) => {
          this.#wait(name, true)
          throw error
        },
      )
      .finally(() => {
        this.#running.delete(name)
        this.#plan(job)
        this.#progress.end(name, isGood)
      })
    this.#running.set(name, attempt)
    return attempt
  }

  #wait(name: string, again: boolean): void {
    if (again) this.#notBefore.set(name, new Date(this.#clock.now().getTime() + retryMs))
    else this.#notBefore.delete(name)
  }

  #complain({ name }: Job, error: unknown): void {
    if (this.#stopping.signal.aborted) return
    this.#log.warn('a job could not be run; it is tried again soon', { job: name, error })
  }

  async #runRecorded(job: Job, startedBy: string | null, signal: AbortSignal): Promise<EndedRun> {
    const { name } = job
    const startedAt = this.#clock.now()
    const id = await this.#ledger.begin(name, startedAt, startedBy)
    this.#last.set(name, { startedAt, again: true })
    const outcome = await job.run(startedAt, signal, this.#progress.begin(name)).then(
      (result) => ({ ok: true, again: false, result }),
      (error: unknown) => {
        // A run that ended for reasons outside the job must be repeated.
        const again = signal.aborted || willPass(error)
        if (this.#stopping.signal.aborted) this.#log.info('a job was ended by the stop', { job: name })
        else this.#log[again ? 'warn' : 'error']('a job failed', { job: name, error, again })
        return { ok: false, again, result: resultOf(error) }
      },
    )
    const run: EndedRun = { id, name, startedAt, startedBy, endedAt: this.#clock.now(), ...outcome }
    // If this fails, the run counts as interrupted and is repeated, because nothing else will show that it ended.
    await this.#ledger.end(run)
    this.#last.set(name, run)
    this.#observe(run)
    return run
  }
}

/** Whether something was unavailable or too busy, which may be one of several errors or the cause of another one. */
function willPass(error: unknown): boolean {
  if (asUnavailable(error)) return true
  if (error instanceof AggregateError) return error.errors.some(willPass)
  return error instanceof Error && error.cause !== undefined && willPass(error.cause)
}

const resultOf = (error: unknown): JobResult => ({
  ...(error instanceof JobFailure && error.result),
  error: error instanceof Error ? error.message : String(error),
})
