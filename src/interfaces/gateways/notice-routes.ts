import { readFormBytes } from '../../billing/payments/form-bytes.ts'
import { isAction } from '../../billing/payments/gateway-a-http.ts'
import { mediaTypeOf } from '../../platform/formats/form.ts'
import type { Reply } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import { takeHttp } from './gateway-a-http.ts'
import { takeRest } from './gateway-a-rest.ts'
import { takeForm } from './gateway-b.ts'
import type { NoticeCall, WebhookParts } from './notice-problems.ts'

/**
 * The one address for all gateways, told apart in the order of specification 4.4. A JSON body is not looked into for form
 * fields: its texts are the client's, and may hold anything.
 */
export function takeNotice(parts: WebhookParts, call: NoticeCall): Promise<Reply> | Reply {
  const isJson = mediaTypeOf(call) === 'application/json'
  const form = isJson ? null : readFormBytes(call.body)
  if (form?.has('WMI_MERCHANT_ID')) return takeForm(parts, call, form)
  if (form && isAction(form.text('action'))) return takeHttp(parts, call, form)
  if (isJson) return takeRest(parts, call)
  return text('This is no notice of a payment gateway.\n', 400)
}
