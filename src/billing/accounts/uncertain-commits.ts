import type { Account } from '../../domain/account.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { Clock } from '../../platform/actors/clock.ts'

const retryMs = 1_000
const atOnce = 50

/**
 * Accounts whose last commit may or may not have happened, because the connection broke or the answer took too long. No
 * event was published for it, so the access table and the screens may lag behind the tables. Each account is settled
 * again and again until that succeeds.
 */
export class UncertainCommits {
  readonly #clock: Clock
  /** Finds out what was committed and publishes it; `before` is the account as it was published last. */
  readonly #settle: (before: Account) => Promise<void>
  readonly #open = new Map<AccountId, Account>()
  #settling = 0
  #cancel: (() => void) | null = null
  #stopped = false

  constructor(clock: Clock, settle: (before: Account) => Promise<void>) {
    this.#clock = clock
    this.#settle = settle
  }

  get size(): number {
    return this.#open.size + this.#settling
  }

  add(before: Account): void {
    if (!this.#open.has(before.id)) this.#open.set(before.id, before)
    this.#plan()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #plan(): void {
    if (this.#cancel || this.#stopped || this.#open.size === 0) return
    this.#cancel = this.#clock.after(retryMs, () => {
      void this.#settleAll().finally(() => {
        this.#cancel = null
        this.#plan()
      })
    })
  }

  async #settleAll(): Promise<void> {
    const waiting = [...this.#open.values()]
    for (let from = 0; from < waiting.length; from += atOnce) {
      const settled = await Promise.allSettled(
        waiting.slice(from, from + atOnce).map((before) => this.#settleOne(before)),
      )
      // While the database is away one attempt per second is enough.
      if (settled.every(({ status }) => status === 'rejected')) return
    }
  }

  async #settleOne(before: Account): Promise<void> {
    this.#open.delete(before.id)
    this.#settling++
    try {
      await this.#settle(before)
    } catch (error) {
      // Keep the first `before`: one that was added meanwhile may never have been published.
      this.#open.set(before.id, before)
      throw error
    } finally {
      this.#settling--
    }
  }
}
