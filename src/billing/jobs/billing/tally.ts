import type { Author } from '../../../domain/author.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { formatRubles, type Money, plus, zero } from '../../../domain/money.ts'
import { asUnavailable } from '../../../platform/storage/unavailability.ts'
import type { AccountCommand, AccountOutcome, Accounts } from '../../accounts/messages.ts'
import { inFlight } from '../in-flight.ts'
import { JobFailure, type JobResult } from '../jobs.ts'
import type { Due } from './due.ts'
import type { TariffDue } from './tariff-changes.ts'

/**
 * Measured (native-bench/charges.ts): with more under way the charges go no faster, and a payment that comes in between waits longer:
 * half of them over 50 ms at 128, 250 ms at 250, 550 ms at 500. With 64 the commits are not full and the charges take longer.
 */
const atOnce = 128

type Counted = { count: number; amount: Money }

/** Asks the accounts for what is due and counts what became of it. One account that fails never stops the others. */
export class Tally {
  readonly #accounts: Accounts
  readonly #author: Author
  readonly #stopping: AbortSignal
  readonly #charged: Counted = { count: 0, amount: zero }
  readonly #givenBack: Counted = { count: 0, amount: zero }
  #tariffs = 0
  /** Charged before by another run, or not to be charged after all: the subscriber left or moved since it was looked at. */
  #skipped = 0
  /** Got another tariff between the look and the turn, since `charge` began. */
  #changed = 0
  #refused = 0
  readonly #failures: unknown[] = []
  /** Failures since the last account that answered. */
  #failedInRow = 0

  constructor(accounts: Accounts, author: Author, stopping: AbortSignal) {
    this.#accounts = accounts
    this.#author = author
    this.#stopping = stopping
  }

  /** Answers how many got another tariff meanwhile and are to be looked at again. */
  async charge(dues: AsyncIterable<Due>): Promise<number> {
    this.#changed = 0
    await this.#all(dues, async (due) => {
      const { accountId, uslugaId, ...facts } = due
      const details = uslugaId === null ? {} : { uslugaId }
      const outcome = await this.#ask(accountId, { kind: 'charge', ...facts, movedAt: null, details })
      if (outcome) add(this.#charged, due.amount)
    })
    return this.#changed
  }

  giveBack(dues: AsyncIterable<Due>): Promise<void> {
    return this.#all(dues, async (due) => {
      const { accountId, uslugaId, key, ...facts } = due
      const details = uslugaId === null ? {} : { uslugaId }
      const posting = { ...facts, sign: 1, movedAt: null, details, keys: [key] } as const
      const outcome = await this.#ask(accountId, { kind: 'post', ...posting })
      if (outcome) add(this.#givenBack, due.amount)
    })
  }

  change(dues: AsyncIterable<TariffDue>): Promise<void> {
    return this.#all(dues, async ({ accountId, subscriberId, tariffId }) => {
      if (await this.#ask(accountId, { kind: 'changeTariff', subscriberId, tariffId })) this.#tariffs++
    })
  }

  result(): JobResult {
    return {
      charged: this.#charged.count,
      amount: formatRubles(this.#charged.amount),
      given_back: this.#givenBack.count,
      given_back_amount: formatRubles(this.#givenBack.amount),
      tariffs_changed: this.#tariffs,
      skipped: this.#skipped,
      failed: this.#refused + this.#failures.length,
    }
  }

  /**
   * Null: every account has answered. One that could not because something was away is asked again soon; what failed for another
   * reason is tried again with the next run.
   */
  failure(result: JobResult): Error | null {
    const [first] = this.#failures
    if (first === undefined) return null
    const away = this.#failures.map(asUnavailable).find((failure) => failure !== null)
    return away ?? new JobFailure(`${this.#failures.length} accounts could not be asked: ${first}`, result)
  }

  #all<T>(dues: AsyncIterable<T>, work: (due: T) => Promise<void>): Promise<void> {
    return inFlight(dues, atOnce, this.#stopping, async (due) => {
      try {
        await work(due)
        this.#failedInRow = 0
      } catch (error) {
        this.#failures.push(error)
        // Nobody answers any more: the rest would only wait for nothing.
        if (++this.#failedInRow >= atOnce) throw error
      }
    })
  }

  /** True: committed now. */
  async #ask(account: AccountId, command: AccountCommand): Promise<boolean> {
    const outcome = await this.#accounts.ask(account, command, this.#author)
    if (outcome.kind === 'done') return true
    if (outcome.kind === 'refused' && outcome.reason === 'tariffChanged') {
      this.#changed++
      // Somebody may have written it beside the ledger a moment ago.
      this.#accounts.invalidate(account)
    } else if (outcome.kind === 'known' || isGone(outcome)) this.#skipped++
    else this.#refused++
    return false
  }
}

/** It is no failure of anybody that a subscriber is not there to be charged any more. */
const isGone = (outcome: Extract<AccountOutcome, { kind: 'refused' }>): boolean =>
  ['notChargeable', 'subscriberNotOnAccount', 'subscriberMissing', 'accountMissing'].includes(outcome.reason)

function add(to: Counted, amount: Money): void {
  to.count++
  to.amount = plus(to.amount, amount)
}
