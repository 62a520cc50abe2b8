import type { Clock } from '../actors/clock.ts'
import type { Log } from '../log.ts'

/** A periodic deed. It takes no input, may be started by the clock or by hand, and can run twice without harm. */
export type Job = {
  readonly name: string
  readonly periodMs: number
  /** Answers what it did, as plain data for the record. One that may take long ends early, by throwing, once `stopping` is aborted. */
  run(now: Date, stopping: AbortSignal): Promise<Readonly<Record<string, unknown>>>
}

export type JobRun = {
  name: string
  startedAt: Date
  endedAt: Date
  ok: boolean
  result: Readonly<Record<string, unknown>>
}

/** Where runs are recorded, and how one program keeps others on the same database from running the job at the same time. */
export type JobLedger = {
  lastStart(name: string): Promise<Date | null>
  /** Runs `deed` while no other program does; null when another one is at it. */
  exclusively<T>(name: string, deed: () => Promise<T>): Promise<T | null>
  record(run: JobRun): Promise<void>
}

export class UnknownJob extends Error {}

/** The one driver of all jobs: on time, each one at a time, every run recorded; a run missed in an outage is made up once. */
export class Jobs {
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #ledger: JobLedger
  readonly #clock: Clock
  readonly #log: Log
  readonly #observe: (run: JobRun) => void
  readonly #running = new Map<string, Promise<JobRun | null>>()
  readonly #alarms = new Map<string, () => void>()
  readonly #stopping = new AbortController()

  constructor(parts: {
    jobs: readonly Job[]
    ledger: JobLedger
    clock: Clock
    log: Log
    observe?: (run: JobRun) => void
  }) {
    this.#jobs = new Map(parts.jobs.map((job) => [job.name, job]))
    this.#ledger = parts.ledger
    this.#clock = parts.clock
    this.#log = parts.log
    this.#observe = parts.observe ?? (() => {})
  }

  get names(): readonly string[] {
    return [...this.#jobs.keys()]
  }

  async start(): Promise<void> {
    for (const job of this.#jobs.values()) {
      const last = await this.#ledger.lastStart(job.name)
      const dueInMs = last ? last.getTime() + job.periodMs - this.#clock.now().getTime() : 0
      this.#plan(job, Math.min(Math.max(dueInMs, 0), job.periodMs))
    }
  }

  /** Starts a job by hand, or joins the run that is under way. Null: another program is running it. */
  run(name: string): Promise<JobRun | null> {
    const job = this.#jobs.get(name)
    if (!job) return Promise.reject(new UnknownJob(`There is no job "${name}"; there are ${this.names.join(', ')}.`))
    const running = this.#running.get(name)
    if (running) return running
    const run = this.#ledger.exclusively(name, () => this.#runRecorded(job)).finally(() => this.#running.delete(name))
    this.#running.set(name, run)
    return run
  }

  /** Starts nothing more, asks what is running to end early, and waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The program is stopping.'))
    for (const cancel of this.#alarms.values()) cancel()
    await Promise.allSettled(this.#running.values())
  }

  #plan(job: Job, inMs: number): void {
    if (this.#stopping.signal.aborted) return
    const cancel = this.#clock.after(inMs, () => {
      this.run(job.name)
        .catch((error) =>
          this.#log.warn('a job could not be run; it is tried again after its period', { job: job.name, error }),
        )
        .finally(() => this.#plan(job, job.periodMs))
    })
    this.#alarms.set(job.name, cancel)
  }

  async #runRecorded(job: Job): Promise<JobRun> {
    const startedAt = this.#clock.now()
    const run = await job.run(startedAt, this.#stopping.signal).then(
      (result) => ({ ok: true, result }),
      (error) => {
        if (this.#stopping.signal.aborted) this.#log.info('a job was ended by the stop', { job: job.name })
        else this.#log.error('a job failed', { job: job.name, error })
        return { ok: false, result: { error: error instanceof Error ? error.message : String(error) } }
      },
    )
    const recorded: JobRun = { name: job.name, startedAt, endedAt: this.#clock.now(), ...run }
    await this.#ledger.record(recorded)
    this.#observe(recorded)
    return recorded
  }
}
