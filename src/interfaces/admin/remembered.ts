import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/actors/clock.ts'

/** An answer that took longer to find is given again for a while. */
const costlyMs = 50
const usuallyKeptMs = 20_000
const keptMax = 20

/**
 * Answers that are read from a large part of a table. Several who ask for the same at one moment wait for one reading,
 * and a costly one is not read again for some seconds, or for as long as it holds, however many look at it.
 */
export class Remembered<T> {
  readonly #read: (key: string) => Promise<T>
  readonly #known: LRUCache<string, { readonly answer: Promise<T> }>
  readonly #clock: Pick<Clock, 'elapsedMs'>

  constructor(clock: Pick<Clock, 'elapsedMs'>, read: (key: string) => Promise<T>, keptMs = usuallyKeptMs) {
    this.#clock = clock
    this.#read = read
    this.#known = new LRUCache({ max: keptMax, ttl: keptMs, ttlResolution: 0, perf: { now: clock.elapsedMs } })
  }

  get(key: string): Promise<T> {
    const known = this.#known.get(key)
    if (known) return known.answer
    const startedMs = this.#clock.elapsedMs()
    const reading = { answer: this.#read(key) }
    this.#known.set(key, reading)
    const forget = () => this.#known.get(key) === reading && this.#known.delete(key)
    void reading.answer.then(() => this.#clock.elapsedMs() - startedMs < costlyMs && forget(), forget)
    return reading.answer
  }
}
