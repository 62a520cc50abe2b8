import { header } from './pool-layout.ts'

const spinsBeforeSleep = 300
const sleepMs = 1

/** The lock of a pool in shared memory; its word has the number of the thread that holds it. */
export class PoolLock {
  readonly #words: Int32Array
  readonly #holder: number

  constructor(words: Int32Array, holder: number) {
    this.#words = words
    this.#holder = holder
  }

  hold<T>(work: () => T): T {
    const words = this.#words
    for (let spins = 1; Atomics.compareExchange(words, header.lock, 0, this.#holder) !== 0; spins++) {
      // The lock is held for less than a microsecond, unless the operating system suspended its thread.
      if (spins % spinsBeforeSleep === 0)
        Atomics.wait(words, header.lock, Atomics.load(words, header.lock) || -1, sleepMs)
    }
    try {
      return work()
    } finally {
      this.release()
    }
  }

  /** Takes the lock over from a thread that has died; false: that thread did not hold it. */
  takeFrom(holder: number): boolean {
    return Atomics.compareExchange(this.#words, header.lock, holder, this.#holder) === holder
  }

  release(): void {
    Atomics.store(this.#words, header.lock, 0)
  }
}
