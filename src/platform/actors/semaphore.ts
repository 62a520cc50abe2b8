export type SemaphoreTerms = {
  /** How many may be inside at once. */
  readonly insideMax: number
  /** How many may wait for a place. */
  readonly waitingMax: number
  /** What one more than that is told. */
  readonly full: () => Error
}

/**
 * Lets so many through at once, some wait in their order, and turns the others away. Without it a burst of requests
 * fills the queue for connections, all of them run out of patience, come again, and none gets through.
 */
export class Semaphore {
  readonly #terms: SemaphoreTerms
  #inside = 0
  readonly #waiting: (() => void)[] = []
  /** They were inside before, so they go first and are never turned away. */
  readonly #returning: (() => void)[] = []

  constructor(terms: SemaphoreTerms) {
    this.#terms = terms
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Rejects with the error of the terms when too many wait. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    const { insideMax, waitingMax, full } = this.#terms
    if (this.#inside < insideMax) this.#inside++
    else if (this.#waiting.length < waitingMax) await turnIn(this.#waiting)
    else throw full()
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
      if (this.#inside < this.#terms.insideMax) this.#inside++
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
