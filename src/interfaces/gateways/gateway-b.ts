import { isAscii } from 'node:buffer'
import { acceptedState, type Field, signatureOf } from '../../billing/payments/gateway-b.ts'
import type { PaymentSettings } from '../../billing/payments/gateways.ts'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ReadNotice, TakenNotice } from '../../billing/payments/notices.ts'
import type { ProblemReason } from '../../billing/payments/problems.ts'
import { parseId, subscriberId } from '../../domain/ids.ts'
import { parseRubles } from '../../domain/money.ts'
import type { Reply } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import { isSameText } from '../../platform/same-text.ts'
import { asWindows1251, type FormBytes } from './form-bytes.ts'
import type { NoticeCall, WebhookParts } from './parts.ts'
import { shownForm } from './shown-notice.ts'

/** An order notice of gateway B (specification 4.4): always HTTP 200, with OK, or RETRY and why. */
export async function takeForm(
  { payments, settings }: WebhookParts,
  call: NoticeCall,
  form: FormBytes,
): Promise<Reply> {
  const origin = { gateway: 'gwb', protocol: 'form', address: call.address, shown: shownForm(form) } as const
  return text(answerTo(await payments.takeNotice(origin, () => readNotice(form, settings))))
}

function readNotice(form: FormBytes, settings: PaymentSettings): ReadNotice {
  const refused = (reason: ProblemReason, detail: string, notice: PaymentNotice | null = null): ReadNotice => ({
    kind: 'refused',
    reason,
    detail,
    notice,
  })
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

/** Money has come only in this state. */
export const isAccepted = (form: FormBytes): boolean => form.text('WMI_ORDER_STATE').toLowerCase() === acceptedState

function answerTo(taken: TakenNotice): string {
  if (taken.kind === 'unavailable') return retryAnswer('Temporarily unavailable')
  // The operator sees what was paid twice; the gateway would only repeat it.
  return taken.kind === 'refused' && taken.reason !== 'doubled' ? retryAnswer(taken.detail) : okAnswer
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

/** `<abonent_id>-<order id>`; null for a number that is not of ours, or a sum that cannot be read. */
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

/** The gateway asks again, and shows the text to the shop. */
export const retryAnswer = (text: string): string => `WMI_RESULT=RETRY&WMI_DESCRIPTION=${encodeURIComponent(text)}`
