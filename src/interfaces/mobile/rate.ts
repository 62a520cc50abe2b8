import type { LRUCache } from 'lru-cache'
import { growingCache } from '../../platform/growing-cache.ts'

type RateTerms = { readonly requestsMax: number; readonly windowMs: number; readonly entriesMax: number }

/** The limit of specification 8: so many requests in any period of a minute. */
const rateTerms: RateTerms = { requestsMax: 30, windowMs: 60_000, entriesMax: 100_000 }

/** What a caller may still do, with the present request counted. */
export type Allowance = {
  readonly isAllowed: boolean
  readonly remaining: number
  /** The time, in Unix milliseconds, when the oldest counted request leaves the window and another one is allowed. */
  readonly freeAtMs: number
}

/** A sliding-window rate limit per key. Refused requests are not counted, so whoever waits is admitted again. */
export class RateLimit {
  /** When full, the key that was seen longest ago is dropped; after a minute that loses nothing. */
  readonly #entries: LRUCache<string, number[]>
  readonly terms: RateTerms

  constructor(terms = rateTerms) {
    this.terms = terms
    this.#entries = growingCache(terms.entriesMax)
  }

  take(key: string, nowMs: number): Allowance {
    const { requestsMax, windowMs } = this.terms
    const taken = (this.#entries.get(key) ?? []).filter((atMs) => atMs > nowMs - windowMs && atMs <= nowMs)
    const isAllowed = taken.length < requestsMax
    if (isAllowed) taken.push(nowMs)
    this.#entries.set(key, taken)
    return { isAllowed, remaining: requestsMax - taken.length, freeAtMs: taken[0]! + windowMs }
  }
}
