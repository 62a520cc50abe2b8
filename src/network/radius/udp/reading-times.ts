import { steadyMs } from '../../../platform/actors/day-time.ts'

/** A process that did nothing for so long was frozen, or its machine was moved. */
const longMs = 2_000
const lookMs = 250
/** By then it has read what had come meanwhile. */
const backlogMs = 500

/**
 * When datagrams arrived, where the system does not tell: when they are read. What is read after the process stood
 * still may have lain in the socket all that time, and counts as having arrived when it stood still: an accounting
 * record that is taken for too old changes nothing that came after it, and one that is taken for newer than it is
 * begins a session that has ended. Times are those of `steadyMs`.
 */
export class ReadingTimes {
  #lookedMs = steadyMs()
  #stoodStillMs = 0
  #backlogUntilMs = 0
  readonly #timer = setInterval(() => this.arrivedBy(steadyMs()), lookMs).unref()

  /** When a datagram that is read at `nowMs` arrived at the earliest. */
  arrivedBy(nowMs: number): number {
    if (nowMs - this.#lookedMs > longMs) {
      this.#stoodStillMs = this.#lookedMs
      this.#backlogUntilMs = nowMs + backlogMs
    }
    this.#lookedMs = nowMs
    return nowMs < this.#backlogUntilMs ? this.#stoodStillMs : nowMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
