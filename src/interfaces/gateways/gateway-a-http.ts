import { createHash } from 'node:crypto'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ReadNotice, TakenNotice } from '../../billing/payments/notices.ts'
import { parseId, subscriberId } from '../../domain/ids.ts'
import { parseRubles } from '../../domain/money.ts'
import { escapeXml } from '../../platform/formats/xml.ts'
import type { Reply } from '../../platform/http/call.ts'
import { isSameText } from '../../platform/same-text.ts'
import type { FormBytes } from './form-bytes.ts'
import { type NoticeCall, refused, type WebhookParts } from './parts.ts'
import { shownForm } from './shown-notice.ts'

/**
 * The HTTP protocol of gateway A (specification 4.4): the gateway posts forms and gets XML back, always with status
 * 200.
 */

const actions = ['checkOrder', 'paymentAviso'] as const
export type Action = (typeof actions)[number]

export const isAction = (name: string): name is Action => actions.some((action) => action === name)

/** Answers checkOrder, which asks whether a payment would be credited, and paymentAviso, which reports one. */
export async function takeHttp(
  { payments, settings, clock }: WebhookParts,
  call: NoticeCall,
  form: FormBytes,
): Promise<Reply> {
  const origin = {
    gateway: 'gwa',
    protocol: 'http',
    address: call.address,
    span: call.span ?? null,
    shown: () => shownForm(form),
  } as const
  const shopId = settings.get('LK_GWA_SHOP_ID')
  const taken = await payments.takeNotice(origin, () => readNotice(form, settings.get('LK_GWA_SECRET_KEY'), shopId))
  return {
    status: 200,
    contentType: 'application/xml; charset=utf-8',
    body: answerXml({
      action: actionOf(form),
      code: codeFor(taken, actionOf(form)),
      performedAt: 'paidAt' in taken ? taken.paidAt : clock.now(),
      timeZone: settings.get('TIME_ZONE'),
      invoiceId: form.text('invoiceId'),
      shopId,
    }),
  }
}

const actionOf = (form: FormBytes): Action => (form.text('action') === 'checkOrder' ? 'checkOrder' : 'paymentAviso')

function readNotice(form: FormBytes, shopPassword: string, shopId: string): ReadNotice {
  if (!isSignedWith(form, shopPassword)) return refused('badSignature', 'The md5 is wrong.')
  const notice = noticeOf(form)
  const sentShopId = form.text('shopId')
  if (sentShopId !== shopId) return refused('wrongShop', `The payment is of shop ${sentShopId.slice(0, 50)}.`, notice)
  if (!notice) return refused('malformed', 'The invoice, the customer, the order number or the sum cannot be read.')
  return actionOf(form) === 'checkOrder' ? { kind: 'question', notice } : { kind: 'paid', notice, readBack: null }
}

/** 0: accepted. 1: the md5 is wrong. 100: not credited; the gateway either retries or gives up. */
type AnswerCode = 0 | 1 | 100

function codeFor(taken: TakenNotice, action: Action): AnswerCode {
  switch (taken.kind) {
    case 'credited':
    case 'repeated':
      return 0
    case 'answered':
      return taken.isPayable ? 0 : 100
    case 'refused':
      if (taken.reason === 'badSignature') return 1
      // A double payment is shown to the operator as a problem. Refusing it would only make the gateway repeat the
      // notice.
      return taken.reason === 'doubled' && action === 'paymentAviso' ? 0 : 100
    default:
      return 100
  }
}

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

/** While no shop password is configured, no form counts as signed. */
export const isSignedWith = (form: FormBytes, shopPassword: string): boolean =>
  shopPassword !== '' && isSameText(form.text('md5').toUpperCase(), signatureOf(form, shopPassword))

/** A callback without an order number names only the client. Returns null when an id or the sum cannot be read. */
export function noticeOf(form: FormBytes): PaymentNotice | null {
  const invoice = form.text('invoiceId')
  const customer = parseId(form.text('customerNumber'))
  const paid = parseRubles(form.text('orderSumAmount'))
  const number = form.text('orderNumber')
  const orderId = number === '' ? null : parseId(number)
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

export type XmlAnswer = {
  readonly action: Action
  readonly code: AnswerCode
  readonly performedAt: Date
  readonly timeZone: string
  /** As sent by the gateway. It is echoed only if it is a number. */
  readonly invoiceId: string
  readonly shopId: string
}

export function answerXml({ action, code, performedAt, timeZone, invoiceId, shopId }: XmlAnswer): string {
  const invoice = invoiceForm.test(invoiceId) ? invoiceId : ''
  const moment = momentIn(performedAt, timeZone)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response performedDatetime="${moment}" code="${code}" invoiceId="${invoice}" shopId="${escapeXml(shopId)}"/>\n`
}

/** Formats a moment in a time zone, for example `2011-05-04T20:38:01.000+04:00`. */
export function momentIn(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '00', minutes = '00'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const shift = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  return `${new Date(at.getTime() + shift).toISOString().slice(0, -1)}${sign}${hours}:${minutes}`
}
