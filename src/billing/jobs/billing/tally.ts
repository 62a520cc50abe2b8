import type { Author } from '../../../domain/author.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { formatRubles, type Money, plus, zero } from '../../../domain/money.ts'
import { Semaphore, type SemaphoreTerms } from '../../../platform/actors/semaphore.ts'
import { asUnavailable } from '../../../platform/storage/unavailability.ts'
import type { AccountCommand, AccountOutcome, Accounts } from '../../accounts/messages.ts'
import { inFlight } from '../in-flight.ts'
import type { TellProgress } from '../job-progress.ts'
import { JobFailure, type JobResult } from '../jobs.ts'
import type { Due } from './due.ts'
import type { TariffDue } from './tariff-changes.ts'

/**
 * How many accounts are charged at the same time: three batches of group-commit.ts, one that is being written, one that
 * is complete, and one that has been written, which is followed up while the next accounts are read
 * (native-bench/MONEY.md).
 */
const atOnce = 192

/**
 * How many turns of one account wait at the same time, of which each is a commit of its own. Those of a company with
 * hundreds of services would wait beyond their deadline, and a payment of it behind all of them. Enough that the
 * account stays in memory from one to the next.
 */
const ofAccountMax = 16

type Counted = { count: number; amount: Money }

/** Asks the accounts for what is due and counts the outcomes. One account that fails never stops the others. */
export class Tally {
  readonly #accounts: Accounts
  readonly #author: Author
  readonly #stopping: AbortSignal
  readonly #tell: TellProgress
  #asked = 0
  readonly #charged: Counted = { count: 0, amount: zero }
  readonly #givenBack: Counted = { count: 0, amount: zero }
  #tariffs = 0
  /**
   * Already charged by another run, or no longer to be charged because the subscriber left or moved since the query.
   */
  #skipped = 0
  /** How many subscribers had another tariff or were away between the query and the turn, since `charge` began. */
  #changed = 0
  #refused = 0
  readonly #places = new Map<AccountId, { readonly semaphore: Semaphore; asked: number }>()
  readonly #failures: unknown[] = []
  /** How many accounts have failed since the last one that answered. */
  #failedInRow = 0

  constructor(accounts: Accounts, author: Author, stopping: AbortSignal, tell: TellProgress = () => {}) {
    this.#accounts = accounts
    this.#tell = tell
    this.#author = author
    this.#stopping = stopping
  }

  /** Returns how many subscribers had another tariff or were away meanwhile and must be looked up again. */
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
    return this.#all(dues, async ({ accountId, ...change }) => {
      if (await this.#ask(accountId, { kind: 'changeTariff', ...change })) this.#tariffs++
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
   * Null: every account has answered. When the database or the ledger was unavailable, the job is retried soon; other
   * failures wait for the next run.
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
        this.#tell(++this.#asked)
        this.#failedInRow = 0
      } catch (error) {
        this.#failures.push(error)
        // No account answers any more, so the rest would only fail as well.
        if (++this.#failedInRow >= atOnce) throw error
      }
    })
  }

  /** True: the command was committed now. */
  async #ask(account: AccountId, command: AccountCommand): Promise<boolean> {
    const outcome = await this.#inPlace(account, () => this.#accounts.ask(account, command, this.#author))
    if (outcome.kind === 'done') return true
    if (outcome.kind === 'refused' && ['tariffChanged', 'useChanged'].includes(outcome.reason)) {
      this.#changed++
      // Somebody may have written the tariff directly to the table.
      this.#accounts.invalidate(account)
    } else if (outcome.kind === 'known' || isGone(outcome)) this.#skipped++
    else this.#refused++
    return false
  }

  async #inPlace<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    const place = this.#places.get(account) ?? { semaphore: new Semaphore(placesOfAccount), asked: 0 }
    this.#places.set(account, place)
    place.asked++
    try {
      return await place.semaphore.through(work)
    } finally {
      if (--place.asked === 0) this.#places.delete(account)
    }
  }
}

const placesOfAccount: SemaphoreTerms = {
  insideMax: ofAccountMax,
  waitingMax: atOnce,
  full: () => new Error('More is charged at the same time than may be.'),
}

/** These refusals are no failures: the subscriber no longer is to be charged, or not on this account. */
const isGone = (outcome: Extract<AccountOutcome, { kind: 'refused' }>): boolean =>
  ['notChargeable', 'subscriberNotOnAccount', 'subscriberMissing', 'accountMissing'].includes(outcome.reason)

function add(to: Counted, amount: Money): void {
  to.count++
  to.amount = plus(to.amount, amount)
}
