import { steadyMs } from './day-time.ts'

/** A process that did nothing for so long was frozen, or its machine was moved. */
const usualLongMs = 2_000
const lookMs = 250
/**
 * After this many looks the process has read what had come while it stood still, because the event loop serves its
 * sockets before each of them. On a busy machine that takes longer than three times `lookMs`.
 */
const backlogLooks = 3

/**
 * When something arrived, where the system does not say so: when it is read. What is read after the process has stood
 * still may have lain in the socket all that time, so it counts as having arrived when the process stopped. An
 * accounting record that is taken for older than it is changes nothing that came after it, but one that is taken for
 * newer may begin a session that has ended. Times are those of `steadyMs`.
 */
export class ReadingTimes {
  readonly #longMs: number
  #lookedMs = steadyMs()
  #stoodStillMs = 0
  #looksLeft = 0
  /** When the last backlog was over. */
  #caughtUpMs = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.look(steadyMs()), lookMs).unref()

  constructor(longMs = usualLongMs) {
    this.#longMs = longMs
  }

  /** Whether the process may have stood still since that arrived which was read at `readMs`. */
  hasWaited(readMs: number, nowMs = steadyMs()): boolean {
    return this.arrivedBy(nowMs) < nowMs || readMs < this.#caughtUpMs
  }

  /** When what is read at `nowMs` arrived at the earliest. */
  arrivedBy(nowMs: number): number {
    if (nowMs - this.#lookedMs > this.#longMs) {
      this.#stoodStillMs = this.#lookedMs
      this.#looksLeft = backlogLooks
    }
    this.#lookedMs = nowMs
    return this.#looksLeft > 0 ? this.#stoodStillMs : nowMs
  }

  /** Called regularly by the timer, each time in a turn of the event loop of its own. */
  look(nowMs: number): void {
    if (this.#looksLeft > 0 && --this.#looksLeft === 0) this.#caughtUpMs = nowMs
    this.arrivedBy(nowMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
