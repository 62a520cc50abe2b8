import { createHmac } from 'node:crypto'
import { parseId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money, parseRubles } from '../../domain/money.ts'
import { membersOf, parseJson } from '../../platform/formats/json.ts'
import { isSameText } from '../../platform/same-text.ts'
import type { PaymentNotice } from './notice.ts'

/**
 * Gateway A, REST v3 (specification 4.4): what is requested, how a notification is read, and how we recognize our own
 * metadata.
 */

export const currency = 'RUB'
/** The gateway refuses longer descriptions instead of cutting them. */
const descriptionMax = 128
const idForm = /^[\w-]{1,64}$/

/** The facts of an order that are sent to the gateway. `payable` is `credit` with the commission. */
export type PaymentRequest = {
  readonly orderId: number
  readonly subscriberId: SubscriberId
  readonly credit: Money
  readonly payable: Money
  readonly commission: Money
}

/** Values that are sent with a payment and returned with it. The gateway stores text only. */
export type Metadata = Readonly<Record<string, string>>

/** The gateway does not sign notifications, so we sign what identifies the order (contract sections 1 and 5a). */
export function signedMetadata(requested: PaymentRequest, secretKey: string): Metadata {
  const metadata = {
    abonent_id: String(requested.subscriberId),
    credit_amount: formatRubles(requested.credit),
    commission: formatRubles(requested.commission),
    order_id: String(requested.orderId),
  }
  return { ...metadata, signature: signatureOf(metadata, secretKey) }
}

const signed = ['abonent_id', 'credit_amount', 'commission', 'order_id'] as const

const signatureOf = (metadata: Metadata, secretKey: string): string =>
  createHmac('sha256', secretKey)
    .update(signed.map((name) => metadata[name] ?? '').join(';'))
    .digest('hex')

/** Whether we signed the metadata with this key. An empty key signs nothing. */
export const isSignedBy = (metadata: Metadata, secretKey: string): boolean =>
  secretKey !== '' && isSameText((metadata.signature ?? '').toLowerCase(), signatureOf(metadata, secretKey))

/** Compares the metadata of a notification with those stored with the order, including the signature. */
export const isSameMetadata = (sent: Metadata, kept: Metadata): boolean =>
  [...signed, 'signature']
    .map((name) => name in kept && isSameText(sent[name] ?? '', kept[name] ?? ''))
    .every((isSame) => isSame)

/** The body of POST {gwa_api_url}/v3/payments. */
export const creationBody = (
  requested: PaymentRequest,
  order: { secretKey: string; description: string; returnUrl: string; receipt: object | null },
): object => ({
  amount: { value: formatRubles(requested.payable), currency },
  confirmation: { type: 'redirect', return_url: order.returnUrl },
  capture: true,
  description: order.description.slice(0, descriptionMax),
  metadata: signedMetadata(requested, order.secretKey),
  ...(order.receipt && { receipt: order.receipt }),
})

/**
 * A payment as the gateway shows it: in a notification, in the answer to its creation, and when it is fetched to
 * confirm a notification.
 */
export type GatewayPayment = {
  readonly id: string
  readonly status: string
  readonly amount: Money
  readonly currency: string
  readonly metadata: Metadata
  /** The shop that received the payment; null where the gateway does not say. */
  readonly shopId: string | null
  /** Where the client pays; null once there is nothing to confirm. */
  readonly confirmationUrl: string | null
}

/** Null: the value is not a payment. */
export function readPayment(value: unknown): GatewayPayment | null {
  const { id, status, amount, metadata, confirmation, recipient } = membersOf(value)
  const { value: sum, currency: code } = membersOf(amount)
  if (typeof id !== 'string' || !idForm.test(id) || typeof status !== 'string' || typeof code !== 'string') return null
  const money = parseRubles(sum)
  if (money === null || money <= 0n) return null
  const { confirmation_url: url } = membersOf(confirmation)
  const { account_id: shopId } = membersOf(recipient)
  return {
    id,
    status,
    amount: money,
    currency: code,
    metadata: readMetadata(metadata),
    shopId: typeof shopId === 'string' || typeof shopId === 'number' ? String(shopId) : null,
    confirmationUrl: typeof url === 'string' ? url : null,
  }
}

export type Notification =
  | { kind: 'succeeded'; payment: GatewayPayment }
  /** payment.canceled, refund.succeeded and whatever comes later: answered with 200 and otherwise ignored. */
  | { kind: 'ignored'; event: string }
  | { kind: 'malformed'; detail: string }

export function readNotification(body: Buffer): Notification {
  const parsed = parseJson(body)
  if (parsed.kind === 'refused') return { kind: 'malformed', detail: parsed.detail }
  const { event, object } = membersOf(parsed.value)
  if (typeof event !== 'string') return { kind: 'malformed', detail: 'There is no event.' }
  if (event !== 'payment.succeeded') return { kind: 'ignored', event }
  const payment = readPayment(object)
  if (!payment) return { kind: 'malformed', detail: 'The object is no payment.' }
  if (payment.status !== 'succeeded') return { kind: 'malformed', detail: `The payment is ${payment.status}.` }
  return { kind: 'succeeded', payment }
}

/** The notice in the signed metadata. Null: the values are invalid, whoever signed them. */
export function noticeOf(payment: GatewayPayment): PaymentNotice | null {
  const subscriber = parseId(payment.metadata.abonent_id ?? '')
  const orderId = parseId(payment.metadata.order_id ?? '')
  const credit = parseRubles(payment.metadata.credit_amount)
  if (subscriber === null || orderId === null || credit === null || credit <= 0n) return null
  return {
    gateway: 'gwa',
    protocol: 'rest',
    gatewayId: payment.id,
    orderId,
    subscriberId: subscriberId(subscriber),
    paid: payment.amount,
    credit,
    result: payment.status,
  }
}

export type ReadBackFault = 'notSucceeded' | 'otherPayment'

/**
 * Whether the payment fetched through the API disagrees with its notification. Null: they agree, and the payment
 * succeeded.
 */
export function readBackFault(notified: GatewayPayment, read: GatewayPayment): ReadBackFault | null {
  const isSame =
    read.id === notified.id &&
    read.amount === notified.amount &&
    read.currency === notified.currency &&
    [...signed, 'signature'].every((name) => read.metadata[name] === notified.metadata[name])
  if (!isSame) return 'otherPayment'
  return read.status === 'succeeded' ? null : 'notSucceeded'
}

function readMetadata(value: unknown): Metadata {
  const entries = Object.entries(membersOf(value)).flatMap(([name, member]) =>
    typeof member === 'string' || typeof member === 'number' ? [[name, String(member)] as const] : [],
  )
  return Object.fromEntries(entries)
}
