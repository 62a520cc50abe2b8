import type { Clock } from '../actors/clock.ts'
import type { Place } from '../actors/fair-queue.ts'
import { growingCache } from '../growing-cache.ts'
import { lineOf, siteOf } from '../http/address.ts'
import { Unavailable } from '../unavailable.ts'
import { FailureCounts } from './failure-counts.ts'

const windowMs = 15 * 60_000
const entriesMax = 20_000

/**
 * How many wrong passwords within 15 minutes are too many. Whoever has signed in from an address before is known there,
 * and is held up by others' guesses only later, or never.
 */
export const tryLimits = {
  /** Of one owner, or of one invented name, from one address (contract section 5). */
  pair: { failuresMax: 5, knownMax: 5, windowMs, entriesMax },
  /** Of one owner from all addresses. */
  owner: { failuresMax: 50, knownMax: Number.POSITIVE_INFINITY, windowMs, entriesMax },
  /** From one address over all names. Behind an address translator that is a whole neighbourhood. */
  line: { failuresMax: 30, knownMax: 120, windowMs, entriesMax },
  /** From one site of IPv6, which has 65536 addresses in the sense above. */
  site: { failuresMax: 100, knownMax: 400, windowMs, entriesMax },
} as const

type Limit = keyof typeof tryLimits

/** How long a good history at an address lasts, and of how many owners and addresses it is kept. */
const historyTerms = { ttlMs: 30 * 24 * 3_600_000, max: 100_000 } as const

/** Where a password is asked for. */
export type Entrance = 'admin' | 'soap' | 'portal' | 'phone' | 'password' | 'system'

type Outcome = 'right' | 'wrong' | 'throttled'

export type Tried = {
  readonly entrance: Entrance
  readonly address: string
  /** Whose password is tried: whom the name means, such as `client 12`. Usually one; none for an invented name. */
  readonly owners: readonly string[]
  /** The name as it counts while it means nobody. */
  readonly name: string
  /** Whether a session of theirs from this address is stored, so that they are known there after a restart too. */
  readonly hasSession?: boolean
}

export type Try<T> =
  /** Null: the password is wrong. */
  | { readonly kind: 'made'; readonly result: T | null }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

type Counter = { readonly counts: FailureCounts; readonly key: string }

type PasswordTriesParts = {
  readonly clock: Pick<Clock, 'elapsedMs'>
  /** Tests make the bounds of memory small. */
  readonly entriesMax?: number
  readonly observe?: (entrance: Entrance, outcome: Outcome) => void
}

/**
 * The one rule that limits guesses at passwords. Every entrance asks here, so what fails at one of them counts at all.
 * Only failures of passwords that were checked are remembered.
 */
export class PasswordTries {
  readonly #clock: Pick<Clock, 'elapsedMs'>
  readonly #observe: NonNullable<PasswordTriesParts['observe']>
  readonly #counts: Readonly<Record<Limit | 'invented', FailureCounts>>
  /** When an owner last signed in from an address, in milliseconds. */
  readonly #history = growingCache<string, number>(historyTerms.max)

  constructor({ clock, entriesMax: bound = entriesMax, observe = () => {} }: PasswordTriesParts) {
    this.#clock = clock
    this.#observe = observe
    const countsOf = (limit: Limit) => new FailureCounts({ ...tryLimits[limit], entriesMax: bound })
    this.#counts = {
      pair: countsOf('pair'),
      // Apart from those above, so that a flood of invented names makes none of them be forgotten.
      invented: countsOf('pair'),
      owner: countsOf('owner'),
      line: countsOf('line'),
      site: countsOf('site'),
    }
  }

  /**
   * Runs `check`, which returns null for a wrong password, unless too many have failed. `check` is told where in a
   * queue of the caller's address it may stand. Tries at once are counted like tries in turn: those that would exceed
   * a limit if all others failed wait for them. Rejects Unavailable when too many wait.
   */
  async attempt<T>(tried: Tried, check: (place: Place) => Promise<T | null>): Promise<Try<T>> {
    const place = { key: lineOf(tried.address), isFirst: this.#isKnown(tried) }
    const counters = this.#countersOf(tried)
    for (;;) {
      const nowMs = this.#nowMs()
      const lockedMs = Math.max(...counters.map(({ counts, key }) => counts.lockedForMs(key, place.isFirst, nowMs)))
      if (lockedMs > 0) {
        this.#observe(tried.entrance, 'throttled')
        return { kind: 'throttled', retryAfterSeconds: Math.ceil(lockedMs / 1000) }
      }
      const crowded = counters.find(({ counts, key }) => !counts.hasRoom(key, place.isFirst, nowMs))
      if (!crowded) break
      const end = crowded.counts.nextEnd(crowded.key)
      if (!end) throw new Unavailable('mailboxFull', 'Too many passwords wait to be checked; try again shortly.')
      await end
    }
    return { kind: 'made', result: await this.#checked(tried, counters, () => check(place)) }
  }

  /** How many owners at an address, invented names and addresses are locked now. */
  get locked(): number {
    const nowMs = this.#nowMs()
    return Object.values(this.#counts).reduce((sum, counts) => sum + counts.lockedAt(nowMs), 0)
  }

  /** How many owners and names at an address are remembered with failures. */
  get size(): number {
    return this.#counts.pair.size + this.#counts.invented.size
  }

  async #checked<T>(tried: Tried, counters: readonly Counter[], check: () => Promise<T | null>): Promise<T | null> {
    for (const { counts, key } of counters) counts.begin(key)
    try {
      const result = await check()
      if (result === null) for (const { counts, key } of counters) counts.failed(key, this.#nowMs())
      else this.#succeeded(tried)
      this.#observe(tried.entrance, result === null ? 'wrong' : 'right')
      return result
    } finally {
      for (const { counts, key } of counters) counts.end(key)
    }
  }

  /**
   * Failures of the address stay: its user could otherwise sign in with an account of his own between guesses at
   * others. For the same reason a name that means two owners forgets nothing.
   */
  #succeeded({ owners, address }: Tried): void {
    const [owner] = owners
    if (owner === undefined || owners.length > 1) return
    const pair = pairOf(owner, address)
    this.#counts.pair.forget(pair)
    this.#history.set(pair, this.#nowMs())
  }

  #isKnown({ owners, address, hasSession = false }: Tried): boolean {
    if (hasSession) return true
    const sinceMs = this.#nowMs() - historyTerms.ttlMs
    const lastMs = (owner: string) => this.#history.get(pairOf(owner, address)) ?? Number.NEGATIVE_INFINITY
    return owners.length > 0 && owners.every((owner) => lastMs(owner) > sinceMs)
  }

  #countersOf({ owners, name, address }: Tried): Counter[] {
    const { pair, invented, owner: ofOwner, line, site } = this.#counts
    const siteKey = siteOf(address)
    return [
      ...owners.map((owner) => ({ counts: pair, key: pairOf(owner, address) })),
      ...owners.map((owner) => ({ counts: ofOwner, key: owner })),
      ...(owners.length === 0 ? [{ counts: invented, key: pairOf(name.toLowerCase(), address) }] : []),
      { counts: line, key: lineOf(address) },
      ...(siteKey === null ? [] : [{ counts: site, key: siteKey }]),
    ]
  }

  /** Not the time of day: a clock that is set back would lock for as much longer. */
  #nowMs(): number {
    return this.#clock.elapsedMs()
  }
}

const pairOf = (owner: string, address: string): string => `${owner}\n${lineOf(address)}`
