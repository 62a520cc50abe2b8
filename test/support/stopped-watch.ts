import { SteadyClock } from './steady-clock.ts'

/**
 * A clock that measures no time but what a test adds, so that whatever a busy machine does slowly took none of it. The
 * time of day and alarms go on.
 */
export class StoppedWatch extends SteadyClock {
  #elapsedMs = 1

  override elapsedMs = (): number => this.#elapsedMs

  advance(ms: number): void {
    this.#elapsedMs += ms
  }
}
