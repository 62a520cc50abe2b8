import { emailForm } from '../../domain/contacts.ts'
import { formatRubles, type Money, magnitude, roundToKopeck, vatIncluded, zero } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import { stampText } from '../../domain/wording.ts'
import { type FiscalConfiguration, type VatName, vatRates } from './configuration.ts'

/** The fields of an operation that decide about its fiscal receipt. */
export type FiscalOperation = {
  readonly id: number
  readonly typeId: number
  readonly typeSign: number
  readonly amount: Money
  readonly isAccounting: boolean
  /** The operation is reversed, or is a reversal itself. */
  readonly isReversed: boolean
  readonly isPrinted: boolean
  readonly recordedAt: Date
}

export type Direction = 'sell' | 'sell_refund'

/** Why an operation can have no receipt now. */
export const receiptRefusalText = {
  notAccounting: 'The operation is no real financial document (isbuhdoc is false).',
  notReceipt: 'Only a receipt of money has a fiscal receipt.',
  belowKopeck: 'The amount is less than a kopeck.',
  alreadyPrinted: 'The receipt has been printed before.',
  alreadyQueued: 'The receipt is in the queue already; look at finops_fiscal_queue.',
  nothingToReturn: 'The operation is reversed and its receipt was never printed: there is nothing to give back.',
  stillOnItsWay: 'The receipt of the reversed operation is still on its way; the return can follow when it is printed.',
  noSubscriber: 'The operation has no subscriber, so there is nobody to send the receipt to.',
  noContact: 'The subscriber has neither an e-mail address nor a telephone number to send the receipt to.',
  noConfiguration:
    'The organization of the operation has no enabled fiscal configuration of this number, or no default one.',
} as const

export type ReceiptRefusal = keyof typeof receiptRefusalText

export const refused = (reason: ReceiptRefusal) => ({ kind: 'refused', reason }) as const

/** Positive operations that are no payment: the limit of a promise payment, and a recalculation. */
const nonPayments: readonly number[] = [operationTypes.promise, operationTypes.recalculation]

/**
 * Decides which receipt may be printed: one for money received, and after that one for its refund. `reversal` is the
 * operation that reversed `original`, or null; a refund's receipt belongs to the reversal.
 */
export function decideReceipt(original: FiscalOperation, reversal: FiscalOperation | null) {
  const amount = roundToKopeck(magnitude(original.amount))
  if (!original.isAccounting) return refused('notAccounting')
  if (original.amount <= zero || original.typeSign <= 0 || nonPayments.includes(original.typeId))
    return refused('notReceipt')
  if (amount === zero) return refused('belowKopeck')
  if (!original.isReversed)
    return original.isPrinted
      ? refused('alreadyPrinted')
      : ({ kind: 'printable', direction: 'sell', of: original, amount } as const)
  if (!original.isPrinted || !reversal) return refused('nothingToReturn')
  if (reversal.isPrinted) return refused('alreadyPrinted')
  return { kind: 'printable', direction: 'sell_refund', of: reversal, amount } as const
}

/**
 * The id by which the receiver recognizes a receipt that was sent before. It includes the time of the operation, so
 * that a new database, which counts operations from one again, does not repeat old ids.
 */
export const externalIdOf = ({ id, recordedAt }: FiscalOperation, edition = 0): string =>
  `${id}-${Math.floor(recordedAt.getTime() / 1000)}${edition > 0 ? `-${edition}` : ''}`

/** The external id for replacing a refused receipt. With the old id the receiver would repeat its refusal. */
export function nextExternalId(externalId: string): string {
  const [id, moment, edition] = externalId.split('-')
  return `${id}-${moment}-${Number(edition ?? 0) + 1}`
}

const emailMax = 64

/**
 * The address for the receipt: e-mail, else phone (specification 4.4). `phoneDigits`: as phoneDigits of
 * domain/contacts.ts gives them. Null: neither can be used.
 */
export function contactOf(
  email: string | null,
  phoneDigits: string | null,
): { email: string } | { phone: string } | null {
  const address = email?.trim() ?? ''
  if (emailForm.test(address) && address.length <= emailMax) return { email: address }
  return phoneDigits && /^\d{10,15}$/.test(phoneDigits) ? { phone: `+${phoneDigits}` } : null
}

export type ReceiptContent = {
  readonly configuration: FiscalConfiguration
  readonly externalId: string
  readonly amount: Money
  readonly contact: { email: string } | { phone: string }
  readonly contractNumber: string
  readonly isCash: boolean
  readonly at: Date
  readonly timeZone: string
}

const itemNameMax = 128

/**
 * The request body of `sell` and `sell_refund` (ATOL Online, v4): one line for the whole amount. Amounts are decimals
 * with two places.
 */
export function writeRequest(content: ReceiptContent): string {
  const { configuration, externalId, amount, contact, contractNumber, isCash, at, timeZone } = content
  const { inn, paymentAddress, companyEmail, taxSystem, vat, paymentMethod, paymentObject } = configuration
  const sum = decimal(amount)
  return JSON.stringify({
    external_id: externalId,
    receipt: {
      client: contact,
      company: { email: companyEmail, sno: taxSystem, inn, payment_address: paymentAddress },
      items: [
        {
          name: `Услуги связи, договор № ${contractNumber}`.slice(0, itemNameMax),
          price: sum,
          quantity: 1,
          sum,
          payment_method: paymentMethod,
          payment_object: paymentObject,
          vat: { type: vat, sum: decimal(vatOf(amount, vat)) },
        },
      ],
      payments: [{ type: isCash ? 0 : 1, sum }],
      total: sum,
    },
    timestamp: stampText(at, timeZone),
  })
}

export const vatOf = (amount: Money, vat: string): Money => vatIncluded(amount, vatRates[vat as VatName] ?? 0)

/**
 * A JSON number written digit by digit, because money must not pass through binary fractions. Node 22 has `rawJSON`,
 * which the ES2024 types lack.
 */
const decimal = (amount: Money): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(formatRubles(amount))
