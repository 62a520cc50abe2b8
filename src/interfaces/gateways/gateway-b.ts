import type { FormBytes } from '../../billing/payments/form-bytes.ts'
import {
  isAccepted,
  isSignedWith,
  noticeOf,
  okAnswer,
  repeatedField,
  retryAnswer,
} from '../../billing/payments/gateway-b.ts'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ProblemReason } from '../../billing/payments/problems.ts'
import { shownForm } from '../../billing/payments/shown-notice.ts'
import type { Reply } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import { answering, keepProblem, type NoticeCall, type WebhookParts } from './notice-problems.ts'

const taken = text(okAnswer)
const again = (words: string) => text(retryAnswer(words))

/** An order notice of gateway B: HTTP 200 with OK, or RETRY and why. */
export function takeForm(parts: WebhookParts, call: NoticeCall, form: FormBytes): Promise<Reply> {
  return answering(
    parts,
    'gwb',
    () => answer(parts, call, form),
    () => again('Temporarily unavailable'),
  )
}

async function answer(parts: WebhookParts, call: NoticeCall, form: FormBytes): Promise<Reply> {
  const { settings, crediting } = parts
  const retry = async (reason: ProblemReason, detail: string, notice: PaymentNotice | null = null) => {
    await keepProblem(parts, call, {
      gateway: 'gwb',
      protocol: 'form',
      reason,
      detail,
      notice,
      shown: shownForm(form),
    })
    return again(detail)
  }
  const repeated = repeatedField(form)
  if (repeated !== null) return retry('malformed', `${repeated.slice(0, 50)} was sent twice.`)
  if (!isSignedWith(form, settings.get('LK_GWB_SECRET_KEY'))) return retry('badSignature', 'The signature is wrong.')
  const notice = noticeOf(form)
  if (form.text('WMI_MERCHANT_ID') !== settings.get('LK_GWB_MERCHANT_ID'))
    return retry('wrongShop', 'The payment is of another merchant.', notice)
  if (!isAccepted(form)) return taken
  if (!notice) return retry('unknownOrder', 'The order number or the amount cannot be read.')
  const currencyId = form.text('WMI_CURRENCY_ID')
  if (currencyId !== '' && currencyId !== settings.get('LK_GWB_CURRENCY'))
    return retry('wrongAmount', 'The payment is in another currency.', notice)
  const credited = await crediting.credit(notice, call.address)
  if (credited.kind !== 'refused') {
    parts.observe('gwb', credited.kind)
    return taken
  }
  const reply = await retry(credited.reason, credited.detail, notice)
  // The operator sees what was paid twice; the gateway would only repeat it.
  return credited.reason === 'doubled' ? taken : reply
}
