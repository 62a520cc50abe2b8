import { type Clock, systemClock } from '../actors/clock.ts'

/** The callers that work in the background lets go first. */
export type Callers = {
  /** Whether somebody waits for an answer and has not been let go first yet. */
  readonly areWaiting: boolean
  /** Resolves when they have their answers, or have been let go first for long enough. */
  answered(): Promise<void>
}

/**
 * How long callers are let go first. Most have their answer by then. One who has not may wait for the very work that
 * waits here, such as a job that is run by hand.
 */
const patienceMs = 50

/** The requests that are in flight. */
export class InFlight implements Callers {
  #count = 0
  readonly #drained: (() => void)[] = []
  /** The requests that have not been let go first yet. */
  readonly #ahead = new Set<object>()
  readonly #answered: (() => void)[] = []
  readonly #clock: Clock

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  begin(request: object): void {
    this.#count++
    this.#ahead.add(request)
  }

  end(request: object): void {
    if (this.#ahead.delete(request)) this.#tellAnswered()
    if (--this.#count === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }

  get areWaiting(): boolean {
    return this.#ahead.size > 0
  }

  async answered(): Promise<void> {
    if (!this.areWaiting) return
    const givenUp = () => {
      this.#ahead.clear()
      this.#tellAnswered()
    }
    await this.#within(patienceMs, this.#answered, givenUp)
  }

  /** Waits until no request is in flight, for at most `withinMs`, and returns how many are left. */
  async drain(withinMs: number): Promise<number> {
    if (this.#count > 0) await this.#within(withinMs, this.#drained)
    return this.#count
  }

  #tellAnswered(): void {
    if (!this.areWaiting) for (const resolve of this.#answered.splice(0)) resolve()
  }

  /** Waits until a function in `waiting` is called, for at most `ms`; `givenUp` is called when that time is over. */
  async #within(ms: number, waiting: (() => void)[], givenUp?: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(resolve)
    const cancel = this.#clock.after(ms, () => {
      givenUp?.()
      resolve()
    })
    await promise
    cancel()
  }
}
