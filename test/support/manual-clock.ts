import type { Clock } from '../../src/platform/actors/clock.ts'

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
