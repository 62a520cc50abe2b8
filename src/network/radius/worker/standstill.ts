/** A process that did nothing for so long was frozen, or its machine was moved. */
const longMs = 2_000
const lookMs = 250
/** By then it has read what had come meanwhile. */
const backlogMs = 500

/**
 * Whether what is read from a socket may have lain there while the process stood still. Where there are several nodes,
 * a NAS has turned to another one meanwhile and has told it what came after, so that its former packets would count as
 * new: a Start as another session, a report as one of a session that has ended. They are dropped, and what the NAS
 * still wants to say it repeats.
 */
export class Standstill {
  #lastMs = performance.now()
  #staleUntilMs = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.isStale(performance.now()), lookMs).unref()

  /** `nowMs` by `performance.now()`. */
  isStale(nowMs: number): boolean {
    if (nowMs - this.#lastMs > longMs) this.#staleUntilMs = nowMs + backlogMs
    this.#lastMs = nowMs
    return nowMs < this.#staleUntilMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
