export type SemaphoreTerms = {
  /** How many may run at once. */
  readonly insideMax: number
  /** How many may wait for a place. */
  readonly waitingMax: number
  /** Makes the error with which everybody beyond that is rejected. */
  readonly full: () => Error
}

/**
 * Lets a limited number run at once, lets some wait in order, and rejects the others. Without it a burst of requests
 * fills the queue for connections, all of them time out and are repeated, and none succeeds.
 */
export class Semaphore {
  readonly #terms: SemaphoreTerms
  #inside = 0
  readonly #waiting: (() => void)[] = []
  /** Those who held a permit before. They go first and are never rejected. */
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

  /** For a holder of a permit: releases it during `work` and takes the next free one afterwards. */
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
