import { type Account, isChargeable, reachOf, type Subscriber, settled } from '../../domain/account.ts'
import { withBlock } from '../../domain/block.ts'
import type { Effect } from '../../domain/effects.ts'
import type { LoginId, OperationId, SubscriberId } from '../../domain/ids.ts'
import { latest, sameMoment } from '../../domain/moments.ts'
import { formatRubles, type Money, magnitude, negated } from '../../domain/money.ts'
import { isPayment, type Operation, signedAmount } from '../../domain/operation.ts'
import type { PromiseFacts, PromisePolicy } from '../../domain/promise.ts'
import {
  type AccountChange,
  type ChangeExtras,
  changeOf,
  disconnectOf,
  endOfFreeze,
  mainSubscriber,
  postedOperations,
} from './account-change.ts'
import { type AuditEntry, linkAudit, subscriberAudits } from './audit.ts'
import type { AccountCommand, AccountRefusal, TariffPlan } from './messages.ts'
import { type DecisionContext, nothingPosted, post } from './postings.ts'
import { activate, closedByReceipt, end, type PromiseStep, withSubscriber } from './promise-decisions.ts'
import { reverseAny, reverseLast } from './reversal-decision.ts'
import { endService, type ServiceFacts } from './service-decision.ts'
import { changeTariff, isSamePlan, planExtras, type TariffFacts } from './tariff-decision.ts'

export type Decision =
  | { kind: 'accepted'; change: AccountChange }
  | { kind: 'unchanged' }
  | { kind: 'refused'; reason: AccountRefusal }

/** The provider's settings for all accounts, as they are now. */
export type LedgerPolicy = {
  readonly promise: PromisePolicy
  /** The time zone in which days and months begin. */
  readonly timeZone: string
}

/** What is read from the tables for a command before it is decided. */
export type Known = {
  operation: Operation | null
  /** For a reversal: the later operation that has given back what this one did; null: there is none. */
  givenBackBy?: OperationId | null
  /** For a removal: the operation before the removed one, which becomes the last when the last is removed. */
  previousId?: OperationId | null
  /** For a promise: the subscriber's tariff and the service. Null: there is no such subscriber. */
  promise?: PromiseFacts | null
  tariff?: TariffFacts
  /** The change of tariff that is planned now. */
  plan?: TariffPlan | null
  /** Null: the month has not been charged for the service. */
  service?: ServiceFacts | null
}

/**
 * Decides a command. Pure: the result follows from the account, the command and the context; nothing is read or
 * written.
 */
export function decide(
  account: Account,
  command: AccountCommand,
  known: Known,
  context: DecisionContext,
  policy: LedgerPolicy,
): Decision {
  switch (command.kind) {
    case 'post':
      return decidePost(account, command, context, policy)
    case 'charge':
      return decideCharge(account, command, context)
    case 'activatePromise':
      return decideActivation(account, command, known, context, policy)
    case 'endPromise':
      return decidePromiseEnd(account, command, context)
    case 'changeTariff':
      return decideTariff(account, command, known, context, policy)
    case 'planTariff':
      return decidePlan(account, command, known, context)
    case 'endService':
      return decideServiceEnd(account, command, known, context, policy)
    case 'reverse':
    case 'reverseAny':
      return decideReversal(account, command, known, context)
    case 'removeOperation':
      return decideRemoval(account, known, context)
    case 'setBlock':
      return decideSubscriber(account, command.subscriberId, context, (subscriber) => ({
        ...subscriber,
        blocks: withBlock(subscriber.blocks, command.reason, command.on),
      }))
    case 'setDeleted':
      return decideSubscriber(account, command.subscriberId, context, (subscriber) => ({
        ...subscriber,
        deleted: command.deleted,
      }))
    case 'setLogin':
      return decideLogin(account, command, context)
    case 'changeVlan':
      return decideTelling(account, command, context, (told) => ({ kind: 'speed', ...told, vlan: 'ofLogin' }))
    case 'changeAddresses': {
      const { changes } = command
      return decideTelling(account, command, context, (told) => ({ kind: 'readdress', ...told, changes }))
    }
    case 'setTerms':
      return accepted(account, { ...account, ...command.terms }, context)
    case 'sweep':
      return accepted(account, account, context)
    case 'disconnect':
      return decideDisconnect(account, command.subscriberId, context)
  }
}

type CommandOf<K extends AccountCommand['kind']> = Extract<AccountCommand, { kind: K }>

const refused = (reason: AccountRefusal): Decision => ({ kind: 'refused', reason })

const subscriberOf = (account: Account, id: SubscriberId): Subscriber | undefined =>
  account.subscribers.find((subscriber) => subscriber.id === id)

function decidePost(
  account: Account,
  command: CommandOf<'post'>,
  context: DecisionContext,
  { promise }: LedgerPolicy,
): Decision {
  const { subscriberId, sign, typeId } = command
  if (subscriberId !== null && !subscriberOf(account, subscriberId)) return refused('subscriberNotOnAccount')
  const amount = signedAmount(command.amount, sign)
  const isReceipt = isPayment(typeId, amount)
  const before =
    isReceipt && promise.closesOnPayment ? closedByReceipt(account, amount, context) : noPromisesClosed(account)
  const posted = post(before.posted, { ...command, amount }, context)
  if (!posted) return refused('amountOutOfRange')
  const notices = isReceipt ? creditNotice(posted.account, subscriberId, amount) : []
  return accepted(account, posted.account, context, {
    operation: posted.operations.at(-1)!,
    operations: posted.operations,
    keys: command.keys,
    ...(command.order && { order: command.order }),
    audits: before.audits,
    effects: [...before.effects, ...notices],
  })
}

const noPromisesClosed = (account: Account) => ({ posted: nothingPosted(account), audits: [], effects: [] })

/** The standard message about a received payment (specification 6). */
function creditNotice(account: Account, id: SubscriberId | null, amount: Money): Effect[] {
  const client = id ?? mainSubscriber(account)?.id
  const values = { amount: formatRubles(amount), balance: formatRubles(account.balance) }
  return client === undefined ? [] : [{ kind: 'notify', subscriberId: client, template: 'payment_credited', values }]
}

function decideCharge(account: Account, command: CommandOf<'charge'>, context: DecisionContext): Decision {
  const subscriber = subscriberOf(account, command.subscriberId)
  if (!subscriber) return refused('subscriberNotOnAccount')
  const isCharged = command.isOfEndedUse ? !subscriber.deleted : isChargeable(account, subscriber, context.now)
  if (!isCharged) return refused('notChargeable')
  if (command.tariffId !== undefined && command.tariffId !== subscriber.tariffId) return refused('tariffChanged')
  if (command.chargedFrom !== undefined && !sameMoment(command.chargedFrom, subscriber.chargedFrom))
    return refused('useChanged')
  const posted = post(nothingPosted(account), { ...command, amount: negated(magnitude(command.amount)) }, context)
  if (!posted) return refused('amountOutOfRange')
  return acceptedPosting(account, { posted }, context, { keys: [command.key] })
}

function decideActivation(
  account: Account,
  command: CommandOf<'activatePromise'>,
  { promise: facts }: Known,
  context: DecisionContext,
  policy: LedgerPolicy,
): Decision {
  const subscriber = subscriberOf(account, command.subscriberId)
  if (!subscriber) return refused('subscriberNotOnAccount')
  if (!facts) return refused('subscriberMissing')
  const step = activate(account, subscriber, command, facts, policy.promise, context)
  if (typeof step === 'string') return refused(step)
  return acceptedPosting(account, step, context, { keys: command.keys ?? [], disconnectsOpened: true })
}

function decidePromiseEnd(account: Account, command: CommandOf<'endPromise'>, context: DecisionContext): Decision {
  const subscriber = subscriberOf(account, command.subscriberId)
  if (!subscriber) return refused('subscriberNotOnAccount')
  const { promise } = subscriber
  if (!promise || (command.only && !command.only.includes(promise.uslugaId))) return refused('noPromise')
  if (command.why === 'expired' && promise.until > context.now) return refused('promiseNotOver')
  const step = end(nothingPosted(account), subscriber, command.why, context)
  if (!step) return refused('amountOutOfRange')
  return acceptedPosting(account, step, context, { keys: command.keys ?? [] })
}

function decideTariff(
  account: Account,
  command: CommandOf<'changeTariff'>,
  { tariff, plan = null }: Known,
  context: DecisionContext,
  { timeZone }: LedgerPolicy,
): Decision {
  const subscriber = subscriberOf(account, command.subscriberId)
  if (!subscriber) return refused('subscriberNotOnAccount')
  if (!tariff || (command.tariffId !== null && !tariff.to)) return refused('tariffMissing')
  if (subscriber.tariffId === command.tariffId) return { kind: 'unchanged' }
  const changed = changeTariff(account, subscriber, command, tariff, timeZone, context)
  if (!changed) return refused('amountOutOfRange')
  const { posted, usesEnded } = changed
  const logins = subscriber.logins.map(({ name }) => name)
  const audit: AuditEntry = {
    table: 'ABONENTS',
    objectId: subscriber.id,
    action: 'change',
    diff: { tarif: [subscriber.tariffId, command.tariffId] },
  }
  const dropped = command.dropsPlan && plan ? planExtras(subscriber.id, plan, null) : null
  return acceptedPosting(account, { posted }, context, {
    keys: command.keys ?? [],
    usesEnded,
    ...(dropped && { plan: dropped.plan }),
    audits: [audit, ...(dropped?.audits ?? [])],
    effects: [
      {
        kind: 'speed',
        subscriberId: subscriber.id,
        logins,
        ...((tariff.from?.vlan ?? null) !== (tariff.to?.vlan ?? null) && { vlan: 'ofTariff' }),
      },
    ],
  })
}

function decidePlan(
  account: Account,
  { subscriberId, plan, keys = [] }: CommandOf<'planTariff'>,
  { tariff, plan: was = null }: Known,
  context: DecisionContext,
): Decision {
  const subscriber = subscriberOf(account, subscriberId)
  if (!subscriber) return refused('subscriberNotOnAccount')
  if (plan && !tariff?.to) return refused('tariffMissing')
  if (plan && plan.tariffId === subscriber.tariffId) return refused('tariffSame')
  if (isSamePlan(was, plan)) return { kind: 'unchanged' }
  return accepted(account, account, context, { keys, ...planExtras(subscriberId, was, plan) })
}

function decideServiceEnd(
  account: Account,
  { subscriberId }: CommandOf<'endService'>,
  { service }: Known,
  context: DecisionContext,
  { timeZone }: LedgerPolicy,
): Decision {
  const subscriber = subscriberOf(account, subscriberId)
  if (!subscriber) return refused('subscriberNotOnAccount')
  const ended = service ? endService(account, subscriber, service, timeZone, context) : null
  if (!ended) return refused('nothingToGiveBack')
  return acceptedPosting(account, ended, context, ended.extras)
}

function decideReversal(
  account: Account,
  command: CommandOf<'reverse' | 'reverseAny'>,
  { operation, givenBackBy = null }: Known,
  context: DecisionContext,
): Decision {
  const step =
    command.kind === 'reverse'
      ? reverseLast(account, command.operationId, operation, givenBackBy, context)
      : reverseAny(account, operation, givenBackBy, command, context)
  if (typeof step === 'string') return refused(step)
  return acceptedPosting(account, step, context, { keys: command.keys ?? [] })
}

/** Deleting an operation does not roll back the balance (specification 3.3). */
function decideRemoval(account: Account, { operation, previousId }: Known, context: DecisionContext): Decision {
  if (!operation || operation.accountId !== account.id) return refused('operationMissing')
  const lastOperationId = operation.id === account.lastOperationId ? (previousId ?? null) : account.lastOperationId
  const subscribers = account.subscribers.map((subscriber) =>
    subscriber.promise?.operationId === operation.id
      ? { ...subscriber, promise: { ...subscriber.promise, operationId: null } }
      : subscriber,
  )
  return accepted(account, { ...account, lastOperationId, subscribers }, context, { removed: operation })
}

function decideSubscriber(
  account: Account,
  id: SubscriberId,
  context: DecisionContext,
  change: (subscriber: Subscriber) => Subscriber,
): Decision {
  const subscriber = subscriberOf(account, id)
  if (!subscriber) return refused('subscriberNotOnAccount')
  return accepted(account, withSubscriber(account, settled(change(subscriber))), context)
}

function decideLogin(account: Account, command: CommandOf<'setLogin'>, context: DecisionContext): Decision {
  const owner = ownerOf(account, command.loginId)
  if (!owner) return refused('loginNotOnAccount')
  return decideSubscriber(account, owner.id, context, (subscriber) => ({
    ...subscriber,
    logins: subscriber.logins.map((login) =>
      login.id === command.loginId ? { ...login, disabledByHand: !command.enabled } : login,
    ),
  }))
}

const ownerOf = (account: Account, id: LoginId): Subscriber | undefined =>
  account.subscribers.find(({ logins }) => logins.some((login) => login.id === id))

/** What was changed of the login is no part of the account; the command only has live sessions follow it. */
function decideTelling(
  account: Account,
  { loginId }: CommandOf<'changeVlan' | 'changeAddresses'>,
  context: DecisionContext,
  effectOf: (told: { subscriberId: SubscriberId; logins: readonly string[] }) => Effect,
): Decision {
  const owner = ownerOf(account, loginId)
  if (!owner) return refused('loginNotOnAccount')
  const logins = owner.logins.filter(({ id }) => id === loginId).map(({ name }) => name)
  return accepted(account, account, context, { effects: [effectOf({ subscriberId: owner.id, logins })] })
}

function decideDisconnect(account: Account, id: SubscriberId, context: DecisionContext): Decision {
  const subscriber = subscriberOf(account, id)
  if (!subscriber) return refused('subscriberNotOnAccount')
  const audit: AuditEntry = { table: 'ABONENTS', objectId: id, action: 'reconnect', diff: {} }
  return accepted(account, account, context, { effects: [disconnectOf(subscriber)], audits: [audit] })
}

/**
 * The first change of an account whose rows have just been inserted: the first movement of money, if there is one, and
 * the keys of the request. It is written even where it changes nothing, so that the keys are taken.
 */
export function decideOpening(
  account: Account,
  { payment, keys }: { readonly payment: CommandOf<'post'> | null; readonly keys: readonly string[] },
  context: DecisionContext,
  policy: LedgerPolicy,
): Decision {
  if (payment) return decidePost(account, { ...payment, keys: [...keys, ...payment.keys] }, context, policy)
  return { kind: 'accepted', change: changeOf(account, account, context.now, { keys }) }
}

/**
 * Moves a subscriber to another account: one change of each account, committed together. Null: the subscriber is not
 * (or no longer) on `source`, or the limit of the promise payment cannot be returned. A promise payment ends on the
 * account that was credited with its limit. From then on only the new account decides whether the subscriber is in
 * debt.
 */
export function decideMove(
  source: Account,
  target: Account,
  id: SubscriberId,
  context: DecisionContext,
): { from: AccountChange; to: AccountChange } | null {
  const moved = subscriberOf(source, id)
  if (!moved) return null
  const step = moved.promise ? end(nothingPosted(source), moved, 'moved', context) : null
  if (moved.promise && !step) return null
  const { account } = step?.posted ?? nothingPosted(source)
  const { now } = context
  const remaining = subscriberOf(account, id)!
  // A subscriber who leaves a frozen account is charged from this day on, just as when a freeze ends.
  const wokenAt = endOfFreeze(source, target, now)
  const leaving = wokenAt ? { ...remaining, chargedFrom: latest(wokenAt, remaining.chargedFrom) } : remaining
  const left = { ...account, subscribers: account.subscribers.filter((subscriber) => subscriber.id !== id) }
  const joined = { ...target, subscribers: [...target.subscribers, leaving].sort((a, b) => a.id - b.id) }
  const from = changeOf(source, left, now, {
    ...(step && postedOperations(step.posted)),
    audits: [...(step?.audits ?? []), linkAudit(source, 'unlink', id)],
    effects: step?.effects ?? [],
  })
  const to = changeOf(target, joined, now, { audits: [linkAudit(target, 'link', id)] })
  const is = subscriberOf(to.after, id)!
  const isAway = isChargeable(source, moved, now) && !isChargeable(to.after, is, now)
  const audits = [...to.audits, ...subscriberAudits(moved, is)]
  const reached = reachOf(source, moved, now)
  const cut = reached !== 'closed' && reached !== reachOf(to.after, is, now) ? [disconnectOf(is)] : []
  const usesEnded = isAway ? [{ subscriberId: id, at: now }] : []
  return { from, to: { ...to, joined: moved, usesEnded, audits, effects: [...to.effects, ...cut] } }
}

/**
 * The last step of every decision about one account. A change without audits and effects changes nothing and is not
 * written.
 */
function accepted(before: Account, changed: Account, context: DecisionContext, extras: ChangeExtras = {}): Decision {
  const change = changeOf(before, changed, context.now, extras)
  if (change.audits.length === 0 && change.effects.length === 0) return { kind: 'unchanged' }
  return { kind: 'accepted', change }
}

/** As `accepted`, after operations were posted; the first of them is the one that the command was about. */
const acceptedPosting = (
  before: Account,
  { posted, audits = [], effects = [] }: Pick<PromiseStep, 'posted'> & Partial<PromiseStep>,
  context: DecisionContext,
  extras: ChangeExtras,
): Decision => accepted(before, posted.account, context, { ...postedOperations(posted), audits, effects, ...extras })
