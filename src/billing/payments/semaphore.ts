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
  /** They were inside before, so they go first and are never turned away. */
  readonly #returning: (() => void)[] = []

  /** Rejects with Unavailable when too many wait. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < insideMax) this.#inside++
    else if (this.#waiting.length < waitingMax) await turnIn(this.#waiting)
    else throw new Unavailable('mailboxFull', 'Too many payments at once.')
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /** For somebody inside: others have the place during `work`, and the next one that is free is theirs again. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#leave()
    try {
      return await work()
    } finally {
      if (this.#inside < insideMax) this.#inside++
      else await turnIn(this.#returning)
    }
  }

  #leave(): void {
    const next = this.#returning.shift() ?? this.#waiting.shift()
    if (next) next()
    else this.#inside--
  }
}

const turnIn = (queue: (() => void)[]): Promise<void> => new Promise((resolve) => queue.push(resolve))
