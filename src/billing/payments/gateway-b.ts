import { hash as digestOf } from 'node:crypto'
import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money } from '../../domain/money.ts'

/**
 * Gateway B (specification 4.4, contract sections 1 and 5a): the client's browser posts a form that we sign, and the
 * gateway posts a form that it signs to the webhook.
 */

export type FormOrder = {
  readonly merchantId: string
  readonly payable: Money
  /** ISO 4217, three digits. */
  readonly currencyId: string
  readonly description: string
  readonly subscriberId: SubscriberId
  readonly orderId: number
  readonly successUrl: string
  readonly failUrl: string
  readonly email: string
}

/**
 * What the client's browser posts to {gwb_form_url}. All values are ASCII, so that the signature does not depend on the
 * encoding.
 */
export function formFields(order: FormOrder, secretKey: string): Readonly<Record<string, string>> {
  const fields = {
    WMI_MERCHANT_ID: order.merchantId,
    WMI_PAYMENT_AMOUNT: formatRubles(order.payable),
    WMI_CURRENCY_ID: order.currencyId,
    WMI_DESCRIPTION: `BASE64:${Buffer.from(order.description).toString('base64')}`,
    WMI_PAYMENT_NO: `${order.subscriberId}-${order.orderId}`,
    WMI_SUCCESS_URL: order.successUrl,
    WMI_FAIL_URL: order.failUrl,
    ...(order.email !== '' && { WMI_CUSTOMER_EMAIL: order.email }),
  }
  const signature = signatureOf(
    Object.entries(fields).map(([name, value]) => ({ name, value: Buffer.from(value) })),
    secretKey,
  )
  return { ...fields, WMI_SIGNATURE: signature }
}

export type Field = { readonly name: string; readonly value: Buffer }

/**
 * Base64 of the MD5 of all values and the key. Values are ordered by name, with regard to case, and those of one name
 * by value.
 */
export function signatureOf(fields: readonly Field[], secretKey: string): string {
  const inOrder = [...fields].sort(
    (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || Buffer.compare(a.value, b.value),
  )
  return digestOf('md5', Buffer.concat([...inOrder.map(({ value }) => value), Buffer.from(secretKey)]), 'base64')
}

/** The WMI_ORDER_STATE of a completed payment. */
export const acceptedState = 'accepted'

/**
 * Whether a form that we sign may contain a text. The signature covers the values joined without separators, and
 * clients see it: a return address like `https://a/?<merchant>accepted100.00<order>` would let them split the same
 * bytes into a notice of a payment that nobody made. Without the word `accepted` they cannot.
 */
export const mayBeSigned = (text: string): boolean => !text.toLowerCase().includes(acceptedState)
