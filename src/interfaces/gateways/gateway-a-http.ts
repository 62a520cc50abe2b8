import type { FormBytes } from '../../billing/payments/form-bytes.ts'
import {
  type Action,
  type AnswerCode,
  answerXml,
  isSignedWith,
  noticeOf,
} from '../../billing/payments/gateway-a-http.ts'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ProblemReason } from '../../billing/payments/problems.ts'
import { shownForm } from '../../billing/payments/shown-notice.ts'
import type { Reply } from '../../platform/http/call.ts'
import { answering, keepProblem, type NoticeCall, type WebhookParts } from './notice-problems.ts'

/** checkOrder and paymentAviso of gateway A: always HTTP 200, the code says the rest. */
export function takeHttp(parts: WebhookParts, call: NoticeCall, form: FormBytes): Promise<Reply> {
  return answering(
    parts,
    'gwa',
    () => answer(parts, call, form),
    () => xml(parts, form, 100),
  )
}

async function answer(parts: WebhookParts, call: NoticeCall, form: FormBytes): Promise<Reply> {
  const { settings, crediting } = parts
  const keep = (reason: ProblemReason, detail: string, notice: PaymentNotice | null = null) =>
    keepProblem(parts, call, { gateway: 'gwa', protocol: 'http', reason, detail, notice, shown: shownForm(form) })

  if (!isSignedWith(form, settings.get('LK_GWA_SECRET_KEY'))) {
    await keep('badSignature', 'The md5 is wrong.')
    return xml(parts, form, 1)
  }
  const notice = noticeOf(form)
  if (form.text('shopId') !== settings.get('LK_GWA_SHOP_ID')) {
    await keep('wrongShop', `The payment is of shop ${form.text('shopId').slice(0, 50)}.`, notice)
    return xml(parts, form, 100)
  }
  if (!notice) {
    await keep('malformed', 'The invoice, the customer, the order number or the sum cannot be read.')
    return xml(parts, form, 100)
  }
  if (actionOf(form) === 'checkOrder') {
    const judged = await crediting.judge(notice)
    // Nobody should pay for who has left; what was paid all the same is credited.
    const isFine = judged.kind === 'repeated' || (judged.kind === 'open' && !judged.client.deleted)
    if (judged.kind === 'refused') await keep(judged.reason, judged.detail, notice)
    return xml(parts, form, isFine ? 0 : 100)
  }
  const credited = await crediting.credit(notice, call.address)
  if (credited.kind !== 'refused') {
    parts.observe('gwa', credited.kind)
    return xml(parts, form, 0, credited.paidAt)
  }
  await keep(credited.reason, credited.detail, notice)
  // The operator sees what was paid twice; the gateway would only repeat it.
  return xml(parts, form, credited.reason === 'doubled' ? 0 : 100)
}

const actionOf = (form: FormBytes): Action => (form.text('action') === 'checkOrder' ? 'checkOrder' : 'paymentAviso')

const xml = (
  { settings, clock }: WebhookParts,
  form: FormBytes,
  code: AnswerCode,
  performedAt = clock.now(),
): Reply => ({
  status: 200,
  contentType: 'application/xml; charset=utf-8',
  body: answerXml({
    action: actionOf(form),
    code,
    performedAt,
    timeZone: settings.get('TIME_ZONE'),
    invoiceId: form.text('invoiceId'),
    shopId: settings.get('LK_GWA_SHOP_ID'),
  }),
})
