import type { Clock } from '../actors/clock.ts'
import { growingCache } from '../growing-cache.ts'
import { asUnavailable } from '../storage/unavailability.ts'

export const credentialCacheTerms = {
  /**
   * How long an entry is used without reading the table. A user who is disabled in psql is out after this at the
   * latest.
   */
  cachedMs: 10_000,
  /** How long an entry is used while the database is unavailable, so that operators can still see what works. */
  cachedUnavailableMs: 5 * 60_000,
  cachedMax: 10_000,
} as const

export type Read<T> = { readonly value: T; readonly expiresMs: number }
type Cached<T> = Read<T> & { readonly readMs: number }

/**
 * Caches sessions and tokens by the SHA-256 of their key for some seconds, so that an API call needs no query to
 * authenticate its caller.
 */
export class CredentialCache<T> {
  readonly #clock: Clock
  readonly #read: (keyHash: string, nowMs: number) => Promise<Read<T> | null>
  readonly #cache = growingCache<string, Cached<T>>(credentialCacheTerms.cachedMax)
  readonly #reading = new Map<string, Promise<T | null>>()
  /** Incremented whenever entries are dropped, so that a read that began before is not cached afterwards. */
  #epoch = 0

  /** `read` queries the table and returns null when the key does not exist or has expired. */
  constructor(clock: Clock, read: (keyHash: string, nowMs: number) => Promise<Read<T> | null>) {
    this.#clock = clock
    this.#read = read
  }

  /**
   * The value of a key, or null when the key is not valid. Returns synchronously when the key is cached. Rejects
   * Unavailable when the table is needed and the database is unavailable.
   */
  find(keyHash: string): T | null | Promise<T | null> {
    const nowMs = this.#clock.now().getTime()
    const cached = this.#cache.get(keyHash)
    if (cached && nowMs < cached.readMs + credentialCacheTerms.cachedMs)
      return nowMs < cached.expiresMs ? cached.value : null
    const reading = this.#reading.get(keyHash)
    if (reading) return reading
    const started = this.#refresh(keyHash, nowMs, cached).finally(() => {
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

  async #refresh(keyHash: string, nowMs: number, stale: Cached<T> | undefined): Promise<T | null> {
    const epoch = this.#epoch
    let found: Read<T> | null
    try {
      found = await this.#read(keyHash, nowMs)
    } catch (error) {
      const usableUntilMs = stale
        ? Math.min(stale.readMs + credentialCacheTerms.cachedUnavailableMs, stale.expiresMs)
        : 0
      if (asUnavailable(error) && stale && nowMs < usableUntilMs && epoch === this.#epoch) return stale.value
      throw error
    }
    // Entries were dropped during the read, so its result may be outdated and is not cached.
    if (epoch !== this.#epoch) return found?.value ?? null
    if (!found) {
      this.#cache.delete(keyHash)
      return null
    }
    this.#cache.set(keyHash, { ...found, readMs: nowMs })
    return found.value
  }
}
