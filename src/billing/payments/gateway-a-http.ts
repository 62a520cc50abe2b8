import { createHash } from 'node:crypto'
import { readId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money, parseRubles } from '../../domain/money.ts'
import { escapeHtml } from '../../platform/http/reply.ts'
import type { FormBytes } from './form-bytes.ts'
import type { PaymentNotice } from './notice.ts'
import { isSameText } from './same-text.ts'

/** Gateway A, HTTP protocol (specification 4.4): the browser posts a form, the gateway asks and tells by form, we answer in XML. */

export const actions = ['checkOrder', 'paymentAviso'] as const
export type Action = (typeof actions)[number]

export const isAction = (name: string): name is Action => actions.some((action) => action === name)

export type FormOrder = {
  readonly shopId: string
  readonly scid: string
  readonly payable: Money
  readonly subscriberId: SubscriberId
  readonly orderId: number
  readonly successUrl: string
  readonly failUrl: string
  readonly email: string
  readonly phone: string
  /** ym_merchant_receipt; null: none is sent. */
  readonly receipt: string | null
}

/** What the client's browser posts to {gwa_form_url}. An empty paymentType lets the client choose. */
export const formFields = (order: FormOrder): Readonly<Record<string, string>> => ({
  shopId: order.shopId,
  scid: order.scid,
  sum: formatRubles(order.payable),
  customerNumber: String(order.subscriberId),
  orderNumber: String(order.orderId),
  shopSuccessURL: order.successUrl,
  shopFailURL: order.failUrl,
  cps_email: order.email,
  cps_phone: order.phone,
  paymentType: '',
  ...(order.receipt !== null && { ym_merchant_receipt: order.receipt }),
})

const signed = [
  'action',
  'orderSumAmount',
  'orderSumCurrencyPaycash',
  'orderSumBankPaycash',
  'shopId',
  'invoiceId',
  'customerNumber',
] as const

/** Uppercase MD5 of the signed values and the shop's password, joined with `;`. */
export function signatureOf(form: FormBytes, shopPassword: string): string {
  const hash = createHash('md5')
  for (const name of signed) hash.update(form.bytes(name)).update(';')
  return hash.update(shopPassword).digest('hex').toUpperCase()
}

/** Without a password nothing is the gateway's. */
export const isSignedWith = (form: FormBytes, shopPassword: string): boolean =>
  shopPassword !== '' && isSameText(form.text('md5').toUpperCase(), signatureOf(form, shopPassword))

/** A callback without an order number speaks of its client only. Null: an id or the sum cannot be read. */
export function noticeOf(form: FormBytes): PaymentNotice | null {
  const invoice = form.text('invoiceId')
  const customer = readId(form.text('customerNumber'))
  const paid = parseRubles(form.text('orderSumAmount'))
  const number = form.text('orderNumber')
  const orderId = number === '' ? null : readId(number)
  if (!invoiceForm.test(invoice) || customer === null || paid === null || paid <= 0n) return null
  if (number !== '' && orderId === null) return null
  return {
    gateway: 'gwa',
    protocol: 'http',
    gatewayId: invoice,
    orderId,
    subscriberId: subscriberId(customer),
    paid,
    credit: null,
    result: form.text('action'),
  }
}

const invoiceForm = /^\d{1,20}$/

/** 0: go on; 1: the md5 is wrong; 100: not credited, the gateway asks again or gives up. */
export type AnswerCode = 0 | 1 | 100

export type XmlAnswer = {
  readonly action: Action
  readonly code: AnswerCode
  readonly performedAt: Date
  readonly timeZone: string
  /** As sent; what is no number is not sent back. */
  readonly invoiceId: string
  readonly shopId: string
}

export function answerXml({ action, code, performedAt, timeZone, invoiceId, shopId }: XmlAnswer): string {
  const invoice = invoiceForm.test(invoiceId) ? invoiceId : ''
  const moment = momentIn(performedAt, timeZone)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response performedDatetime="${moment}" code="${code}" invoiceId="${invoice}" shopId="${escapeHtml(shopId)}"/>\n`
}

/** `2011-05-04T20:38:01.000+04:00` */
export function momentIn(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '00', minutes = '00'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const shift = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  return `${new Date(at.getTime() + shift).toISOString().slice(0, -1)}${sign}${hours}:${minutes}`
}
