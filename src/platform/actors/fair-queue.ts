/** Where somebody stands in a queue: with whom they share their turns, and whether they go before everybody else. */
export type Place = { readonly key: string; readonly isFirst: boolean }

type FairQueueTerms = {
  /** How many may run at once. */
  readonly insideMax: number
  /** How many may wait: so many of those who go first, and so many others. */
  readonly waitingMax: number
  /** Makes the error with which those beyond that are rejected. */
  readonly full: () => Error
}

/**
 * Lets a limited number run at once. Those who wait are taken key by key, so that whoever sends much under one key
 * delays only their own work. When too many wait, the last one of the key with the most of them is rejected.
 */
export class FairQueue {
  readonly #terms: FairQueueTerms
  readonly #first: Lanes
  readonly #others: Lanes
  #inside = 0

  constructor(terms: FairQueueTerms) {
    this.#terms = terms
    this.#first = new Lanes(terms.waitingMax)
    this.#others = new Lanes(terms.waitingMax)
  }

  /** Rejects with the error of the terms when too many wait. */
  async through<T>({ key, isFirst }: Place, work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#terms.insideMax) this.#inside++
    else {
      const lanes = isFirst ? this.#first : this.#others
      await new Promise<void>((start, reject) => lanes.add(key, { start, refuse: () => reject(this.#terms.full()) }))
    }
    try {
      return await work()
    } finally {
      const next = this.#first.take() ?? this.#others.take()
      if (next) next.start()
      else this.#inside--
    }
  }
}

type Waiter = { readonly start: () => void; readonly refuse: () => void }

/** Waiters by key. The key whose turn is next comes first. */
class Lanes {
  readonly #waitingMax: number
  readonly #lanes = new Map<string, Waiter[]>()
  #waiting = 0

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax
  }

  add(key: string, waiter: Waiter): void {
    const lane = this.#lanes.get(key) ?? []
    if (this.#waiting >= this.#waitingMax) {
      const longest = this.#longest()
      // Whoever comes now may not push out somebody who has no more waiting than they would have.
      if (longest.length <= lane.length + 1) {
        waiter.refuse()
        return
      }
      longest.pop()!.refuse()
      this.#waiting--
    }
    lane.push(waiter)
    this.#lanes.set(key, lane)
    this.#waiting++
  }

  take(): Waiter | null {
    for (const [key, lane] of this.#lanes) {
      const waiter = lane.shift()!
      this.#lanes.delete(key)
      if (lane.length > 0) this.#lanes.set(key, lane)
      this.#waiting--
      return waiter
    }
    return null
  }

  #longest(): Waiter[] {
    return [...this.#lanes.values()].reduce((longest, lane) => (lane.length > longest.length ? lane : longest))
  }
}
