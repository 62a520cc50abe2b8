/** A small repeatable random generator (xorshift), so that the demo data is the same everywhere. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % limit
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}
