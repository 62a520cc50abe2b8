import { LRUCache } from 'lru-cache'
import { Mailbox, MailboxFull } from '../actors/mailbox.ts'
import { lineOf } from '../http/address.ts'
import { Unavailable } from '../unavailable.ts'

/** After `failuresMax` failures of one name and address within the window, attempts are refused. */
type ThrottleTerms = { failuresMax: number; windowMs: number; entriesMax: number }

/** Contract section 5: five failures within 15 minutes. */
const staffTerms: ThrottleTerms = { failuresMax: 5, windowMs: 15 * 60_000, entriesMax: 20_000 }

export type Attempt<T> = { kind: 'made'; result: T | null } | { kind: 'throttled'; retryAfterSeconds: number }

type Entry = { failedAtMs: number[]; readonly turns: Mailbox }

/** Limits the attempts to guess a password. */
export class SignInThrottle {
  /**
   * When full, the least recently used entry is dropped. To drop one of their own, a guesser must make as many other
   * attempts.
   */
  readonly #entries: LRUCache<string, Entry>
  readonly #terms: ThrottleTerms

  constructor(terms: ThrottleTerms = staffTerms) {
    this.#terms = terms
    this.#entries = new LRUCache({ max: terms.entriesMax })
  }

  /**
   * Runs `check`, which returns null for wrong credentials, unless this name has failed too often from this address.
   * Attempts of one name and address run one after another, so that parallel guesses are counted like sequential ones.
   * Rejects Unavailable when too many of them wait.
   */
  attempt<T>(name: string, address: string, nowMs: () => number, check: () => Promise<T | null>): Promise<Attempt<T>> {
    const key = `${name.toLowerCase()}\n${lineOf(address)}`
    const entry = this.#entry(key)
    const turn = async (): Promise<Attempt<T>> => {
      const retryAfterMs = this.#blockedForMs(entry, nowMs())
      if (retryAfterMs > 0) return { kind: 'throttled', retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }
      const result = await check()
      if (result === null) entry.failedAtMs.push(nowMs())
      else entry.failedAtMs = []
      if (entry.failedAtMs.length === 0 && entry.turns.depth === 0) this.#entries.delete(key)
      return { kind: 'made', result }
    }
    return entry.turns.run(turn).catch((error: unknown) => {
      throw error instanceof MailboxFull ? new Unavailable('mailboxFull', error.message) : error
    })
  }

  get size(): number {
    return this.#entries.size
  }

  #blockedForMs(entry: Entry, nowMs: number): number {
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
