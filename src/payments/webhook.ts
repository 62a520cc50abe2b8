import type { Reply } from '../http/call.ts'
import { mediaTypeOf } from '../http/form.ts'
import { text } from '../http/reply.ts'
import { readFormBytes } from './form-bytes.ts'
import { isAction } from './gateway-a-http.ts'
import { takeForm } from './webhook-gateway-b.ts'
import { takeHttp } from './webhook-http.ts'
import type { NoticeCall, WebhookParts } from './webhook-parts.ts'
import { takeRest } from './webhook-rest.ts'

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
