import { firstAsciiEmail, firstPhone } from '../../domain/contacts.ts'
import { formatRubles, type Money } from '../../domain/money.ts'

/**
 * The fiscal receipt that goes with a payment through gateway A (specification 4.4): one line over the whole amount
 * paid.
 */

export type ReceiptLine = {
  readonly contract: string
  readonly payable: Money
  /** 1 stands for no VAT, 11 and 12 for the rates since 2026. */
  readonly vatCode: number
  readonly paymentSubject: string
  readonly paymentMode: string
}

/** The address to which the receipt is sent. */
export type Contact = { readonly kind: 'email' | 'phone'; readonly value: string }

/** The subscriber's e-mail, then the phone, then the provider's own address; null: nobody can be sent a receipt. */
export function contactFor(client: { email: string; phone: string }, fallbackEmail: string): Contact | null {
  const email = firstAsciiEmail(client.email)
  if (email !== null) return { kind: 'email', value: email }
  const phone = firstPhone(client.phone)
  if (phone !== null) return { kind: 'phone', value: phone }
  const fallback = firstAsciiEmail(fallbackEmail)
  return fallback === null ? null : { kind: 'email', value: fallback }
}

/** The gateway accepts at most 128 characters. */
const lineText = (contract: string): string => `Пополнение лицевого счёта по договору ${contract}`.slice(0, 128)

/** The receipt in the format of REST v3. */
export const restReceipt = (contact: Contact, line: ReceiptLine): object => ({
  customer: { [contact.kind]: contact.value },
  items: [
    {
      description: lineText(line.contract),
      quantity: '1.00',
      amount: { value: formatRubles(line.payable), currency: 'RUB' },
      vat_code: line.vatCode,
      payment_subject: line.paymentSubject,
      payment_mode: line.paymentMode,
    },
  ],
})

/** The receipt as the text of `ym_merchant_receipt` in the HTTP protocol. */
export const httpReceipt = (contact: Contact, line: ReceiptLine): string =>
  JSON.stringify({
    customerContact: contact.kind === 'phone' ? `+${contact.value}` : contact.value,
    items: [
      {
        quantity: 1,
        price: { amount: formatRubles(line.payable), currency: 'RUB' },
        tax: line.vatCode,
        text: lineText(line.contract),
        paymentSubjectType: line.paymentSubject,
        paymentMethodType: line.paymentMode,
      },
    ],
  })
