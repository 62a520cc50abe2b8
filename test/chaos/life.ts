import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LogLine, RunningProgram } from '../support/program.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import type { Book } from './book.ts'
import { shortly } from './door.ts'
import type { Memory } from './judge-process.ts'

/** PostgreSQL takes connections a moment after it was started. */
const recoveryMs = 2_000
/** What src/app/commands/lifetime.ts gives the program for its stop, by the clock on the wall. */
const stopMs = 6_000
const isCutOff = ({ message }: LogLine): boolean => /^The program has not stopped within/.test(message)

/** The program under a supervisor that starts it again whenever it has ended, with a wall clock that is ours. */
export class Life {
  readonly program: RunningProgram
  readonly #folder: string
  readonly #clock: number
  readonly #book: Book
  readonly #lines: LogLine[] = []
  readonly #watch = new SteadyClock()
  #starts = 0
  #isStopping = false
  #downUntilMs = 0
  #isKilled = false
  /** Infinity while it is down. */
  #upSinceMs = Number.POSITIVE_INFINITY
  #running: Promise<void> = Promise.resolve()
  /** Troubles of the database that last, and when the last one ended: a start may fail for it. */
  #troubles = 0
  #troubleEndedMs = Number.NEGATIVE_INFINITY
  /** Starts that came to nothing because the database was away, with their last words. */
  readonly vainStarts: string[] = []
  /** How long the slowest of the others took to be ready. */
  slowestStartMs = 0
  /** Called with the pid of each new process. */
  onStart: (pid: number) => void = () => {}

  constructor(env: NodeJS.ProcessEnv, book: Book) {
    this.#folder = mkdtempSync(join(tmpdir(), 'tollgate-chaos-'))
    this.#book = book
    const clock = join(this.#folder, 'clock')
    writeFileSync(clock, Buffer.alloc(8))
    this.#clock = openSync(clock, 'r+')
    this.program = new RunningProgram({
      // Beside those of a test run, which keep what takes long to load.
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('./clock-shift.ts', import.meta.url).href}`,
      CHAOS_CLOCK: clock,
      TOLLGATE_RADIUS_WORKERS: '2',
      CHAOS_MEMORY: this.#memoryFile,
      ...env,
    })
    process.on('exit', this.#leave)
  }

  /** Whoever breaks the run off leaves no program behind. */
  readonly #leave = (): void => this.program.signal('SIGKILL')

  get starts(): number {
    return this.#starts
  }

  /** How long the present process has been ready; below zero while there is none. */
  get upForMs(): number {
    return performance.now() - this.#upSinceMs
  }

  get #memoryFile(): string {
    return join(this.#folder, 'memory')
  }

  /** The lines of all its lives. */
  get log(): readonly LogLine[] {
    return [...this.#lines, ...this.program.log]
  }

  /** The database is away as long as `trouble` lasts. */
  async withoutDatabase(trouble: () => Promise<void>): Promise<void> {
    this.#troubles++
    try {
      await trouble()
    } finally {
      this.#troubles--
      this.#troubleEndedMs = performance.now()
    }
  }

  shiftClock(ms: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(ms)
    writeSync(this.#clock, bytes, 0, 8, 0)
  }

  /** The first time. On a busy machine the database may not answer in time, so it is tried again. */
  async start(triesLeft = 4): Promise<void> {
    try {
      await this.program.start()
    } catch (error) {
      if (triesLeft === 0) throw error
      return await this.start(triesLeft - 1)
    }
    this.#started()
  }

  /** kill -9, and nobody starts it again for a while. Resolves when it runs again. */
  async kill(downMs: number): Promise<void> {
    this.#downUntilMs = performance.now() + downMs
    this.#isKilled = true
    this.#upSinceMs = Number.POSITIVE_INFINITY
    const before = this.#starts
    await this.program.kill()
    while (this.#starts === before) await shortly(20)
  }

  /** Stopped as an operator does it, and started again. Resolves when it runs again. */
  async restart(): Promise<void> {
    this.#isKilled = true
    this.#upSinceMs = Number.POSITIVE_INFINITY
    const before = this.#starts
    const code = await this.#stopProgram()
    if (code !== 0) this.#book.violate('the program did not end well', code)
    while (this.#starts === before) await shortly(20)
  }

  /** It stands still for a while, as a machine that swaps or is moved does. */
  async freeze(forMs: number): Promise<void> {
    this.program.signal('SIGSTOP')
    await shortly(forMs)
    this.program.signal('SIGCONT')
  }

  /** Ends it as an operator does; the exit code. */
  async stop(): Promise<number | null> {
    this.#isStopping = true
    const code = await this.#stopProgram()
    await this.#running
    return code
  }

  /**
   * The exit code. A machine that does much else may keep the program from running until its time is over; it has ended
   * well when it had less than that in which anybody could run.
   */
  async #stopProgram(): Promise<number | null> {
    const beganMs = this.#watch.elapsedMs()
    const code = await this.program.stop()
    const { log } = this.program
    const at = log.findIndex(isCutOff)
    if (at === -1 || this.#watch.elapsedMs() - beganMs >= stopMs) return code
    log.splice(at, 1)
    return 0
  }

  /** After its garbage was collected. Null: the process has ended before, or takes too long. */
  async memory(): Promise<Memory | null> {
    rmSync(this.#memoryFile, { force: true })
    const { starts } = this
    if (this.upForMs < 0) return null
    this.program.signal('SIGPWR')
    for (let tries = 0; tries < 200 && this.upForMs >= 0 && this.starts === starts; tries++) {
      await shortly(50)
      // Written in one piece, and yet not in one moment.
      const text = existsSync(this.#memoryFile) ? readFileSync(this.#memoryFile, 'utf8') : ''
      if (text.endsWith('}')) return JSON.parse(text) as Memory
    }
    return null
  }

  remove(): void {
    process.off('exit', this.#leave)
    this.program.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #started(): void {
    this.#starts++
    this.#upSinceMs = performance.now()
    this.onStart(this.program.pid)
    // Rejects when the process ends, whatever it has logged.
    this.#running = this.program
      .logged(() => false)
      .then(
        () => {},
        (error: Error) => this.#ended(error),
      )
  }

  async #ended(error: Error): Promise<void> {
    this.#upSinceMs = Number.POSITIVE_INFINITY
    if (this.#isStopping) return
    if (!this.#isKilled) this.#book.violate('the program ended by itself', error.message)
    this.#isKilled = false
    for (;;) {
      await shortly(Math.max(50, this.#downUntilMs - performance.now()))
      this.#lines.push(...this.program.log)
      const beganMs = performance.now()
      try {
        await this.program.launch()
        this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - beganMs)
        break
      } catch (failed) {
        // On a busy machine the next kill may come before the program is ready.
        const isExcused = this.#isKilled || this.#troubles > 0 || this.#troubleEndedMs > beganMs - recoveryMs
        this.#isKilled = false
        if (!isExcused) this.#book.violate('the program does not start', String(failed))
        this.vainStarts.push(String(failed))
        // What a refused start has written is for an operator, not a line of the log.
        this.program.log.length = 0
        await shortly(200)
      }
    }
    this.#started()
  }
}
