/** Specification 8: so many requests a minute; the minute slides. */
export const rateTerms = { requestsMax: 30, windowMs: 60_000, entriesMax: 100_000 } as const

/** Where one who asks stands, the present request counted. */
export type Standing = {
  readonly isAllowed: boolean
  readonly remaining: number
  /** When the oldest of the counted requests is a minute ago and one more is allowed. */
  readonly freeAtMs: number
}

/** Requests of the last minute by who made them. Refused ones are not counted, so whoever waits is let in again. */
export class SlidingMinute {
  readonly #entries = new Map<string, number[]>()
  readonly #terms: { readonly requestsMax: number; readonly windowMs: number; readonly entriesMax: number }

  constructor(terms: SlidingMinute['terms'] = rateTerms) {
    this.#terms = terms
  }

  get terms(): { readonly requestsMax: number; readonly windowMs: number; readonly entriesMax: number } {
    return this.#terms
  }

  take(key: string, nowMs: number): Standing {
    const { requestsMax, windowMs } = this.#terms
    const taken = (this.#entries.get(key) ?? []).filter((atMs) => atMs > nowMs - windowMs && atMs <= nowMs)
    const isAllowed = taken.length < requestsMax
    if (isAllowed) taken.push(nowMs)
    this.#keep(key, taken)
    return { isAllowed, remaining: requestsMax - taken.length, freeAtMs: taken[0]! + windowMs }
  }

  /** Bounded: who was seen longest ago is forgotten first, and after a minute that takes nothing from the count. */
  #keep(key: string, taken: number[]): void {
    this.#entries.delete(key)
    this.#entries.set(key, taken)
    if (this.#entries.size > this.#terms.entriesMax) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
