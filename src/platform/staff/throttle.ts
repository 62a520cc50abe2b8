import { LRUCache } from 'lru-cache'
import { Mailbox } from '../actors/mailbox.ts'
import { lineOf } from '../http/address.ts'

/** Contract section 5: five failures of one name and address within 15 minutes, then 429. */
type ThrottleTerms = { failuresMax: number; windowMs: number; entriesMax: number }

const terms5in15: ThrottleTerms = { failuresMax: 5, windowMs: 15 * 60_000, entriesMax: 20_000 }

export type Attempt<T> = { kind: 'made'; result: T | null } | { kind: 'throttled'; retryAfterSeconds: number }

type Entry = { failedAtMs: number[]; readonly turns: Mailbox }

export class SignInThrottle {
  /** At the limit the entry touched longest ago is forgotten, which costs a guesser one sign-in per forgotten guess. */
  readonly #entries: LRUCache<string, Entry>
  readonly #terms: ThrottleTerms

  constructor(terms: ThrottleTerms = terms5in15) {
    this.#terms = terms
    this.#entries = new LRUCache({ max: terms.entriesMax })
  }

  /**
   * Lets `check` look at the credentials (null: wrong) unless this name failed too often from this address. Attempts of one
   * name and address take turns, so guesses sent at once are counted like guesses sent one by one. Rejects MailboxFull.
   */
  attempt<T>(name: string, address: string, nowMs: () => number, check: () => Promise<T | null>): Promise<Attempt<T>> {
    const key = `${name.toLowerCase()}\n${lineOf(address)}`
    const entry = this.#entry(key)
    return entry.turns.run(async () => {
      const retryAfterMs = this.#closedFor(entry, nowMs())
      if (retryAfterMs > 0) return { kind: 'throttled', retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }
      const result = await check()
      if (result === null) entry.failedAtMs.push(nowMs())
      else entry.failedAtMs = []
      if (entry.failedAtMs.length === 0 && entry.turns.depth === 0) this.#entries.delete(key)
      return { kind: 'made', result }
    })
  }

  get size(): number {
    return this.#entries.size
  }

  #closedFor(entry: Entry, nowMs: number): number {
    const { failuresMax, windowMs } = this.#terms
    entry.failedAtMs = entry.failedAtMs.filter((atMs) => atMs > nowMs - windowMs)
    return entry.failedAtMs.length < failuresMax ? 0 : entry.failedAtMs.at(-failuresMax)! + windowMs - nowMs
  }

  #entry(key: string): Entry {
    const entry = this.#entries.get(key) ?? { failedAtMs: [], turns: new Mailbox(64) }
    this.#entries.set(key, entry)
    return entry
  }
}
