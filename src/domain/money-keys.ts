import type { Day, Month } from './calendar.ts'
import { type AccountId, parseId, type StaffId, type SubscriberId } from './ids.ts'
import { type Money, zero } from './money.ts'

/**
 * The idempotency keys in the table money_keys. A posting takes its keys in the commit that writes it, and a key is
 * never released, so nothing is charged, credited or imported twice. Whoever makes keys from names that come from
 * outside has a prefix of their own, so that nobody can take the keys of others beforehand.
 */
export type MoneyKey<Parts extends readonly (string | number)[]> = {
  of(...parts: Parts): string
  /** The same key as an SQL expression over expressions of its parts; null when one of them is null. */
  sql(...expressions: { [Part in keyof Parts]: string }): string
}

/** Derives the key and its SQL twin from one pattern, in which `*` stands for a part. */
function key<Parts extends readonly (string | number)[]>(pattern: string): MoneyKey<Parts> {
  const [first = '', ...texts] = pattern.split('*')
  return {
    of: (...parts) => parts.reduce<string>((known, part, index) => known + part + texts[index], first),
    sql: (...expressions) => {
      const terms = expressions.flatMap((expression, index) => [expression, `'${texts[index]}'`])
      return `(${[`'${first}'`, ...terms].filter((term) => term !== `''`).join(' || ')})`
    },
  }
}

type Period = Day | Month

/**
 * Keys of charges and their refunds. The period of a monthly charge is the month, that of a daily charge the day. A
 * subscriber who returns after a refund in a charged month is charged for the rest of it under the day of the return.
 */
export const chargeKeys = {
  tariff: key<[subscriber: SubscriberId, period: Period]>('charge:*:tariff:*'),
  /** `link` is the row of users_uslugas. */
  service: key<[subscriber: SubscriberId, link: number, period: Period]>('charge:*:usluga:*:*'),
  /** What was used until that day and no longer, in a month that had not been charged for it. */
  usedTariff: key<[subscriber: SubscriberId, day: Day]>('used:*:tariff:*'),
  usedService: key<[subscriber: SubscriberId, link: number, day: Day]>('used:*:usluga:*:*'),
  /** The price of the service behind a promise payment, for a day on which the promise is active. */
  promise: key<[subscriber: SubscriberId, link: number, day: Day]>('charge:*:promise:*:*'),
  /** `last` is the last day that was not refunded. */
  tariffRefund: key<[subscriber: SubscriberId, last: Day]>('refund:*:tariff:*'),
  serviceRefund: key<[subscriber: SubscriberId, link: number, last: Day]>('refund:*:usluga:*:*'),
  /**
   * Left by a link that was removed after its service had been charged; the next link to the same service converts it
   * into its own key.
   */
  leftService: key<[subscriber: SubscriberId, service: number, period: Period]>('left:*:usluga:*:*'),
} as const

/** A transaction id that staff or a program entered with a posting. */
export const transactionKey = key<[txn: string | number]>('txn:*')

/** The payment id of a payment operator that staff or a program entered; the operator's name may be empty. */
export const paymentKey = key<[operator: string, payment: string]>('pay:*:*')

/**
 * An order of ours that is credited. `account` and `credit` (in units) are those of the order, so there is one key for
 * each order. A receipt that staff enter under the number of an order takes the key of the account and the amount that
 * they enter: the order's own key only when both are right, and then the client has the money.
 */
export const orderKey = key<[order: number, account: AccountId, credit: string]>('order:*:*:*')

/** The payment id in a notice of a gateway. */
export const gatewayPaymentKey = key<[gateway: string, payment: string]>('gateway:*:*')

/** A payment that a gateway reported and that was not credited, when an operator credits it. */
export const problemKey = key<[problem: number]>('problem:*')

/** The PAY_ID_STR of a cash desk that pays by SOAP. */
export const cashDeskKey = key<[operator: string, payment: string]>('desk:*:*')

/**
 * A payment of an operator as a receipt of this amount (in units) for this account. Whoever enters it takes the key,
 * the gateway, the cash desk or staff, so that nobody enters it twice; and nobody can take it for others, because the
 * account that it names then has the money.
 */
export const receiptKey =
  key<[account: AccountId, amount: string, operator: string, payment: string]>('receipt:*:*:*:*')

/** The Idempotency-Key of a request by staff. */
export const idempotencyKey = key<[staff: StaffId, header: string]>('idem:*:*')

/** An Idempotency-Key together with the content of its request, as a SHA-256 in hex. */
export const requestKey = key<[hash: string]>('body:*')

/** The Idempotency-Key of a request from a client's phone. */
export const phoneKey = key<[subscriber: SubscriberId, header: string]>('phone:*:*')

/** The opening balance that an import has posted for a contract. */
export const importKey = key<[contract: string]>('import:*')

/** The open promise payment that was moved in with a contract. */
export const movedPromiseKey = key<[contract: string]>('import-promise:*')

const txnMark = /\[txn:([^\]\s]{1,100})\]/

/** The transaction id of a posting: given explicitly, or marked in its description (specification 4.12 rule 5). */
export const txnOf = (txn: string | null, description: string): string | null =>
  txn ?? txnMark.exec(description)?.[1] ?? null

/** The mark in the description of a posting from which `txnOf` reads the transaction id. */
export const markOfTxn = (txn: string | number): string => `[txn:${txn}]`

/** What a posting is known by outside; null and '' for what is not known. */
export type PaymentNames = {
  readonly txn?: string | null | undefined
  readonly operatorName?: string | null | undefined
  readonly operatorPayId?: string | null | undefined
}

/**
 * The keys of a posting that staff or a program enter, with a transaction id, a payment id of an operator, both or
 * neither. `amount` is signed: an expense is no receipt that somebody else could report too.
 */
export function enteredKeys(account: AccountId, amount: Money, names: PaymentNames): readonly string[] {
  const { txn, operatorName, operatorPayId } = names
  const order = amount > zero && txn ? parseId(txn) : null
  return [
    ...(txn ? [transactionKey.of(txn)] : []),
    ...(order === null ? [] : [orderKey.of(order, account, String(amount))]),
    ...(operatorPayId ? [paymentKey.of(operatorName ?? '', operatorPayId)] : []),
    ...(operatorPayId && amount > zero
      ? [receiptKey.of(account, String(amount), operatorName ?? '', operatorPayId)]
      : []),
  ]
}

/** The keys of whoever may have taken a payment of an operator: staff, a gateway or a cash desk. */
export const takersOf = (operatorName: string | null, operatorPayId: string | null): readonly string[] =>
  operatorPayId
    ? [paymentKey, gatewayPaymentKey, cashDeskKey].map((one) => one.of(operatorName ?? '', operatorPayId))
    : []
