import type { Clock } from '../actors/clock.ts'
import { steadyMs, timeOfDay } from '../actors/day-time.ts'

/** A moment as the database told it, and by `steadyMs` when it was asked and had answered. */
export type ToldTime = { readonly now: Date; readonly askedMs: number; readonly answeredMs: number }

/** How far two clocks that nobody sets drift apart at worst: 100 millionths each. */
const driftPerMs = 2e-4

/**
 * The time of day where several programs serve one database: that of the database, which is the same for all of them,
 * carried on by a clock that nobody sets. So what one of them writes down can be compared by another one, and a machine
 * whose clock is wrong does no harm. Until the database has told its time, it is that of the machine.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock
  /** For the other threads of the program: see `dayTimeOf`. */
  readonly origin = new SharedArrayBuffer(8)
  /** Of the time of the database against `steadyMs`; NaN: unknown. */
  readonly #originMs = new Float64Array(this.origin).fill(Number.NaN)
  /** By how much it may be wrong, as of when it was told. */
  #unsureMs = Number.POSITIVE_INFINITY
  #toldMs = 0

  constructor(machine: Clock) {
    this.#machine = machine
  }

  now = (): Date => new Date(timeOfDay(this.#originMs, () => this.#machine.now().getTime()))
  elapsedMs = (): number => this.#machine.elapsedMs()
  after = (ms: number, callback: () => void): (() => void) => this.#machine.after(ms, callback)

  /** How far the clock of the machine is ahead of that of the database; 0 while that is unknown. */
  get machineAheadMs(): number {
    if (Number.isNaN(this.#originMs[0])) return 0
    return this.#machine.now().getTime() - this.now().getTime()
  }

  async ask(connection: { query<Row extends object>(text: string): Promise<{ rows: Row[] }> }): Promise<void> {
    const askedMs = steadyMs()
    const { rows } = await connection.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    this.take({ now: rows[0]!.now, askedMs, answeredMs: steadyMs() })
  }

  /**
   * The answer was given at some time between: of two that agree, the one that says so more closely counts. One that
   * contradicts what was told before is of another server, or of one whose clock was set.
   */
  take({ now, askedMs, answeredMs }: ToldTime): void {
    const [originMs] = this.#originMs
    const unsureMs = (answeredMs - askedMs) / 2
    const toldMs = now.getTime() - (askedMs + answeredMs) / 2
    const grownMs = this.#unsureMs + (answeredMs - this.#toldMs) * driftPerMs
    const agrees = !(Math.abs(toldMs - originMs!) > unsureMs + grownMs)
    if (agrees && unsureMs > grownMs) return
    this.#originMs[0] = toldMs
    this.#unsureMs = unsureMs
    this.#toldMs = answeredMs
  }
}
