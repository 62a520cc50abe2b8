import { type Clock, systemClock } from '../../src/platform/actors/clock.ts'

type Alarm = { readonly atMs: number; readonly callback: () => void; cancel: () => void }

/**
 * The clock of the machine, of which a test can also let some time pass at once, so that it need not wait for it. The
 * time of day stays the real one.
 */
export class MovedClock implements Clock {
  #passedMs = 0
  readonly #alarms = new Set<Alarm>()

  now = (): Date => systemClock.now()

  elapsedMs = (): number => systemClock.elapsedMs() + this.#passedMs

  after = (ms: number, callback: () => void): (() => void) => {
    const alarm: Alarm = { atMs: this.elapsedMs() + ms, callback, cancel: () => {} }
    this.#alarms.add(alarm)
    this.#set(alarm)
    return () => {
      alarm.cancel()
      this.#alarms.delete(alarm)
    }
  }

  /** What is due by then is called from the event loop, in the order of its times. */
  pass(ms: number): void {
    this.#passedMs += ms
    for (const alarm of [...this.#alarms].sort((a, b) => a.atMs - b.atMs)) {
      alarm.cancel()
      this.#set(alarm)
    }
  }

  #set(alarm: Alarm): void {
    alarm.cancel = systemClock.after(Math.max(0, alarm.atMs - this.elapsedMs()), () => {
      this.#alarms.delete(alarm)
      alarm.callback()
    })
  }
}
