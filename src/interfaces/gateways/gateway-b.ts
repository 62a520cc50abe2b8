import { isAscii } from 'node:buffer'
import { acceptedState, type Field, signatureOf } from '../../billing/payments/gateway-b.ts'
import type { PaymentSettings } from '../../billing/payments/gateways.ts'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ReadNotice, TakenNotice } from '../../billing/payments/notices.ts'
import { parseId, subscriberId } from '../../domain/ids.ts'
import { parseRubles } from '../../domain/money.ts'
import type { Reply } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import { isSameText } from '../../platform/same-text.ts'
import { asWindows1251, type FormBytes } from './form-bytes.ts'
import { type NoticeCall, refused, type WebhookParts } from './parts.ts'
import { shownForm } from './shown-notice.ts'

/**
 * Answers an order notice of gateway B (specification 4.4): always status 200, with OK or with RETRY and the reason.
 */
export async function takeForm(
  { payments, settings }: WebhookParts,
  call: NoticeCall,
  form: FormBytes,
): Promise<Reply> {
  const origin = {
    gateway: 'gwb',
    protocol: 'form',
    address: call.address,
    span: call.span ?? null,
    shown: () => shownForm(form),
  } as const
  return text(answerTo(await payments.takeNotice(origin, () => readNotice(form, settings))))
}

function readNotice(form: FormBytes, settings: PaymentSettings): ReadNotice {
  const repeated = repeatedField(form)
  if (repeated !== null) return refused('malformed', `${repeated.slice(0, 50)} was sent twice.`)
  if (!isSignedWith(form, settings.get('LK_GWB_SECRET_KEY'))) return refused('badSignature', 'The signature is wrong.')
  const notice = noticeOf(form)
  if (form.text('WMI_MERCHANT_ID') !== settings.get('LK_GWB_MERCHANT_ID'))
    return refused('wrongShop', 'The payment is of another merchant.', notice)
  if (!isAccepted(form)) return { kind: 'ignored' }
  if (!notice) return refused('unknownOrder', 'The order number or the amount cannot be read.')
  const currencyId = form.text('WMI_CURRENCY_ID')
  if (currencyId !== '' && currencyId !== settings.get('LK_GWB_CURRENCY'))
    return refused('wrongAmount', 'The payment is in another currency.', notice)
  return { kind: 'paid', notice, readBack: null }
}

/** The only state in which the money has been received. */
export const isAccepted = (form: FormBytes): boolean => form.text('WMI_ORDER_STATE').toLowerCase() === acceptedState

function answerTo(taken: TakenNotice): string {
  if (taken.kind === 'unavailable') return retryAnswer('Temporarily unavailable')
  // A double payment is shown to the operator as a problem. Refusing it would only make the gateway repeat the notice.
  return taken.kind === 'refused' && taken.reason !== 'doubled' ? retryAnswer(taken.detail) : okAnswer
}

/**
 * Checks the signature in each form that occurs in practice. The vendor signs every field it posts, the specification
 * only those that begin with WMI_. The signed bytes are those that were sent or, when they arrive as UTF-8, the
 * windows-1251 they were converted from. While no secret key is configured, no form counts as signed.
 */
export function isSignedWith(form: FormBytes, secretKey: string): boolean {
  if (secretKey === '') return false
  const sent = form.text('WMI_SIGNATURE')
  const all = form.fields.filter(({ name }) => name !== 'WMI_SIGNATURE')
  const specified = all.filter(({ name }) => name.startsWith('WMI_'))
  const plain = specified.length === all.length ? [all] : [all, specified]
  const candidates = all.every(({ value }) => isAscii(value)) ? plain : [...plain, ...plain.map(inWindows1251)]
  // Every candidate is tried even after a match, so that the response time does not reveal which one matched.
  return candidates.map((fields) => isSameText(sent, signatureOf(fields, secretKey))).includes(true)
}

const inWindows1251 = (fields: readonly Field[]): Field[] =>
  fields.map(({ name, value }) => ({ name, value: asWindows1251(value) ?? value }))

/** Fields that a form may carry several times, because they are lists of payment types. */
const lists = new Set(['WMI_PTENABLED', 'WMI_PTDISABLED', 'WMI_PTENABLED[]', 'WMI_PTDISABLED[]'])

/**
 * The name of the first scalar WMI_ field that was sent twice, which makes the form ambiguous; null when there is none.
 */
export function repeatedField(form: FormBytes): string | null {
  const seen = new Set<string>()
  for (const { name } of form.fields) {
    if (!name.startsWith('WMI_') || lists.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}

/**
 * The notice in a form, whose payment number has the form `<abonent_id>-<order id>`. Returns null when the number is
 * not one of ours or the amount cannot be read.
 */
export function noticeOf(form: FormBytes): PaymentNotice | null {
  const number = form.text('WMI_PAYMENT_NO')
  const [subscriber = '', order = '', more] = number.split('-')
  const [subscriberNumber, orderId] = [parseId(subscriber), parseId(order)]
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

/** Makes the gateway send the notice again later; it shows the text to the shop. */
export const retryAnswer = (text: string): string => `WMI_RESULT=RETRY&WMI_DESCRIPTION=${encodeURIComponent(text)}`
