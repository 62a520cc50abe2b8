import { LRUCache } from 'lru-cache'

/** Specification 8: so many requests a minute; the minute slides. */
const rateTerms = { requestsMax: 30, windowMs: 60_000, entriesMax: 100_000 } as const

/** Where one who asks stands, the present request counted. */
export type Standing = {
  readonly isAllowed: boolean
  readonly remaining: number
  /** When the oldest of the counted requests is a minute ago and one more is allowed. */
  readonly freeAtMs: number
}

/** Requests of the last minute by who made them. Refused ones are not counted, so whoever waits is let in again. */
export class SlidingMinute {
  /** Who was seen longest ago is forgotten first, and after a minute that takes nothing from the count. */
  readonly #entries: LRUCache<string, number[]>
  readonly #terms: { readonly requestsMax: number; readonly windowMs: number; readonly entriesMax: number }

  constructor(terms: SlidingMinute['terms'] = rateTerms) {
    this.#terms = terms
    this.#entries = new LRUCache({ max: terms.entriesMax })
  }

  get terms(): { readonly requestsMax: number; readonly windowMs: number; readonly entriesMax: number } {
    return this.#terms
  }

  take(key: string, nowMs: number): Standing {
    const { requestsMax, windowMs } = this.#terms
    const taken = (this.#entries.get(key) ?? []).filter((atMs) => atMs > nowMs - windowMs && atMs <= nowMs)
    const isAllowed = taken.length < requestsMax
    if (isAllowed) taken.push(nowMs)
    this.#entries.set(key, taken)
    return { isAllowed, remaining: requestsMax - taken.length, freeAtMs: taken[0]! + windowMs }
  }
}
