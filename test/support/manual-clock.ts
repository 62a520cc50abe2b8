import type { Clock } from '../../src/platform/actors/clock.ts'

type Alarm = { readonly atMs: number; readonly callback: () => void }

/** A clock that stands still until `advance` moves it. */
export class ManualClock implements Clock {
  #nowMs: number
  readonly #alarms = new Set<Alarm>()

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
    this.#alarms.add(alarm)
    return () => void this.#alarms.delete(alarm)
  }

  /** The process that they were of was killed. */
  forgetAlarms(): void {
    this.#alarms.clear()
  }

  /** Moves on and calls every alarm that is due, in the order of their times. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (let due = this.#firstDue(untilMs); due; due = this.#firstDue(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      this.#alarms.delete(due)
      due.callback()
    }
    this.#nowMs = untilMs
  }

  /** Of those at the same time the one that was set first. */
  #firstDue(untilMs: number): Alarm | null {
    let first: Alarm | null = null
    for (const alarm of this.#alarms) if (alarm.atMs <= untilMs && alarm.atMs < (first?.atMs ?? Infinity)) first = alarm
    return first
  }
}
