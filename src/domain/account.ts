import { type Blocks, isBlocked, withBlock } from './block.ts'
import type { Chain } from './chain.ts'
import type { AccountId, LoginId, OperationId, OrganizationId, SubscriberId } from './ids.ts'
import type { Money } from './money.ts'
import type { PromisePayment } from './promise.ts'

/**
 * A personal account with all subscribers whose access depends on it. An immutable value: every turn makes a new one.
 */
export type Account = {
  readonly id: AccountId
  /** Grows by one with every commit; a different number under the row lock means that somebody else has written. */
  readonly version: number
  /** OSTATOK, DEBIT and CREDIT of the specification; balance = receipts - writeOffs always. */
  readonly balance: Money
  readonly receipts: Money
  readonly writeOffs: Money
  /** When the operation was recorded by which the balance came below zero; null while it is not below. */
  readonly debtSince: Date | null
  readonly limit: Money
  readonly unlimited: boolean
  readonly unlimitedUntil: Date | null
  /** The client is warned when the balance falls below it; null: never. */
  readonly warnBelow: Money | null
  /** Frozen until this moment. */
  readonly sleepUntil: Date | null
  /**
   * When the client was warned that the balance fell below `warnBelow`; null while the balance is not below it or
   * nobody has been warned.
   */
  readonly warnedAt: Date | null
  readonly lastOperationId: OperationId | null
  readonly chain: Chain
  readonly subscribers: readonly Subscriber[]
}

/** The terms of an account that an operator sets; an absent one stays unchanged. */
export type AccountTerms = Partial<
  Pick<Account, 'limit' | 'unlimited' | 'unlimitedUntil' | 'warnBelow' | 'sleepUntil' | 'warnedAt'>
>

export type Subscriber = {
  readonly id: SubscriberId
  readonly organizationId: OrganizationId
  readonly deleted: boolean
  /** The stored Abonents.enabled; may disagree with the blocks until process_blocks repairs it. */
  readonly enabled: boolean
  readonly blocks: Blocks
  /** Whether the block record exists; a record without any flag is an inconsistency that process_blocks repairs. */
  readonly hasBlockRecord: boolean
  readonly tariffId: number | null
  readonly promise: PromisePayment | null
  /** When the last promise payment was activated, for the days between two of them. */
  readonly lastPromiseAt: Date | null
  /**
   * When the subscriber returned from a voluntary block, a freeze or a deletion; fees of that month are charged from
   * then on. Null: from the first of the month.
   */
  readonly chargedFrom: Date | null
  /** The tariff lets debtors into an address list instead of rejecting them (Tarif.walled_garden). */
  readonly walledGarden: boolean
  readonly logins: readonly Login[]
}

export type Login = {
  readonly id: LoginId
  readonly name: string
  /** Switched off by an operator; stays off when a block is lifted. */
  readonly disabledByHand: boolean
  /** The stored Users.enabled. */
  readonly enabled: boolean
}

/**
 * What `debtSince` is once an operation that is recorded `at` has brought the balance from `before` to `after`. The age
 * of a debt counts from zero, whatever the limit is.
 */
export const debtSinceAfter = (
  { balance, debtSince }: Pick<Account, 'balance' | 'debtSince'>,
  after: Money,
  at: Date,
) => (after >= 0n ? null : balance >= 0n ? at : debtSince)

/** The one debt predicate (contract section 1): sets b_negbal when true and lifts it when false. */
export const inDebt = (
  account: Pick<Account, 'balance' | 'limit' | 'unlimited' | 'unlimitedUntil'>,
  now: Date,
): boolean => !isUnlimited(account, now) && account.balance < account.limit

export const isUnlimited = (account: Pick<Account, 'unlimited' | 'unlimitedUntil'>, now: Date): boolean =>
  account.unlimited && (account.unlimitedUntil === null || account.unlimitedUntil > now)

/**
 * A subscriber is not charged while deleted, frozen or under a voluntary block (contract section 5, Charges). What was
 * used before is charged all the same (`EndedUse`).
 */
export const isChargeable = (account: Account, subscriber: Subscriber, now: Date): boolean =>
  !subscriber.deleted && !isAsleep(account, now) && !subscriber.blocks.client

export const isAsleep = (account: Account, now: Date): boolean =>
  account.sleepUntil !== null && account.sleepUntil > now

/** When access that is open now closes by itself: the end of an unlimited term that hides a debt. */
export const accessEnd = (account: Account, now: Date): Date | null =>
  isUnlimited(account, now) && account.balance < account.limit ? account.unlimitedUntil : null

/** The invariant of specification 2.3 rule 2. */
export const isBalanced = (account: Account): boolean => account.balance === account.receipts - account.writeOffs

/**
 * The subscriber with Abonents.enabled, Users.enabled and the block record as the blocks require them; the same one
 * where they are so.
 */
export function settled(subscriber: Subscriber): Subscriber {
  const enabled = !isBlocked(subscriber.blocks)
  const logins = mappedOrSame(subscriber.logins, (login) => {
    const loginEnabled = enabled && !login.disabledByHand
    return login.enabled === loginEnabled ? login : { ...login, enabled: loginEnabled }
  })
  const isSettled =
    subscriber.enabled === enabled && subscriber.hasBlockRecord === !enabled && logins === subscriber.logins
  return isSettled ? subscriber : { ...subscriber, enabled, hasBlockRecord: !enabled, logins }
}

/** What a subscriber can reach: everything, only the walled garden, or nothing (contract section 6). */
export type Reach = 'open' | 'garden' | 'closed'

/**
 * The stored Abonents.enabled decides, as it does for RADIUS; the flags only decide between the walled garden and no
 * access for a subscriber who is not enabled.
 */
export function reachOf(account: Account, subscriber: Subscriber, now: Date): Reach {
  if (subscriber.deleted || isAsleep(account, now)) return 'closed'
  if (subscriber.enabled) return 'open'
  const { blocks } = subscriber
  if (!isBlocked(blocks)) return 'closed'
  return subscriber.walledGarden && !blocks.operator && !blocks.system ? 'garden' : 'closed'
}

/**
 * The subscribers by id, for callers that look up many: searching an account of thousands once for each would be
 * quadratic.
 */
export const subscribersById = ({ subscribers }: Account): ReadonlyMap<SubscriberId, Subscriber> =>
  new Map(subscribers.map((subscriber) => [subscriber.id, subscriber]))

/**
 * Sets or lifts the financial block of everybody on the account and makes the stored switches agree with the blocks.
 * Most postings change nothing of that: then the subscribers are the same, and whoever compares them has nothing to do.
 */
export function withDebtEvaluated(account: Account, now: Date): Account {
  const debt = inDebt(account, now)
  const subscribers = mappedOrSame(account.subscribers, (subscriber) => {
    if (subscriber.deleted) return subscriber
    const blocks = withBlock(subscriber.blocks, 'debt', debt)
    return settled(blocks === subscriber.blocks ? subscriber : { ...subscriber, blocks })
  })
  return subscribers === account.subscribers ? account : { ...account, subscribers }
}

/** As `map`; the array itself where no item becomes another one. */
function mappedOrSame<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change)
  return changed.every((item, at) => item === items[at]) ? items : changed
}
