import { Unavailable } from '../../platform/unavailable.ts'

/** Enough to fill a group commit: looks, reads and commits of those inside are gathered, so none needs a connection of its own. */
const insideMax = 200
/** A second or two of work; who comes later than that is told again sooner than it would be through. */
const waitingMax = 400

/**
 * Lets so many through at once, some wait in their order, and turns the others away. Without it a burst of notices fills the queue for
 * connections, all of them run out of patience, come again, and none gets through.
 */
export class Semaphore {
  #inside = 0
  readonly #waiting: (() => void)[] = []

  /** Rejects with Unavailable when too many wait. */
  async through<T>(deed: () => Promise<T>): Promise<T> {
    if (this.#inside === insideMax) await this.#turn()
    else this.#inside++
    try {
      return await deed()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#inside--
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length === waitingMax) throw new Unavailable('mailboxFull', 'Too many payments at once.')
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
