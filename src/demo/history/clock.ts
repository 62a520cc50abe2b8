import { type Clock, systemClock } from '../../platform/actors/clock.ts'

/** Waits pass as they do, and the time of day is what it is set to: that of the command under way. */
export class HistoryClock implements Clock {
  #now: Date
  readonly elapsedMs = systemClock.elapsedMs
  readonly after = systemClock.after

  constructor(now: Date) {
    this.#now = now
  }

  now(): Date {
    return this.#now
  }

  set(now: Date): void {
    this.#now = now
  }
}
