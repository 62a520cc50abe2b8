/** Time, which is injected so that tests can set it. */
export type Clock = {
  now(): Date
  /** Milliseconds since an arbitrary moment, for measuring: a monotonic clock, unlike the time of day. */
  elapsedMs(): number
  /** Calls back once after `ms` and returns a function that cancels. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A clock that stands still until `advance` moves it. */
export class ManualClock implements Clock {
  #nowMs: number
  #alarms: { atMs: number; callback: () => void }[] = []

  constructor(start: Date) {
    this.#nowMs = start.getTime()
  }

  now(): Date {
    return new Date(this.#nowMs)
  }

  elapsedMs(): number {
    return this.#nowMs
  }

  after(ms: number, callback: () => void): () => void {
    const alarm = { atMs: this.#nowMs + ms, callback }
    this.#alarms.push(alarm)
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm)
    }
  }

  /** Moves on and calls every alarm that is due, in the order of their times. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (;;) {
      const due = this.#alarms.filter((alarm) => alarm.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (!due) break
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      this.#alarms = this.#alarms.filter((other) => other !== due)
      due.callback()
    }
    this.#nowMs = untilMs
  }
}
