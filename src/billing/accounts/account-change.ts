import {
  type Account,
  isBalanced,
  reachOf,
  type Subscriber,
  subscribersById,
  withDebtEvaluated,
} from '../../domain/account.ts'
import type { Effect } from '../../domain/effects.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { latest } from '../../domain/moments.ts'
import { formatRubles } from '../../domain/money.ts'
import type { Operation } from '../../domain/operation.ts'
import { type AuditEntry, operationAudits, stateAudits } from './audit.ts'
import type { PaidOrder, TariffPlan } from './messages.ts'
import type { Posted } from './postings.ts'
import { type UseEnd, usesEnded } from './uses.ts'

/** Everything one accepted command writes about one account. The store turns it into rows. */
export type AccountChange = {
  readonly before: Account
  readonly after: Account
  /** The operation the command was about; it is one of `operations`. */
  readonly operation: Operation | null
  /**
   * All operations that were posted, in order. An operation that one of them reverses is marked as reversed (storno) by
   * the same commit.
   */
  readonly operations: readonly Operation[]
  readonly removed: Operation | null
  /** The subscriber who comes from another account, as they were there; null when nobody moves in. */
  readonly joined: Subscriber | null
  /** Idempotency keys. If one of them has been taken before, nothing is written and the outcome is `known`. */
  readonly keys: readonly string[]
  readonly order: PaidOrder | null
  /** The change of tariff that is planned from now on; left out: what is planned stays. */
  readonly plan?: PlanChange
  /** The id of a row of users_uslugas that is deleted. */
  readonly unlinked?: number
  readonly usesEnded: readonly UseEnd[]
  readonly audits: readonly AuditEntry[]
  readonly effects: readonly Effect[]
}

/** The tariff that is planned from now on; null: none is. */
export type PlanChange = { readonly subscriberId: SubscriberId; readonly is: TariffPlan | null }

/** What a command adds to the change that follows from the accounts before and after it. */
export type ChangeExtras = {
  operation?: Operation
  operations?: readonly Operation[]
  removed?: Operation
  keys?: readonly string[]
  order?: PaidOrder
  plan?: PlanChange
  unlinked?: number
  usesEnded?: readonly UseEnd[]
  effects?: readonly Effect[]
  audits?: readonly AuditEntry[]
  /** Also send a Disconnect where access was closed and opens now (specification 3.1). */
  disconnectsOpened?: boolean
}

/** The operations of a turn; the first is the one that the command was about. */
export const postedOperations = ({ operations }: Posted): Pick<ChangeExtras, 'operation' | 'operations'> => ({
  operation: operations[0]!,
  operations,
})

/** Evaluates the debt again and derives audits and effects from the difference between the account before and after. */
export function changeOf(before: Account, changed: Account, now: Date, extras: ChangeExtras): AccountChange {
  const evaluated = withReturns(before, withDebtEvaluated(changed, now), now)
  if (!isBalanced(evaluated)) throw new Error(`Account ${before.id} would leave balance = receipts - write-offs.`)
  const { account: after, effects: warnings } = withWarning(evaluated, now)
  return {
    before,
    after: { ...after, version: before.version + 1 },
    operation: extras.operation ?? null,
    operations: extras.operations ?? [],
    removed: extras.removed ?? null,
    joined: null,
    keys: extras.keys ?? [],
    order: extras.order ?? null,
    ...(extras.plan && { plan: extras.plan }),
    ...(extras.unlinked !== undefined && { unlinked: extras.unlinked }),
    usesEnded: extras.usesEnded ?? usesEnded(before, evaluated, now),
    audits: [
      ...(extras.audits ?? []),
      ...operationAudits(evaluated, extras.operations ?? [], extras.removed),
      ...stateAudits(before, evaluated),
    ],
    effects: [...(extras.effects ?? []), ...accessEffects(before, evaluated, now, extras), ...warnings],
  }
}

/** Subscribers who return from a voluntary block, a deletion or a freeze are charged from this day of the month on. */
function withReturns(before: Account, account: Account, now: Date): Account {
  const wokenAt = endOfFreeze(before, account, now)
  if (!wokenAt && account.subscribers === before.subscribers) return account
  const earlier = subscribersById(before)
  const subscribers = account.subscribers.map((is) => {
    const was = earlier.get(is.id)
    if (!was) return is
    const returns = (was.deleted && !is.deleted) || (was.blocks.client && !is.blocks.client)
    const from = returns ? now : wokenAt && latest(wokenAt, is.chargedFrom)
    return from ? { ...is, chargedFrom: from } : is
  })
  return { ...account, subscribers }
}

/**
 * When a freeze ended whose date goes: now, or on that date where it has passed. Null: there was none, or it goes on.
 */
export function endOfFreeze(before: Account, after: Pick<Account, 'sleepUntil'>, now: Date): Date | null {
  const { sleepUntil } = before
  if (sleepUntil === null || sleepUntil.getTime() === after.sleepUntil?.getTime()) return null
  if (sleepUntil <= now) return sleepUntil
  return after.sleepUntil === null || after.sleepUntil <= now ? now : null
}

/**
 * Warns the client once when the balance falls below WARN, and again only after it has recovered or the date has been
 * reset.
 */
function withWarning(account: Account, now: Date): { account: Account; effects: readonly Effect[] } {
  const { warnBelow, balance, warnedAt } = account
  const isLow = warnBelow !== null && balance < warnBelow
  if (isLow === (warnedAt !== null)) return { account, effects: [] }
  if (!isLow) return { account: { ...account, warnedAt: null }, effects: [] }
  const client = mainSubscriber(account)
  if (!client) return { account, effects: [] }
  const values = { balance: formatRubles(balance), warn: formatRubles(warnBelow) }
  return {
    account: { ...account, warnedAt: now },
    effects: [{ kind: 'notify', subscriberId: client.id, template: 'low_balance', values }],
  }
}

/**
 * Disconnects live sessions when a subscriber's reach has changed, and always when the subscriber leaves the walled
 * garden.
 */
function accessEffects(
  before: Account,
  after: Account,
  now: Date,
  { disconnectsOpened }: Pick<ChangeExtras, 'disconnectsOpened'>,
): Effect[] {
  // The reach of a subscriber follows from these alone.
  if (after.subscribers === before.subscribers && after.sleepUntil === before.sleepUntil) return []
  const present = subscribersById(after)
  return before.subscribers.flatMap((was) => {
    const is = present.get(was.id)
    if (!is) return []
    const reached = reachOf(before, was, now)
    const reaches = reachOf(after, is, now)
    if (reached === 'closed' && reaches !== 'closed') return disconnectsOpened ? [disconnectOf(is)] : []
    if (reached !== reaches) return [disconnectOf(is)]
    const cut = was.logins.filter((login) =>
      is.logins.some(({ id, enabled, disabledByHand }) => {
        if (id !== login.id) return false
        // A login that was open although its subscriber is blocked has come from another subscriber, and its session
        // with it.
        if (reached === 'closed') return !was.enabled && login.enabled && !enabled
        // In the walled garden a login is not enabled and may still have a session.
        return (login.enabled && !enabled) || (!login.disabledByHand && disabledByHand)
      }),
    )
    const names = cut.map(({ name }) => name)
    return names.length > 0 ? [disconnectOf(is, names)] : []
  })
}

export const disconnectOf = (
  { id, logins }: Subscriber,
  names: readonly string[] = logins.map((login) => login.name),
): Effect => ({ kind: 'disconnect', subscriberId: id, logins: names })

/** The main client of an account is the one with the lowest id (specification 2.3 rule 3). */
export const mainSubscriber = (account: Account): Subscriber | null =>
  account.subscribers.find(({ deleted }) => !deleted) ?? account.subscribers[0] ?? null
