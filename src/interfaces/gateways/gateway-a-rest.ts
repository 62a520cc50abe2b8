import { currency, noticeOf, readNotification, type GatewayPayment } from '../../billing/payments/gateway-a-rest.ts'
import type { ReadNotice, TakenNotice } from '../../billing/payments/notices.ts'
import type { Reply } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import { type NoticeCall, refused, type WebhookParts } from './parts.ts'
import { shownJson } from './shown-notice.ts'

const ok = text('OK\n')
const sendAgain = text('Not now; send it again.\n', 503, [['Retry-After', '5']])

/** Answers a REST v3 notification of gateway A: 403 for a wrong signature, 503 to have it sent again, otherwise 200. */
export async function takeRest(parts: WebhookParts, call: NoticeCall): Promise<Reply> {
  const read = readNotification(call.body)
  if (read.kind === 'malformed') return text(`${read.detail}\n`, 400)
  if (read.kind === 'ignored') return ok
  const origin = {
    gateway: 'gwa',
    protocol: 'rest',
    address: call.address,
    span: call.span ?? null,
    shown: () => shownJson(call.body),
  } as const
  return answerTo(await parts.payments.takeNotice(origin, () => readPaid(parts, read.payment)))
}

async function readPaid({ payments, settings }: WebhookParts, payment: GatewayPayment): Promise<ReadNotice> {
  const signedBy = await payments.signedBy(payment.metadata)
  if (signedBy === null) return refused('badSignature', 'The signature of the metadata is wrong.')
  const notice = noticeOf(payment)
  if (!notice) return refused('malformed', 'The metadata cannot be read.')
  if (payment.shopId !== null && payment.shopId !== settings.get('LK_GWA_SHOP_ID'))
    return refused('wrongShop', `The payment is of shop ${payment.shopId}.`, notice)
  if (payment.currency !== currency) return refused('wrongAmount', `The payment is in ${payment.currency}.`, notice)
  const mustBeReadBack = settings.get('LK_GWA_VERIFY_BY_API') || signedBy === 'formerKey'
  return { kind: 'paid', notice, readBack: mustBeReadBack ? payment : null }
}

function answerTo(taken: TakenNotice): Reply {
  if (taken.kind === 'unavailable') return sendAgain
  if (taken.kind !== 'refused') return ok
  if (taken.reason === 'badSignature') return text('The signature is wrong.\n', 403)
  return taken.reason === 'notConfirmed' ? sendAgain : ok
}
