import { isAscii } from 'node:buffer'
import { hash as digestOf } from 'node:crypto'
import { readId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money, parseRubles } from '../../domain/money.ts'
import { asWindows1251, type FormBytes } from './form-bytes.ts'
import type { PaymentNotice } from './notice.ts'
import { isSameText } from './same-text.ts'

/** Gateway B (specification 4.4, contract sections 1 and 5a): a signed form there, a signed form back, answers in plain text. */

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

/** What the client's browser posts to {gwb_form_url}. All of it is ASCII, so every encoding signs the same bytes. */
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

type Field = { readonly name: string; readonly value: Buffer }

/** Base64 of the MD5 of all values in the case-sensitive order of their names, a list sorted in itself, and the key. */
export function signatureOf(fields: readonly Field[], secretKey: string): string {
  const inOrder = [...fields].sort(
    (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || Buffer.compare(a.value, b.value),
  )
  return digestOf('md5', Buffer.concat([...inOrder.map(({ value }) => value), Buffer.from(secretKey)]), 'base64')
}

/**
 * The vendor signs everything it posts, the specification only what begins with WMI_; bytes as sent, or the windows-1251
 * they were made from where they arrive as UTF-8. Without a key nothing is the gateway's.
 */
export function isSignedWith(form: FormBytes, secretKey: string): boolean {
  if (secretKey === '') return false
  const sent = form.text('WMI_SIGNATURE')
  const all = form.fields.filter(({ name }) => name !== 'WMI_SIGNATURE')
  const own = all.filter(({ name }) => name.startsWith('WMI_'))
  const plain = own.length === all.length ? [all] : [all, own]
  const ways = all.every(({ value }) => isAscii(value)) ? plain : [...plain, ...plain.map(inWindows1251)]
  // All that differ are tried, so that the time of an answer does not tell which one came close.
  return ways.map((fields) => isSameText(sent, signatureOf(fields, secretKey))).includes(true)
}

const inWindows1251 = (fields: readonly Field[]): Field[] =>
  fields.map(({ name, value }) => ({ name, value: asWindows1251(value) ?? value }))

/** Fields of ours that a form may carry several times: lists of payment types. */
const lists = new Set(['WMI_PTENABLED', 'WMI_PTDISABLED', 'WMI_PTENABLED[]', 'WMI_PTDISABLED[]'])

/** The first scalar WMI_ field sent twice: which of the two is meant, nobody can say. */
export function repeatedField(form: FormBytes): string | null {
  const seen = new Set<string>()
  for (const { name } of form.fields) {
    if (!name.startsWith('WMI_') || lists.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}

/** Money has come only in this state. */
const acceptedState = 'accepted'
export const isAccepted = (form: FormBytes): boolean => form.text('WMI_ORDER_STATE').toLowerCase() === acceptedState

/**
 * Whether a text may stand in a form that we sign. The signature is of the values joined with nothing between, and clients see it:
 * a return address like `https://a/?<merchant>accepted100.00<order>` would let them cut the same values into a notice of a payment
 * that nobody made. Without the word of the state they cannot.
 */
export const mayBeSigned = (text: string): boolean => !text.toLowerCase().includes(acceptedState)

/** `<abonent_id>-<order id>`; null for a number that is not of ours, or a sum that cannot be read. */
export function noticeOf(form: FormBytes): PaymentNotice | null {
  const number = form.text('WMI_PAYMENT_NO')
  const [subscriber = '', order = '', more] = number.split('-')
  const [subscriberNumber, orderId] = [readId(subscriber), readId(order)]
  const paid = parseRubles(form.text('WMI_PAYMENT_AMOUNT'))
  if (more !== undefined || subscriberNumber === null || orderId === null || paid === null || paid <= 0n) return null
  const own = form.text('WMI_ORDER_ID')
  return {
    gateway: 'gwb',
    protocol: 'form',
    gatewayId: /^[\w-]{1,64}$/.test(own) ? own : number,
    orderId,
    subscriberId: subscriberId(subscriberNumber),
    paid,
    credit: null,
    result: form.text('WMI_ORDER_STATE'),
  }
}

export const okAnswer = 'WMI_RESULT=OK'

/** The gateway asks again, and shows the text to the shop. */
export const retryAnswer = (text: string): string => `WMI_RESULT=RETRY&WMI_DESCRIPTION=${encodeURIComponent(text)}`
