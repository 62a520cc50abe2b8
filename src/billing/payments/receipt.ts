import { formatRubles, type Money } from '../../domain/money.ts'

/** The fiscal receipt that goes with a payment through gateway A (specification 4.4): one line, the whole amount paid. */

export type ReceiptTerms = {
  /** 1 is without VAT; 11 and 12 are the rates since 2026. */
  readonly vatCode: number
  readonly paymentSubject: string
  readonly paymentMode: string
}

export type ReceiptLine = ReceiptTerms & { readonly contract: string; readonly payable: Money }

/** Where the receipt is sent. */
export type Contact = { readonly kind: 'email' | 'phone'; readonly value: string }

/** The subscriber's e-mail, then the phone, then the provider's own address; null: nobody can be sent a receipt. */
export function contactFor(client: { email: string; phone: string }, fallbackEmail: string): Contact | null {
  const email = readEmail(client.email)
  if (email !== null) return { kind: 'email', value: email }
  const phone = readPhone(client.phone)
  if (phone !== null) return { kind: 'phone', value: phone }
  const fallback = readEmail(fallbackEmail)
  return fallback === null ? null : { kind: 'email', value: fallback }
}

/** The first address of a field that may hold several; the gateway takes ASCII only. */
export const readEmail = (text: string): string | null =>
  text
    .split(/[\s,;]+/)
    .find((word) => word.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(word)) ?? null

/** The first phone of a field as the eleven digits of E.164: `+7 (900) 123-45-67`, `8 900 1234567` and `9001234567` are one. */
export function readPhone(text: string): string | null {
  for (const part of text.split(/[,;/\n]/)) {
    const digits = part.replace(/\D/g, '')
    if (/^[1-9]\d{9}$/.test(digits)) return `7${digits}`
    if (/^8\d{10}$/.test(digits)) return `7${digits.slice(1)}`
    if (/^[1-9]\d{10}$/.test(digits)) return digits
  }
  return null
}

/** The line may have 128 signs. */
const lineText = (contract: string): string => `Пополнение лицевого счёта по договору ${contract}`.slice(0, 128)

/** As REST v3 takes it. */
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

/** The text of `ym_merchant_receipt` of the HTTP protocol. */
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
