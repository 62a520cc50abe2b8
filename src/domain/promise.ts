import { dayMs } from './calendar.ts'
import type { OperationId } from './ids.ts'
import { type Money, magnitude, minus, plus, rubles, zero } from './money.ts'

/** An active promise payment: a limit credited now and returned when it ends (specification 2.6a, 3.1). */
export type PromisePayment = {
  /** The row of UsersUsluga; null when somebody has deleted that row. */
  readonly linkId: number | null
  readonly uslugaId: number
  readonly limit: Money
  readonly until: Date
  /** The operation that credited the limit; null when that record has been deleted. */
  readonly operationId: OperationId | null
}

/** Who requests it: the client (portal, phone, SMS), an operator, or a program through REST as prepay or postpay. */
export type PromisePath = 'client' | 'operator' | 'prepay' | 'postpay'

/** Ids of services and the system_type that the specification fixes (2.6a). */
export const promiseServices = { portal: 30353, prepay: -4, postpay: -3 } as const
export const promiseSystemType = 11

export const serviceOfPath = {
  client: promiseServices.portal,
  operator: promiseServices.portal,
  prepay: promiseServices.prepay,
  postpay: promiseServices.postpay,
} as const satisfies Record<PromisePath, number>

export const isPromiseService = (uslugaId: number): boolean => Object.values<number>(promiseServices).includes(uslugaId)

/** The kind of a promise payment in the specification's words. The one of the portal counts as prepay as well. */
export const promiseType = (uslugaId: number): 'prepay' | 'postpay' =>
  uslugaId === promiseServices.postpay ? 'postpay' : 'prepay'

/** The settings of specification 3.1; a zero switches its rule off. */
export type PromisePolicy = {
  readonly minDebt: Money
  readonly minAgeDays: number
  readonly cooldownDays: number
  /** A fixed limit; zero: the limit is calculated. */
  readonly limitOverride: Money
  /** How many days it lasts; zero: the service decides. */
  readonly durationDays: number
  readonly operatorFee: Money
  readonly closesOnPayment: boolean
}

/** The tables' facts about a subscriber who requests a promise payment. */
export type PromiseFacts = {
  /** Null: the subscriber has no tariff. */
  readonly tariffPrice: Money | null
  readonly createdAt: Date
  readonly service: {
    readonly enabled: boolean
    readonly amount: Money | null
    readonly days: number | null
  } | null
}

export type PromiseRefusal =
  | 'promiseActive'
  | 'promiseMinDebt'
  | 'promiseMinAge'
  | 'promiseCooldown'
  | 'promiseDisabled'
  | 'promiseEndInPast'
  | 'promiseLimitWrong'

/** The terms of the promise payment that would be granted now. */
type PromiseOffer = {
  readonly uslugaId: number
  readonly limit: Money
  readonly until: Date
  readonly days: number
  readonly fee: Money
}

/** The subscriber who requests a promise payment. */
export type Promisee = {
  readonly balance: Money
  readonly deleted: boolean
  readonly promise: PromisePayment | null
  readonly lastPromiseAt: Date | null
}

export type PromiseRequest = { readonly path: PromisePath; readonly limit: Money | null; readonly until: Date | null }

/** The largest limit: the sums of an account only ever grow, and a typing error must not exhaust their range. */
const promiseMax = rubles(1_000_000)

const defaultDays = { [promiseServices.portal]: 5, [promiseServices.prepay]: 3, [promiseServices.postpay]: 3 }
const defaultRestLimit = rubles(90)

/**
 * All that differs between subscribers and decides about a promise payment. Subscribers who agree in it are offered the
 * same.
 */
export type PromiseStanding = {
  /** Only the debt matters; how much money there is does not. */
  readonly balance: Money
  /** Null: the subscriber has no tariff. */
  readonly tariffPrice: Money | null
  readonly deleted: boolean
  /** There is a promise payment already. */
  readonly isActive: boolean
  readonly isYoung: boolean
  readonly isCoolingDown: boolean
}

/**
 * A contract that was created at `youngFrom` or later is too young for a promise payment; after a promise payment of
 * `coolingFrom` or later it is too soon for another one. `coolingFrom` is null where there is no cooldown.
 */
export const promiseBounds = ({ minAgeDays, cooldownDays }: PromisePolicy, now: Date) => ({
  youngFrom: justAfter(now, minAgeDays),
  coolingFrom: cooldownDays > 0 ? justAfter(now, cooldownDays) : null,
})

/** The first millisecond that is less than so many days before. */
const justAfter = (now: Date, days: number): Date => new Date(now.getTime() - days * dayMs + 1)

/** The end of the cooldown after the last activation; null: there is no cooldown now. */
export function cooldownEnd(lastPromiseAt: Date | null, policy: PromisePolicy, now: Date): Date | null {
  const { coolingFrom } = promiseBounds(policy, now)
  if (coolingFrom === null || lastPromiseAt === null || lastPromiseAt < coolingFrom) return null
  return new Date(lastPromiseAt.getTime() + policy.cooldownDays * dayMs)
}

/**
 * Decides whether a promise payment is available now, and on what terms. The policy's rules apply to clients and
 * operators, not to REST; only the operator's path has a fee.
 */
export function offerPromise(
  { balance, deleted, promise, lastPromiseAt }: Promisee,
  request: PromiseRequest,
  { tariffPrice, createdAt, service }: PromiseFacts,
  policy: PromisePolicy,
  now: Date,
): PromiseAnswer {
  const standing = {
    balance,
    tariffPrice,
    deleted,
    isActive: promise !== null,
    isYoung: createdAt >= promiseBounds(policy, now).youngFrom,
    isCoolingDown: cooldownEnd(lastPromiseAt, policy, now) !== null,
  }
  return offerByStanding(standing, request, service, policy, now)
}

export type PromiseAnswer =
  | { readonly kind: 'offered'; readonly offer: PromiseOffer }
  | { readonly kind: 'refused'; readonly reason: PromiseRefusal }

/** The decision for everybody who has such a standing. */
export function offerByStanding(
  who: PromiseStanding,
  { path, limit, until }: PromiseRequest,
  service: PromiseFacts['service'],
  policy: PromisePolicy,
  now: Date,
): PromiseAnswer {
  const refused = (reason: PromiseRefusal) => ({ kind: 'refused', reason }) as const
  if (who.isActive) return refused('promiseActive')
  if (who.deleted || !service?.enabled) return refused('promiseDisabled')
  const isThroughRest = path === 'prepay' || path === 'postpay'
  const price = who.tariffPrice ?? zero
  if (!isThroughRest) {
    if (limit === null && price <= 0n) return refused('promiseDisabled')
    if (policy.minDebt > 0n && debtOf(who.balance) < policy.minDebt) return refused('promiseMinDebt')
    if (who.isYoung) return refused('promiseMinAge')
    if (who.isCoolingDown) return refused('promiseCooldown')
  }
  const calculated = isThroughRest ? (service.amount ?? defaultRestLimit) : promiseLimit(who.balance, price, policy)
  const amount = limit ?? calculated
  if (amount <= 0n || amount > promiseMax) return refused('promiseLimitWrong')
  const uslugaId = serviceOfPath[path]
  const days = (isThroughRest ? 0 : policy.durationDays) || (service.days ?? defaultDays[uslugaId])
  const end = until ?? new Date(now.getTime() + days * dayMs)
  if (end <= now) return refused('promiseEndInPast')
  const fee = path === 'operator' ? policy.operatorFee : zero
  return { kind: 'offered', offer: { uslugaId, limit: amount, until: end, days, fee } }
}

/**
 * The larger of the tariff's price and the debt with one ruble on top, but never more than two prices (specification
 * 3.1).
 */
export function promiseLimit(balance: Money, price: Money, { limitOverride }: PromisePolicy): Money {
  if (limitOverride > 0n) return limitOverride
  const calculated = larger(price, plus(debtOf(balance), rubles(1)))
  const cap = plus(price, price)
  return calculated > cap ? cap : calculated
}

/** Whether a balance covers the return of the limit: what is left must not be negative (specification 3.1). */
export const coversReturn = (balance: Money, limit: Money): boolean => minus(balance, limit) >= 0n

const debtOf = (balance: Money): Money => (balance < 0n ? magnitude(balance) : zero)

const larger = (a: Money, b: Money): Money => (a > b ? a : b)
