import type { Account, Subscriber } from '../../domain/account.ts'
import { type Author, systemAuthor } from '../../domain/author.ts'
import { dayOf, monthOf } from '../../domain/calendar.ts'
import type { EventOf, Session } from '../../domain/events.ts'
import { type AccountId, operationId, type SubscriberId } from '../../domain/ids.ts'
import { type Money, zero } from '../../domain/money.ts'
import {
  cooldownEnd,
  offerPromise,
  type PromisePath,
  type PromisePayment,
  serviceOfPath,
} from '../../domain/promise.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { type ActorObserver, Directory } from '../../platform/actors/directory.ts'
import type { AccountStore } from './account-store.ts'
import { type Decision, decide, type LedgerPolicy } from './decision.ts'
import type { AccountCommand, AccountOutcome, Accounts, TariffPlan } from './messages.ts'
import { usualPolicy } from './policy.ts'
import type { DecisionContext } from './postings.ts'
import { refundOf } from './service-decision.ts'
import { asUnavailableTurn } from './unavailable-turns.ts'

/** The current state of one subscriber: money, blocks and live sessions together. */
export type SubscriberStatus = {
  readonly account: Account
  readonly subscriber: Subscriber
  readonly sessions: readonly Session[]
}

export type SubscribersParts = {
  store: AccountStore
  accounts: Accounts
  clock: Clock
  /** The live sessions of a subscriber, as RADIUS accounting knows them. */
  sessionsOf: (id: SubscriberId) => readonly Session[]
  /** The same policy as that of the accounts; without it the defaults of the settings apply. */
  policy?: () => LedgerPolicy
  observe?: ActorObserver
}

/** Whether a promise payment is available now and on what terms, as a turn of the account would decide it. */
export type PromiseProspect = ReturnType<typeof offerPromise> & {
  /** The one that is active already. */
  readonly active: PromisePayment | null
  /** When the cooldown after the last promise payment ends; null when there is none. */
  readonly cooldownUntil: Date | null
}

/** What would be decided about a change of tariff; the ids of its operations mean nothing. */
export type TariffProspect = { readonly status: SubscriberStatus; readonly decision: Decision }

/** The context of a decision that will not be written. */
const supposed = (now: Date): DecisionContext => ({
  now,
  author: systemAuthor('prospect'),
  newOperationId: () => operationId(1),
  newLinkId: () => 1,
})

/** A command of an account that concerns one subscriber; the actor knows which account that is. */
type SubscriberCommand = Extract<AccountCommand, { subscriberId: SubscriberId }>
export type ForwardedCommand = Exclude<SubscriberCommand, { kind: 'post' }>

/**
 * One actor per subscriber that somebody watches or commands. It owns no state: commands are forwarded to the account,
 * and its copy follows the events, so that the next question is answered without the database.
 */
export class SubscriberActors {
  readonly #parts: SubscribersParts
  readonly #directory: Directory<SubscriberId, SubscriberStatus>

  constructor(parts: SubscribersParts) {
    this.#parts = parts
    this.#directory = new Directory<SubscriberId, SubscriberStatus>({
      name: 'subscriber',
      load: (id) => this.#load(id),
      waitingMax: 1000,
      awakeMax: 50_000,
      idleMs: 10 * 60_000,
      deadlineMs: 4_500,
      clock: parts.clock,
      ...(parts.observe && { observe: parts.observe }),
    })
  }

  accountCommitted({ after }: EventOf<'accountCommitted'>): void {
    for (const subscriber of after.subscribers)
      this.#follow(subscriber.id, (status) => withAccount(status, after, subscriber))
  }

  sessionStarted({ session }: EventOf<'sessionStarted'>): void {
    this.#followSessions(session)
  }

  sessionUpdated({ session }: EventOf<'sessionUpdated'>): void {
    this.#followSessions(session)
  }

  sessionStopped({ session }: EventOf<'sessionStopped'>): void {
    this.#followSessions(session)
  }

  get awake(): number {
    return this.#directory.awake
  }

  get waiting(): number {
    return this.#directory.waiting
  }

  /** The provider's settings, as the next turn decides by them. */
  get policy(): LedgerPolicy {
    return this.#parts.policy?.() ?? usualPolicy
  }

  /** Null: there is no such subscriber. */
  status(id: SubscriberId): Promise<SubscriberStatus | null> {
    return this.#directory
      .ask(id, async (status) => ({ state: status, result: status }))
      .catch((error: unknown) => {
        throw asUnavailableTurn(error) ?? error
      })
  }

  /** Forwards a change of flags or access to the account that the subscriber is on now. */
  async ask(command: ForwardedCommand, author: Author): Promise<AccountOutcome> {
    for (let attempt = 0; ; attempt++) {
      const status = await this.status(command.subscriberId)
      if (!status) return { kind: 'refused', reason: 'subscriberMissing' }
      const outcome = await this.#parts.accounts.ask(status.account.id, command, author)
      const hasMoved = outcome.kind === 'refused' && outcome.reason === 'subscriberNotOnAccount'
      if (!hasMoved || attempt === 1) return outcome
      this.#directory.invalidate(command.subscriberId)
    }
  }

  /** What `activatePromise` would do now; nothing is changed. Null: there is no such subscriber. */
  async promiseProspect(id: SubscriberId, path: PromisePath = 'client'): Promise<PromiseProspect | null> {
    const status = await this.status(id)
    const facts = await this.#parts.store.promiseFacts(id, serviceOfPath[path])
    if (!status || !facts) return null
    const { promise: policy } = this.policy
    const { account, subscriber } = status
    const now = this.#parts.clock.now()
    const request = { path, limit: null, until: null }
    return {
      ...offerPromise({ ...subscriber, balance: account.balance }, request, facts, policy, now),
      active: subscriber.promise,
      cooldownUntil: cooldownEnd(subscriber.lastPromiseAt, policy, now),
    }
  }

  /** What a change of tariff would be now, as its turn would decide it. Null: there is no such subscriber. */
  async tariffProspect(id: SubscriberId, tariffId: number): Promise<TariffProspect | null> {
    const status = await this.status(id)
    if (!status) return null
    const { account, subscriber } = status
    const { policy } = this
    const now = this.#parts.clock.now()
    const day = dayOf(now, policy.timeZone)
    const tariff = await this.#parts.store.tariffFacts(id, subscriber.tariffId, tariffId, day)
    const command = { kind: 'changeTariff', subscriberId: id, tariffId } as const
    return { status, decision: decide(account, command, { operation: null, tariff }, supposed(now), policy) }
  }

  /** The change of tariff that is planned; null: there is none. */
  tariffPlan(id: SubscriberId): Promise<TariffPlan | null> {
    return this.#parts.store.tariffPlan(id)
  }

  /** What would be given back for each service, by its row, if it were taken away now. */
  async serviceRefunds(id: SubscriberId): Promise<ReadonlyMap<number, Money>> {
    const { timeZone } = this.policy
    const today = dayOf(this.#parts.clock.now(), timeZone)
    const services = await this.#parts.store.chargedServices(id, monthOf(today))
    return new Map(services.map((service) => [service.linkId, refundOf(service, today, timeZone)?.amount ?? zero]))
  }

  /** Drops the subscriber from memory, so that the next question reads the tables. */
  invalidate(id: SubscriberId): void {
    this.#directory.invalidate(id)
  }

  invalidateAll(): void {
    this.#directory.invalidateAll()
  }

  stop(): Promise<void> {
    return this.#directory.stop()
  }

  async #load(id: SubscriberId): Promise<SubscriberStatus | null> {
    const accountId: AccountId | null = await this.#parts.store.accountOf(id)
    const account = accountId === null ? null : await this.#parts.store.load(accountId)
    const subscriber = account?.subscribers.find((candidate) => candidate.id === id)
    return account && subscriber ? { account, subscriber, sessions: this.#parts.sessionsOf(id) } : null
  }

  #followSessions({ subscriberId: id }: Session): void {
    if (id !== null) this.#follow(id, (status) => ({ ...status, sessions: this.#parts.sessionsOf(id) }))
  }

  #follow(id: SubscriberId, change: (status: SubscriberStatus) => SubscriberStatus): void {
    this.#directory.follow(id, (status) => status && change(status))
  }
}

/** Events may arrive after a load that already saw their effect, so an older account never replaces a newer one. */
function withAccount(status: SubscriberStatus, account: Account, subscriber: Subscriber): SubscriberStatus {
  const isOlder = account.id === status.account.id && account.version < status.account.version
  return isOlder ? status : { ...status, account, subscriber }
}
