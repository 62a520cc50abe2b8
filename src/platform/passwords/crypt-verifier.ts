import { createHmac, randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { Semaphore } from '../actors/semaphore.ts'
import { growingCache } from '../growing-cache.ts'
import { Unavailable } from '../unavailable.ts'
import { siblingModule } from '../sibling-module.ts'

/** A pair takes some 300 bytes. Right ones are kept apart, so that guesses do not push them out. */
const rightMax = 100_000
const wrongMax = 10_000
const idleMs = 60_000

type CryptVerifierParts = {
  readonly threads?: number
  /** How many may wait for a thread. One more is rejected with Unavailable. */
  readonly waitingMax?: number
}

/**
 * Compares passwords with hashes of crypt(3) in threads of their own, which start when they are needed: a hash takes
 * milliseconds to tens of them. A pair that was compared is remembered by a digest under a key of this process, so the
 * same device signs in again for microseconds. Of one hash one password is compared at a time, so that guesses at one
 * login keep one thread busy and no more.
 */
export class CryptVerifier {
  readonly #threads: number
  readonly #semaphore: Semaphore
  readonly #key = randomBytes(32)
  readonly #right = growingCache<string, true>(rightMax)
  readonly #wrong = growingCache<string, true>(wrongMax)
  /** By hash: the pair that is being compared. */
  readonly #inWork = new Map<string, { readonly pair: string; readonly outcome: Promise<boolean> }>()
  #pool: Piscina<{ hash: string; password: string }, boolean> | null = null
  #isStopped = false

  constructor({ threads = Math.max(1, availableParallelism() - 1), waitingMax = 500 }: CryptVerifierParts = {}) {
    this.#threads = threads
    const full = () => new Unavailable('mailboxFull', 'Too many passwords wait to be compared with a hash.')
    this.#semaphore = new Semaphore({ insideMax: threads, waitingMax, full })
  }

  /**
   * Whether the password is that of the hash, of a form that readLoginPassword accepts. Rejects with Unavailable when
   * too many wait, another password is being compared with this hash, or the program stops.
   */
  async verify(hash: string, password: string): Promise<boolean> {
    const pair = createHmac('sha256', this.#key).update(`${hash}\0${password}`).digest('base64')
    if (this.#right.get(pair)) return true
    if (this.#wrong.get(pair)) return false
    const inWork = this.#inWork.get(hash)
    if (inWork?.pair === pair) return await inWork.outcome
    if (inWork) throw new Unavailable('mailboxFull', 'Another password is being compared with this hash.')
    const outcome = this.#semaphore.through(() => this.#compare(hash, password))
    this.#inWork.set(hash, { pair, outcome })
    try {
      const isRight = await outcome
      ;(isRight ? this.#right : this.#wrong).set(pair, true)
      return isRight
    } finally {
      this.#inWork.delete(hash)
    }
  }

  /** Ends the threads. What is being compared is abandoned. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#pool?.destroy()
  }

  async #compare(hash: string, password: string): Promise<boolean> {
    if (this.#isStopped) throw new Unavailable('stopping', 'The program is stopping.')
    this.#pool ??= new Piscina({
      filename: siblingModule(import.meta.url, 'crypt-worker').href,
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: idleMs,
    })
    try {
      return await this.#pool.run({ hash, password })
    } catch (error) {
      if (this.#isStopped) throw new Unavailable('stopping', 'The program is stopping.')
      throw error
    }
  }
}
