import { header } from './pool-layout.ts'

/**
 * The free addresses of a pool in shared memory, the longest unused first: a doubly linked circle through the entry
 * `size`, which is no address and after which the first one comes.
 */
export class FreeList {
  readonly #words: Int32Array
  readonly #size: number
  readonly #next: number
  readonly #previous: number

  /** `next` and `previous`: where their words begin. */
  constructor(words: Int32Array, size: number, { next, previous }: { next: number; previous: number }) {
    this.#words = words
    this.#size = size
    this.#next = next
    this.#previous = previous
  }

  clear(): void {
    this.#words[this.#next + this.#size] = this.#size
    this.#words[this.#previous + this.#size] = this.#size
    this.#words[header.free] = 0
  }

  /** The address that is next to be given out; -1 when none is free. */
  get first(): number {
    return this.after(this.#size)
  }

  after(at: number): number {
    const next = this.#words[this.#next + at]!
    return next === this.#size ? -1 : next
  }

  append(at: number): void {
    this.#insert(at, this.#size)
  }

  prepend(at: number): void {
    this.#insert(at, this.#words[this.#next + this.#size]!)
  }

  remove(at: number): void {
    const next = this.#words[this.#next + at]!
    const previous = this.#words[this.#previous + at]!
    this.#words[this.#next + previous] = next
    this.#words[this.#previous + next] = previous
    this.#words[header.free]!--
  }

  #insert(at: number, before: number): void {
    const previous = this.#words[this.#previous + before]!
    this.#words[this.#next + previous] = at
    this.#words[this.#previous + at] = previous
    this.#words[this.#next + at] = before
    this.#words[this.#previous + before] = at
    this.#words[header.free]!++
  }
}
