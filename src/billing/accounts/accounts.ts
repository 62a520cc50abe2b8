import type { Account } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import { dayOf, monthOf } from '../../domain/calendar.ts'
import type { Effect, StoredEffect } from '../../domain/effects.ts'
import type { Events } from '../../domain/events.ts'
import { type AccountId, operationId, type SubscriberId } from '../../domain/ids.ts'
import { serviceOfPath } from '../../domain/promise.ts'
import type { Span } from '../../domain/span.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { steadyMs } from '../../platform/actors/day-time.ts'
import { type ActorObserver, Directory } from '../../platform/actors/directory.ts'
import type { ReadingTimes } from '../../platform/actors/reading-times.ts'
import type { Callers } from '../../platform/http/in-flight.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import type { AccountChange } from './account-change.ts'
import type { AccountStore } from './account-store.ts'
import type { CommitUnit } from './commit-statement.ts'
import { decide, decideMove, type Known, type LedgerPolicy } from './decision.ts'
import { type CommitObserver, type CommitOutcome, GroupCommit, isRefused } from './group-commit.ts'
import type { AccountCommand, AccountOutcome, AccountReading, Accounts } from './messages.ts'
import { usualPolicy } from './policy.ts'
import type { AccountOpening, FirstTurn, WrittenFirst } from './opening.ts'
import type { DecisionContext } from './postings.ts'
import { UncertainCommits } from './uncertain-commits.ts'
import { asUnavailableTurn } from './unavailable-turns.ts'

export type AccountsParts = {
  store: AccountStore
  events: Events
  clock: Clock
  /** Translates a failure of the database connection; null for any other error. */
  asUnavailable: (error: unknown) => Unavailable | null
  /** Whether commits are written to the log of nodes, which the other programs on the database follow. */
  tellsNodes?: boolean
  /** Notices that this program stood still. Commands of people from before that are refused: another may have acted. */
  readingTimes?: Pick<ReadingTimes, 'hasWaited'> | null
  /** The provider's settings, read in every turn; without it the defaults of the settings apply. */
  policy?: () => LedgerPolicy
  /** The events of a change that programs of the provider want to be told; they are stored with the commit. */
  eventsOf?: (change: AccountChange, now: Date) => readonly Effect[]
  observe?: ActorObserver & { commit?: CommitObserver }
  /** The requests that wait for an answer, which turns of jobs let go first. */
  callers?: Callers
  limits?: Partial<{ waitingMax: number; awakeMax: number; idleMs: number; deadlineMs: number }>
}

/**
 * After so many attempts, each of which found the row changed, the command is given up and the sender may repeat it.
 */
const attemptsMax = 8

/** When a command was sent, and by `Clock.elapsedMs` until when its sender waits. */
type Asked = { readonly now: Date; readonly lateMs: number; readonly span?: Span | undefined }

const limits = { waitingMax: 1000, awakeMax: 200_000, idleMs: 10 * 60_000, deadlineMs: 4_500 }

/**
 * The ledger: one actor per account. A turn looks up what is known, decides, commits, replaces the account in memory
 * and publishes the event. Nobody else writes a balance, a block flag or an access switch.
 */
export class AccountActors implements Accounts, AccountReading, AccountOpening {
  readonly #parts: AccountsParts
  readonly #directory: Directory<AccountId, Account>
  readonly #commits: GroupCommit
  readonly #uncertain: UncertainCommits
  readonly #policy: () => LedgerPolicy

  constructor(parts: AccountsParts) {
    this.#parts = parts
    this.#policy = parts.policy ?? (() => usualPolicy)
    this.#commits = new GroupCommit(parts.store.send, parts.observe?.commit, parts.callers)
    this.#uncertain = new UncertainCommits(parts.clock, (before) => this.#settle(before))
    this.#directory = new Directory<AccountId, Account>({
      name: 'account',
      load: (id) => parts.store.load(id),
      clock: parts.clock,
      ...(parts.observe && { observe: parts.observe }),
      ...limits,
      ...parts.limits,
    })
  }

  get awake(): number {
    return this.#directory.awake
  }

  get waiting(): number {
    return this.#directory.waiting
  }

  /** `span` is that of the request on whose behalf the command is given, where it is traced. */
  ask(id: AccountId, command: AccountCommand, author: Author, span?: Span | null): Promise<AccountOutcome> {
    if (!author.isBackground && this.#parts.readingTimes?.hasWaited(steadyMs())) return Promise.reject(tooOld())
    const own = span?.child('account', { 'tollgate.account': id, 'tollgate.command': command.kind })
    const asked = this.#asked()
    const turn = async (state: Account | null) => {
      const ofTurn = own?.child('turn')
      const done = await this.#turn(id, state, command, author, ofTurn ? { ...asked, span: ofTurn } : asked)
      ofTurn?.end()
      return { state: 'account' in done.outcome ? done.outcome.account : done.state, result: done.outcome }
    }
    // Such a job asks every account once, and an account that stayed in memory would cost the garbage collector work
    // for nothing.
    const isPassing = author.isBackground && (command.kind === 'charge' || command.kind === 'sweep')
    const answer = isPassing
      ? this.#directory.askInPassing<AccountOutcome>(id, turn)
      : this.#directory.ask<AccountOutcome>(id, turn)
    if (own) ended(own, answer)
    return answer.catch(this.#fail)
  }

  async moveSubscriber(
    subscriber: SubscriberId,
    to: AccountId,
    author: Author,
    only?: AccountId,
  ): Promise<AccountOutcome> {
    const now = this.#parts.clock.now()
    try {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const from = await this.#parts.store.accountOf(subscriber)
        if (from === null) return { kind: 'refused', reason: 'subscriberMissing' }
        if (only !== undefined && from !== only) return { kind: 'refused', reason: 'subscriberNotOnAccount' }
        if (from === to) return await this.ask(to, { kind: 'sweep' }, author)
        const outcome = await this.#directory.askBoth<AccountOutcome | 'again'>(from, to, (source, target) =>
          this.#moveTurn(source, target, subscriber, author, now),
        )
        if (outcome !== 'again') return outcome
        this.#directory.invalidate(from)
        this.#directory.invalidate(to)
      }
    } catch (error) {
      return this.#fail(error)
    }
    throw changedTooOften()
  }

  async open<T>(author: Author, write: (turn: FirstTurn) => Promise<WrittenFirst<T>>): Promise<T> {
    const now = this.#parts.clock.now()
    try {
      const id = await this.#parts.store.newAccountId()
      return await this.#directory.ask<T>(id, async () => {
        const { unit, result } = await write({
          id,
          now,
          policy: this.#policy(),
          contextOf: (operations) => this.#context(author, now, { operations }),
          unitOf: (change) => this.#unit([change], author, now),
        })
        if (!unit) return { state: null, result }
        this.#publish(unit)
        return { state: unit.changes[0]!.after, result }
      })
    } catch (error) {
      return this.#fail(error)
    }
  }

  beginReading(): (account: Account) => void {
    const keep = this.#directory.beginReading()
    return (account) => keep(account.id, account)
  }

  invalidate(id: AccountId): void {
    this.#directory.invalidate(id)
  }

  invalidateAll(): void {
    this.#directory.invalidateAll()
  }

  /** Refuses new commands and resolves when the accepted commands are committed. */
  stop(): Promise<void> {
    this.#uncertain.stop()
    return this.#directory.stop()
  }

  async #turn(
    id: AccountId,
    state: Account | null,
    command: AccountCommand,
    author: Author,
    { now, lateMs, span }: Asked,
  ): Promise<{ state: Account | null; outcome: AccountOutcome }> {
    const { clock } = this.#parts
    let account = state
    let isFresh = false
    // Once it is late, the sender has already received an error.
    for (let attempt = 0; attempt < attemptsMax && clock.elapsedMs() < lateMs; attempt++) {
      if (!account) return { state: null, outcome: { kind: 'refused', reason: 'accountMissing' } }
      const policy = this.#policy()
      const known = await this.#known(account, command, policy, now)
      const context = await this.#context(author, now, idsNeeded(account, command))
      const decision = decide(account, command, known, context, policy)
      if (decision.kind !== 'accepted') {
        // Without a commit nothing would reveal that memory lags behind rows that somebody else has just written.
        const present: Account | null = isFresh ? account : await this.#parts.store.load(id)
        if (present?.version === account.version) {
          const outcome =
            decision.kind === 'refused'
              ? decision
              : ({ kind: 'done', account, operation: null, operations: [] } as const)
          return { state: account, outcome }
        }
        account = present
        isFresh = true
        continue
      }
      const { change } = decision
      const unit = await this.#unit([change], author, now)
      const committed = await this.#commit(unit, span)
      switch (committed.kind) {
        case 'committed':
          this.#publish(unit, span)
          return { state: change.after, outcome: doneOf(change) }
        case 'known':
          return { state: account, outcome: await this.#knownOutcome(account, change, committed) }
        case 'accountMissing':
          return { state: null, outcome: { kind: 'refused', reason: 'accountMissing' } }
        case 'locked':
          await this.#pause(attempt)
          account = await this.#parts.store.load(id)
          isFresh = true
          break
        case 'stale':
          account = await this.#parts.store.load(id)
          isFresh = true
      }
    }
    throw changedTooOften()
  }

  async #moveTurn(
    source: Account | null,
    target: Account | null,
    subscriber: SubscriberId,
    author: Author,
    now: Date,
  ): Promise<{ one: Account | null; other: Account | null; result: AccountOutcome | 'again' }> {
    if (!source || !target) return { one: source, other: target, result: { kind: 'refused', reason: 'accountMissing' } }
    const context = await this.#context(author, now, { operations: 1 })
    const move = decideMove(source, target, subscriber, context)
    if (!move) return { one: source, other: target, result: 'again' }
    const unit = await this.#unit([move.from, move.to], author, now)
    const committed = await this.#commit(unit)
    if (committed.kind === 'locked') await this.#pause(1)
    if (committed.kind !== 'committed') return { one: source, other: target, result: 'again' }
    this.#publish(unit)
    return { one: move.from.after, other: move.to.after, result: doneOf(move.to) }
  }

  #asked(): Asked {
    const { clock, limits: own } = this.#parts
    return { now: clock.now(), lateMs: clock.elapsedMs() + (own?.deadlineMs ?? limits.deadlineMs) }
  }

  async #commit(unit: CommitUnit, span?: Span): Promise<CommitOutcome> {
    const own = span?.child('commit')
    try {
      const committing = this.#commits.commit(unit)
      if (own) ended(own, committing)
      return await committing
    } catch (error) {
      if (!isRefused(error)) for (const { before } of unit.changes) this.#uncertain.add(before)
      throw error
    }
  }

  /** After the fence a statement that is still in flight finds another version and writes nothing. */
  #settle(before: Account): Promise<void> {
    const { store, events, clock } = this.#parts
    return this.#directory.ask(before.id, async () => {
      await store.fence(before.id)
      const after = await store.load(before.id)
      if (after) {
        events.publish({ kind: 'accountCommitted', at: clock.now(), before, after, operations: [], effects: [] })
      }
      return { state: after, result: undefined }
    })
  }

  async #known(account: Account, command: AccountCommand, policy: LedgerPolicy, now: Date): Promise<Known> {
    const { store } = this.#parts
    switch (command.kind) {
      case 'reverse':
      case 'reverseAny': {
        const id = command.operationId ?? account.lastOperationId
        const operation = id === null ? null : await store.operation(id)
        return { operation, givenBackBy: operation && (await store.givenBackBy(operation.id, policy.timeZone)) }
      }
      case 'removeOperation': {
        const { operationId: id } = command
        const isLast = id === account.lastOperationId
        return {
          operation: await store.operation(id),
          previousId: isLast ? await store.operationBefore(account.id, id) : null,
        }
      }
      case 'activatePromise': {
        const promise = await store.promiseFacts(command.subscriberId, serviceOfPath[command.path])
        return { operation: null, promise }
      }
      case 'changeTariff': {
        const { subscriberId: id, tariffId } = command
        const from = account.subscribers.find((subscriber) => subscriber.id === id)?.tariffId ?? null
        const [tariff, plan] = await Promise.all([
          store.tariffFacts(id, from, tariffId, dayOf(now, policy.timeZone)),
          command.dropsPlan ? store.tariffPlan(id) : null,
        ])
        return { operation: null, tariff, plan }
      }
      case 'planTariff': {
        const { subscriberId: id, plan } = command
        const [tariff, was] = await Promise.all([
          store.tariffFacts(id, null, plan?.tariffId ?? null, dayOf(now, policy.timeZone)),
          store.tariffPlan(id),
        ])
        return { operation: null, tariff, plan: was }
      }
      case 'endService': {
        const { subscriberId: id, linkId } = command
        const charged = await store.chargedServices(id, monthOf(dayOf(now, policy.timeZone)))
        return { operation: null, service: charged.find((service) => service.linkId === linkId) ?? null }
      }
      default:
        return { operation: null }
    }
  }

  /**
   * A context with ids for all rows that the decision may need. Ids that are left over are not handed out again: gaps
   * are fine, but ids never go back.
   */
  async #context(author: Author, now: Date, { operations, links = 0 }: IdsNeeded): Promise<DecisionContext> {
    const { store } = this.#parts
    const ids = operations > 0 ? await store.takeOperationIds(operations) : []
    const linkId = links > 0 ? await store.newLinkId() : null
    return {
      now,
      author,
      newOperationId: () => {
        const id = ids.shift()
        if (id === undefined) throw new Error('A decision made more operations than it had ids for.')
        return operationId(id)
      },
      newLinkId: () => {
        if (linkId === null) throw new Error('Only a promise payment gets a service row.')
        return linkId
      },
    }
  }

  async #unit(changes: readonly AccountChange[], author: Author, now: Date): Promise<CommitUnit> {
    const { store, eventsOf } = this.#parts
    const effects: StoredEffect[] = []
    for (const effect of changes.flatMap((change): readonly Effect[] => change.effects)) {
      effects.push({ outboxId: await store.newOutboxId(), effect })
    }
    for (const effect of changes.flatMap((change): readonly Effect[] => eventsOf?.(change, now) ?? [])) {
      effects.push({ outboxId: await store.newOutboxId(), effect })
    }
    return { changes, effects, author, now, isTold: this.#parts.tellsNodes ?? false }
  }

  async #knownOutcome(
    account: Account,
    change: AccountChange,
    taken: { operationId: number | null; amount: bigint },
  ): Promise<AccountOutcome> {
    if (taken.operationId === null || change.operation?.amount !== taken.amount)
      return { kind: 'refused', reason: 'keyTakenWithOtherAmount' }
    const id = operationId(taken.operationId)
    return { kind: 'known', account, operationId: id, operation: await this.#parts.store.operation(id) }
  }

  #publish({ changes, effects, now }: CommitUnit, span?: Span): void {
    changes.forEach(({ before, after, operations }, index) => {
      this.#parts.events.publish({
        kind: 'accountCommitted',
        at: now,
        before,
        after,
        operations,
        effects: index === 0 ? effects : [],
        ...(span && { span }),
      })
    })
  }

  /** Waits for somebody else's transaction to end: 10 ms at first, and 2.5 seconds over all attempts. */
  #pause(attempt: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(10 * 2 ** attempt, resolve))
  }

  readonly #fail = (error: unknown): never => {
    throw asUnavailableTurn(error) ?? this.#parts.asUnavailable(error) ?? error
  }
}

const doneOf = ({ after, operation, operations }: AccountChange): AccountOutcome => ({
  kind: 'done',
  account: after,
  operation,
  operations,
})

type IdsNeeded = { readonly operations: number; readonly links?: 0 | 1 }

/**
 * How many ids the command may need at most: for its own operation, a fee or a settlement, the return of every promise
 * payment, and the service row of a new promise payment.
 */
function idsNeeded({ subscribers }: Account, command: AccountCommand): IdsNeeded {
  switch (command.kind) {
    case 'post':
      return { operations: 1 + subscribers.filter(({ promise }) => promise).length }
    case 'changeTariff':
      return { operations: 2 }
    case 'activatePromise':
      return { operations: command.path === 'operator' ? 2 : 1, links: 1 }
    case 'charge':
    case 'endPromise':
    case 'endService':
    case 'reverse':
    case 'reverseAny':
      return { operations: 1 }
    default:
      return { operations: 0 }
  }
}

const tooOld = () => new Unavailable('deadline', 'This program stood still while the command waited.')

const changedTooOften = () =>
  new Unavailable('database', 'The account is being changed by somebody else all the time; ask again.')

/** Ends the span with the outcome of the work. */
function ended(span: Span, work: Promise<{ readonly kind: string }>): void {
  work.then(
    ({ kind }) => span.end({ 'tollgate.outcome': kind }),
    () => span.end({}, 'failed'),
  )
}
