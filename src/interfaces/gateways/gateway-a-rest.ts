import {
  currency,
  type GatewayPayment,
  noticeOf,
  readBackFault,
  readNotification,
} from '../../billing/payments/gateway-a-rest.ts'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ProblemReason } from '../../billing/payments/problems.ts'
import { shownJson } from '../../billing/payments/shown-notice.ts'
import type { Reply } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import { answering, keepProblem, type NoticeCall, type WebhookParts } from './notice-problems.ts'

const taken = text('OK\n')
const again = () => text('Not now; send it again.\n', 503, [['Retry-After', '5']])

/** A notification of gateway A, REST v3: 403 for a wrong signature, 503 for what must be sent again, otherwise 200. */
export function takeRest(parts: WebhookParts, call: NoticeCall): Promise<Reply> {
  return answering(parts, 'gwa', () => answer(parts, call), again)
}

async function answer(parts: WebhookParts, call: NoticeCall): Promise<Reply> {
  const read = readNotification(call.body)
  if (read.kind === 'malformed') return text(`${read.detail}\n`, 400)
  if (read.kind === 'ignored') return taken
  const { payment } = read
  const keep = (reason: ProblemReason, detail: string, notice: PaymentNotice | null = null) =>
    keepProblem(parts, call, { gateway: 'gwa', protocol: 'rest', reason, detail, notice, shown: shownJson(call.body) })

  const signedBy = await parts.crediting.signedBy(payment.metadata)
  if (signedBy === null) {
    await keep('badSignature', 'The signature of the metadata is wrong.')
    return text('The signature is wrong.\n', 403)
  }
  const notice = noticeOf(payment)
  if (!notice) {
    await keep('malformed', 'The metadata cannot be read.')
    return taken
  }
  const shopId = parts.settings.get('LK_GWA_SHOP_ID')
  if (payment.shopId !== null && payment.shopId !== shopId) {
    await keep('wrongShop', `The payment is of shop ${payment.shopId}.`, notice)
    return taken
  }
  if (payment.currency !== currency) {
    await keep('wrongAmount', `The payment is in ${payment.currency}.`, notice)
    return taken
  }
  const judged = await parts.crediting.judge(notice)
  if (judged.kind === 'refused') {
    await keep(judged.reason, judged.detail, notice)
    return taken
  }
  if (judged.kind === 'repeated') {
    parts.observe('gwa', 'repeated')
    return taken
  }
  if (parts.settings.get('LK_GWA_VERIFY_BY_API') || signedBy === 'formerKey') {
    const fault = await readBack(parts, payment)
    if (fault) {
      if (fault.reason !== null) await keep(fault.reason, fault.detail, notice)
      else {
        parts.observe('gwa', 'unavailable')
        parts.log.warn('a payment cannot be read back now', { payment: payment.id, detail: fault.detail })
      }
      return fault.reason === 'wrongAmount' ? taken : again()
    }
  }
  const credited = await parts.crediting.credit(notice, call.address, judged)
  if (credited.kind === 'refused') await keep(credited.reason, credited.detail, notice)
  else parts.observe('gwa', credited.kind)
  return taken
}

type Fault = { readonly reason: ProblemReason | null; readonly detail: string }

/** Null: the gateway itself says the same. A reason is for the operator; without one the gateway could not be asked. */
async function readBack(parts: WebhookParts, told: GatewayPayment): Promise<Fault | null> {
  const read = await parts.gatewayA.read(told.id)
  if (read.kind === 'unavailable') return { reason: null, detail: read.detail }
  if (read.kind === 'missing') return { reason: 'notConfirmed', detail: 'The gateway knows no such payment.' }
  switch (readBackFault(told, read.payment)) {
    case 'otherPayment':
      return { reason: 'wrongAmount', detail: 'The gateway shows another amount or other metadata.' }
    case 'notSucceeded':
      return { reason: 'notConfirmed', detail: `The gateway says that the payment is ${read.payment.status}.` }
    case null:
      return null
  }
}
