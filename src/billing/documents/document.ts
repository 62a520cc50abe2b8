import type { Month } from '../../domain/calendar.ts'
import type { Money } from '../../domain/money.ts'

/**
 * A document as plain data, which can be passed to another thread. This directory decides what a document says, and
 * `layouts/` how it looks.
 */
export type PrintedDocument = Invoice | Receipt | Bill | ShiftReport

/** The organization that is paid. Details that nobody has entered are null, and their lines are left out. */
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
  /** The VAT in percent that prices include. Null: no VAT. */
  readonly vatRate: number | null
}

/** The subscriber who pays. */
export type Customer = {
  readonly name: string
  readonly inn: string | null
  readonly kpp: string | null
  readonly contractNumber: string
  readonly contractDate: Date
  readonly accountId: number
  readonly address: string | null
}

type Paper = {
  readonly supplier: Supplier
  /** The IANA time zone of the dates that are printed. */
  readonly timeZone: string
  readonly printedAt: Date
}

type Common = Paper & { readonly customer: Customer }

type OperationDocument = Common & {
  readonly operationId: number
  /** The number of the document, or that of the operation if it has none. */
  readonly number: string
  readonly movedAt: Date
  /** Never negative. */
  readonly amount: Money
  readonly purpose: string
  /** The operation was reversed later, and the document is stamped so. */
  readonly isReversed: boolean
}

/** Счёт на оплату: an invoice for a charge, or for another operation that the client has to pay. */
export type Invoice = OperationDocument & {
  readonly kind: 'invoice'
  readonly payUntil: Date | null
}

/**
 * Квитанция об оплате, a receipt of money received, or справка, a note about an operation that is neither a payment nor
 * a charge.
 */
export type Receipt = OperationDocument & {
  readonly kind: 'receipt' | 'note'
  /** The heading, such as `Квитанция об оплате` or `Справка о сторнировании`. */
  readonly title: string
  /** How it was paid, worded for the client. */
  readonly method: string
  /** The payment's id in the payment system. */
  readonly externalId: string | null
  /** The number of the cash register's receipt. */
  readonly fiscalReceipt: string | null
  readonly takenBy: string | null
}

/** Счёт за месяц: a monthly bill, from the opening to the closing balance of the account. */
export type Bill = Common & {
  readonly kind: 'bill'
  /** The month as `2026-11`. */
  readonly month: Month
  readonly opening: Money
  readonly lines: readonly BillLine[]
  /** The number of operations that are not listed because the bill would be too long. The sums include them. */
  readonly omitted: number
  readonly charged: Money
  readonly received: Money
  readonly closing: Money
  /** The month is not over, so the sums may still change. */
  readonly isPreliminary: boolean
}

export type BillLine = {
  readonly at: Date
  readonly number: string
  readonly text: string
  readonly amount: Money
  readonly isReversed: boolean
}

/** Отчёт по кассовой смене: what a cashier has received and given back, and the cash in the drawer. */
export type ShiftReport = Paper & {
  readonly kind: 'shift'
  readonly shiftId: number
  readonly cashier: string
  readonly openedAt: Date
  /** Null: the shift goes on, so the sums may still change. */
  readonly closedAt: Date | null
  readonly lines: readonly ShiftLine[]
  readonly cash: {
    readonly opening: Money
    readonly received: Money
    readonly returned: Money
    readonly expected: Money
    /** Null: nobody has counted it. */
    readonly counted: Money | null
    readonly difference: Money | null
  }
}

type ShiftLine = {
  readonly type: string
  readonly isCash: boolean
  readonly receivedCount: number
  readonly received: Money
  readonly returnedCount: number
  readonly returned: Money
}
