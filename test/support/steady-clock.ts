import { type Clock, ManualClock } from '../../src/platform/actors/clock.ts'

const tickMs = 2
/** What one turn of the event loop may last before the rest of it does not count. */
const turnMaxMs = 10

/**
 * The time in which this process was running: what a busy machine holds back between two turns of the event loop is
 * left out. A wait therefore never ends before what was ready by then has been read.
 */
export class SteadyClock implements Clock {
  readonly #passed = new ManualClock(new Date(0))

  constructor() {
    let lastMs = performance.now()
    const tick = setInterval(() => {
      const nowMs = performance.now()
      this.#passed.advance(Math.min(nowMs - lastMs, turnMaxMs))
      lastMs = nowMs
    }, tickMs)
    tick.unref()
  }

  now = () => new Date()
  elapsedMs = () => this.#passed.elapsedMs()
  after = (ms: number, callback: () => void) => this.#passed.after(ms, callback)
}
