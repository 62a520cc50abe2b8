import type { OperationId } from './ids.ts'
import { type Money, magnitude, minus, plus, rubles, zero } from './money.ts'

/** An active promise payment: a limit credited now and returned when it ends (specification 2.6a, 3.1). */
export type PromisePayment = {
  /** The row of UsersUsluga; null when somebody has taken that row away. */
  readonly linkId: number | null
  readonly uslugaId: number
  readonly limit: Money
  readonly until: Date
  /** The operation that credited the limit; null when that record has been deleted. */
  readonly operationId: OperationId | null
}

/** Who asks for it: the client (portal, phone, SMS), an operator, or a program by REST as prepay or postpay. */
export type PromisePath = 'client' | 'operator' | 'prepay' | 'postpay'

/** Usluga ids and the system_type the specification fixes (2.6a). */
export const promiseServices = { portal: 30353, prepay: -4, postpay: -3 } as const
export const promiseSystemType = 11

export const serviceOfPath = {
  client: promiseServices.portal,
  operator: promiseServices.portal,
  prepay: promiseServices.prepay,
  postpay: promiseServices.postpay,
} as const satisfies Record<PromisePath, number>

export const isPromiseService = (uslugaId: number): boolean => Object.values<number>(promiseServices).includes(uslugaId)

/** How the specification writes the kind of a promise: the portal's is paid in advance as well. */
export const promiseType = (uslugaId: number): 'prepay' | 'postpay' =>
  uslugaId === promiseServices.postpay ? 'postpay' : 'prepay'

/** The settings of specification 3.1; a zero switches its rule off. */
export type PromisePolicy = {
  readonly minDebt: Money
  readonly minAgeDays: number
  readonly cooldownDays: number
  /** The exact limit; zero calculates it. */
  readonly limitOverride: Money
  /** Days it lasts; zero takes them from the service. */
  readonly durationDays: number
  readonly operatorFee: Money
  readonly closesOnPayment: boolean
}

/** What the tables say about one who asks for a promise. */
export type PromiseFacts = {
  /** Null: no tariff. */
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

/** What would be promised if it were asked for now. */
export type PromiseOffer = {
  readonly uslugaId: number
  readonly limit: Money
  readonly until: Date
  readonly days: number
  readonly fee: Money
}

/** One who asks. */
export type Promisee = {
  readonly balance: Money
  readonly deleted: boolean
  readonly promise: PromisePayment | null
  readonly lastPromiseAt: Date | null
}

export type PromiseWish = { readonly path: PromisePath; readonly limit: Money | null; readonly until: Date | null }

/** The sums of an account only ever grow, and a slip of the hand must not use them up. */
const promiseMax = rubles(1_000_000)

const dayMs = 86_400_000
const defaultDays = { [promiseServices.portal]: 5, [promiseServices.prepay]: 3, [promiseServices.postpay]: 3 }
const defaultRestLimit = rubles(90)

/** Pure: whether a promise may be had now, and which one. Policies bind clients and operators; only operators charge a fee. */
export function offerPromise(
  who: Promisee,
  { path, limit, until }: PromiseWish,
  { tariffPrice, createdAt, service }: PromiseFacts,
  policy: PromisePolicy,
  now: Date,
): { kind: 'offered'; offer: PromiseOffer } | { kind: 'refused'; reason: PromiseRefusal } {
  const refused = (reason: PromiseRefusal) => ({ kind: 'refused', reason }) as const
  if (who.promise) return refused('promiseActive')
  if (who.deleted || !service?.enabled) return refused('promiseDisabled')
  const isByRest = path === 'prepay' || path === 'postpay'
  const price = tariffPrice ?? zero
  if (!isByRest) {
    if (limit === null && price <= 0n) return refused('promiseDisabled')
    if (policy.minDebt > 0n && debtOf(who.balance) < policy.minDebt) return refused('promiseMinDebt')
    if (now.getTime() - createdAt.getTime() < policy.minAgeDays * dayMs) return refused('promiseMinAge')
    const free = cooldownEnd(who.lastPromiseAt, policy)
    if (free && free > now) return refused('promiseCooldown')
  }
  const calculated = isByRest ? (service.amount ?? defaultRestLimit) : promiseLimit(who.balance, price, policy)
  const amount = limit ?? calculated
  if (amount <= 0n || amount > promiseMax) return refused('promiseLimitWrong')
  const uslugaId = serviceOfPath[path]
  const days = (isByRest ? 0 : policy.durationDays) || (service.days ?? defaultDays[uslugaId])
  const end = until ?? new Date(now.getTime() + days * dayMs)
  if (end <= now) return refused('promiseEndInPast')
  const fee = path === 'operator' ? policy.operatorFee : zero
  return { kind: 'offered', offer: { uslugaId, limit: amount, until: end, days, fee } }
}

/** The moment from which another promise may be had; null when nothing is in the way. Counts from the last activation. */
export const cooldownEnd = (lastPromiseAt: Date | null, { cooldownDays }: PromisePolicy): Date | null =>
  lastPromiseAt && cooldownDays > 0 ? new Date(lastPromiseAt.getTime() + cooldownDays * dayMs) : null

/** The larger of the tariff's price and the debt with one ruble on top, but never more than two prices (specification 3.1). */
export function promiseLimit(balance: Money, price: Money, { limitOverride }: PromisePolicy): Money {
  if (limitOverride > 0n) return limitOverride
  const wanted = larger(price, plus(debtOf(balance), rubles(1)))
  const cap = plus(price, price)
  return wanted > cap ? cap : wanted
}

/** Whether a receipt leaves enough to return the limit at once: what is left must not be negative (specification 3.1). */
export const coversReturn = (balance: Money, limit: Money): boolean => minus(balance, limit) >= 0n

const debtOf = (balance: Money): Money => (balance < 0n ? magnitude(balance) : zero)

const larger = (a: Money, b: Money): Money => (a > b ? a : b)
