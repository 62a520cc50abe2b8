import { LRUCache } from 'lru-cache'
import type { Clock } from '../actors/clock.ts'
import { asUnavailable } from '../storage/unavailability.ts'

export const rememberedTerms = {
  /** How long memory is believed without asking the table: a user disabled in psql is out after this at the latest. */
  cachedMs: 10_000,
  /** With the database away, memory is believed this long, so that operators can watch what still works. */
  cachedUnavailableMs: 5 * 60_000,
  cachedMax: 10_000,
} as const

type Read<T> = { readonly value: T; readonly expiresMs: number }
type Cached<T> = Read<T> & { readonly readMs: number }

/** Proofs of who somebody is, by the SHA-256 of the key, remembered for some seconds so that an API call costs no query. */
export class Remembered<T> {
  readonly #clock: Clock
  readonly #read: (keyHash: string, nowMs: number) => Promise<Read<T> | null>
  readonly #cache = new LRUCache<string, Cached<T>>({ max: rememberedTerms.cachedMax })
  readonly #reading = new Map<string, Promise<T | null>>()
  /** Counts ends, so that a read begun before one is not remembered after it. */
  #epoch = 0

  /** `read` asks the table; null: there is no such key, or it has run out. */
  constructor(clock: Clock, read: (keyHash: string, nowMs: number) => Promise<Read<T> | null>) {
    this.#clock = clock
    this.#read = read
  }

  /** Answers at once when memory knows the key; rejects Unavailable when only the database could tell and it is away. */
  find(keyHash: string): T | null | Promise<T | null> {
    const nowMs = this.#clock.now().getTime()
    const cached = this.#cache.get(keyHash)
    if (cached && nowMs < cached.readMs + rememberedTerms.cachedMs)
      return nowMs < cached.expiresMs ? cached.value : null
    const reading = this.#reading.get(keyHash)
    if (reading) return reading
    const started = this.#ask(keyHash, nowMs, cached).finally(() => {
      if (this.#reading.get(keyHash) === started) this.#reading.delete(keyHash)
    })
    this.#reading.set(keyHash, started)
    return started
  }

  forget(keyHash: string): void {
    this.#epoch++
    this.#cache.delete(keyHash)
    this.#reading.delete(keyHash)
  }

  forgetAll(): void {
    this.#epoch++
    this.#cache.clear()
    this.#reading.clear()
  }

  async #ask(keyHash: string, nowMs: number, stale: Cached<T> | undefined): Promise<T | null> {
    const epoch = this.#epoch
    let found: Read<T> | null
    try {
      found = await this.#read(keyHash, nowMs)
    } catch (error) {
      const believedMs = stale ? Math.min(stale.readMs + rememberedTerms.cachedUnavailableMs, stale.expiresMs) : 0
      if (asUnavailable(error) && stale && nowMs < believedMs && epoch === this.#epoch) return stale.value
      throw error
    }
    // Something ended while this was read: the answer may be old, so it is not remembered.
    if (epoch !== this.#epoch) return found?.value ?? null
    if (!found) {
      this.#cache.delete(keyHash)
      return null
    }
    this.#cache.set(keyHash, { ...found, readMs: nowMs })
    return found.value
  }
}
