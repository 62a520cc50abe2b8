import type { Month } from '../../domain/calendar.ts'
import type { Money } from '../../domain/money.ts'

/** A paper as plain data, ready for another thread: what is on it is decided here, how it looks in `layouts/`. */
export type PrintedDocument = Invoice | Receipt | Bill

/** Who is paid. Requisites nobody has entered are null and their lines are left out. */
export type Supplier = {
  readonly name: string
  readonly inn: string | null
  readonly kpp: string | null
  readonly ogrn: string | null
  readonly address: string | null
  readonly phone: string | null
  readonly bankName: string | null
  readonly bik: string | null
  readonly settlementAccount: string | null
  readonly correspondentAccount: string | null
  readonly director: string | null
  readonly accountant: string | null
  /** Per cent that prices include; null: no VAT. */
  readonly vatRate: number | null
}

/** Who pays. */
export type Customer = {
  readonly name: string
  readonly inn: string | null
  readonly kpp: string | null
  readonly contractNumber: string
  readonly contractDate: Date
  readonly accountId: number
  readonly address: string | null
}

type Common = {
  readonly supplier: Supplier
  readonly customer: Customer
  /** Of the days that are printed. */
  readonly timeZone: string
  readonly printedAt: Date
}

type OfOperation = Common & {
  readonly operationId: number
  /** Number of the document, else that of the operation. */
  readonly number: string
  readonly movedAt: Date
  /** Never negative. */
  readonly amount: Money
  readonly purpose: string
  /** The operation was cancelled later: the document says so across its head. */
  readonly isReversed: boolean
}

/** Счёт на оплату: a charge, or another operation that asks for money. */
export type Invoice = OfOperation & {
  readonly kind: 'invoice'
  readonly payUntil: Date | null
}

/**
 * Квитанция об оплате of money received; a note (справка) of what changes the account and is neither a payment nor a
 * bill.
 */
export type Receipt = OfOperation & {
  readonly kind: 'receipt' | 'note'
  /** `Квитанция об оплате`, `Справка о сторнировании`. */
  readonly title: string
  /** How it was paid, in words. */
  readonly method: string
  /** Of the payment system. */
  readonly externalId: string | null
  /** Of the cash register. */
  readonly fiscalReceipt: string | null
  readonly takenBy: string | null
}

/** Счёт за месяц: the account from its opening to its closing balance. */
export type Bill = Common & {
  readonly kind: 'bill'
  /** The month as `2026-11`. */
  readonly month: Month
  readonly opening: Money
  readonly lines: readonly BillLine[]
  /** Operations beyond what one bill prints; they are in the sums. */
  readonly omitted: number
  readonly charged: Money
  readonly received: Money
  readonly closing: Money
  /** The month is not over yet. */
  readonly isPreliminary: boolean
}

export type BillLine = {
  readonly at: Date
  readonly number: string
  readonly text: string
  readonly amount: Money
  readonly isReversed: boolean
}
