import type { Account, Subscriber } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import type { EventOf, Session } from '../../domain/events.ts'
import type { AccountId, SubscriberId } from '../../domain/ids.ts'
import { cooldownEnd, offerPromise, serviceOfPath } from '../../domain/promise.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { type ActorObserver, Directory } from '../../platform/actors/directory.ts'
import type { AccountStore } from './account-store.ts'
import type { LedgerPolicy } from './decision.ts'
import type { AccountCommand, AccountOutcome, Accounts } from './messages.ts'
import { usualPolicy } from './policy.ts'

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
  /** When the cooldown after the last promise payment ends; null when there is none. */
  readonly cooldownUntil: Date | null
}

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

  /** Null: there is no such subscriber. */
  status(id: SubscriberId): Promise<SubscriberStatus | null> {
    return this.#directory.ask(id, async (status) => ({ state: status, result: status }))
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

  /** What `activatePromise` would do for a client now; nothing is changed. Null: there is no such subscriber. */
  async promiseProspect(id: SubscriberId): Promise<PromiseProspect | null> {
    const status = await this.status(id)
    const facts = await this.#parts.store.promiseFacts(id, serviceOfPath.client)
    if (!status || !facts) return null
    const { promise: policy } = this.#parts.policy?.() ?? usualPolicy
    const { account, subscriber } = status
    const now = this.#parts.clock.now()
    const request = { path: 'client', limit: null, until: null } as const
    const free = cooldownEnd(subscriber.lastPromiseAt, policy)
    return {
      ...offerPromise({ ...subscriber, balance: account.balance }, request, facts, policy, now),
      cooldownUntil: free && free > now ? free : null,
    }
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

  /** Only actors that are awake follow the events; the others read the tables when they wake. */
  #follow(id: SubscriberId, change: (status: SubscriberStatus) => SubscriberStatus): void {
    if (this.#directory.peek(id) === undefined) return
    this.#directory
      .ask(id, async (status) => ({ state: status && change(status), result: undefined }))
      .catch(() => this.#directory.invalidate(id))
  }
}

/** Events may arrive after a load that already saw their effect, so an older account never replaces a newer one. */
function withAccount(status: SubscriberStatus, account: Account, subscriber: Subscriber): SubscriberStatus {
  const isOlder = account.id === status.account.id && account.version < status.account.version
  return isOlder ? status : { ...status, account, subscriber }
}
