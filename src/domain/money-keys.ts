import type { Day, Month } from './calendar.ts'
import type { StaffId, SubscriberId } from './ids.ts'

/**
 * The keys of the table money_keys. A movement of money takes its keys in the commit that writes it, and a key is taken once and for
 * ever, so nothing is charged, credited or brought over a second time.
 */
export type MoneyKey<Parts extends readonly (string | number)[]> = {
  of(...parts: Parts): string
  /** The same key as an SQL expression over expressions of its parts; null when one of them is null. */
  sql(...expressions: { [Part in keyof Parts]: string }): string
}

/** Both spellings follow from one pattern, in which `*` stands for a part. */
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
 * Charges and what is given back of them. A charge of a month carries the month, one of a day the day. Who comes back after a refund
 * in a charged month is charged for the rest by the day of the return.
 */
export const chargeKeys = {
  tariff: key<[subscriber: SubscriberId, period: Period]>('charge:*:tariff:*'),
  /** `link` is the row of users_uslugas. */
  service: key<[subscriber: SubscriberId, link: number, period: Period]>('charge:*:usluga:*:*'),
  /** The price of the service behind a promise payment, for a day on which the promise is active. */
  promise: key<[subscriber: SubscriberId, link: number, day: Day]>('charge:*:promise:*:*'),
  /** `last` is the last day that was not given back. */
  tariffRefund: key<[subscriber: SubscriberId, last: Day]>('refund:*:tariff:*'),
  serviceRefund: key<[subscriber: SubscriberId, link: number, last: Day]>('refund:*:usluga:*:*'),
  /** Left by a link that was taken away after its service had been charged; the next link to the service turns it into its own. */
  leftService: key<[subscriber: SubscriberId, service: number, period: Period]>('left:*:usluga:*:*'),
} as const

/** A transaction id: of a movement that was entered by hand, or of an order that a gateway has paid. */
export const transactionKey = key<[txn: string | number]>('txn:*')

/** The payment id of an operator; the operator may be nameless. */
export const paymentKey = key<[operator: string, payment: string]>('pay:*:*')

/** The Idempotency-Key of a request by staff. */
export const idempotencyKey = key<[staff: StaffId, header: string]>('idem:*:*')

/** An Idempotency-Key together with all that its request says, as a SHA-256 in hex. */
export const requestKey = key<[hash: string]>('body:*')

/** The Idempotency-Key of a request by a client's phone. */
export const phoneKey = key<[subscriber: SubscriberId, header: string]>('phone:*:*')

/** The opening balance that an import has brought over for a contract. */
export const importKey = key<[contract: string]>('import:*')

const txnMark = /\[txn:([^\]\s]{1,100})\]/

/** The transaction id of a movement: named, or marked in its text (specification 4.12 rule 5). */
export const txnOf = (txn: string | null, description: string): string | null =>
  txn ?? txnMark.exec(description)?.[1] ?? null

/** The mark in the text of a movement by which `txnOf` finds its transaction id. */
export const markOfTxn = (txn: string | number): string => `[txn:${txn}]`

/** The keys of a movement that came with a transaction id, with a payment id of an operator, with both or with neither. */
export const paymentKeys = (
  txn: string | null,
  operatorName: string | null,
  operatorPayId: string | null,
): readonly string[] => [
  ...(txn ? [transactionKey.of(txn)] : []),
  ...(operatorPayId ? [paymentKey.of(operatorName ?? '', operatorPayId)] : []),
]
