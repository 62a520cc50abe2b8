import Type from 'typebox'
import { mediaTypeOf } from '../../platform/http/form.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { text } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'
import { readFormBytes } from './form-bytes.ts'
import { isAction, takeHttp } from './gateway-a-http.ts'
import { takeRest } from './gateway-a-rest.ts'
import { takeForm } from './gateway-b.ts'
import type { NoticeCall, WebhookParts } from './parts.ts'

/** No gateway sends so much. Notices come from strangers, and their texts are decoded and hashed several times. */
const noticeBytesMax = 65_536

/** The one address that all payment gateways call (specification 4.4). They are authenticated by their signatures. */
export const webhookRoutes = (parts: WebhookParts): Route[] => [
  {
    method: 'POST',
    path: '/lk/payments/webhook',
    door: 'public',
    doc: webhookDoc,
    handler: (call) => answerNotice(parts, call),
  },
]

/**
 * Recognizes the gateway in the order that specification 4.4 gives. A JSON body is never searched for form fields,
 * because its texts come from the client and may contain anything.
 */
export function answerNotice(parts: WebhookParts, call: NoticeCall): Promise<Reply> | Reply {
  if (call.body.length > noticeBytesMax) return text('This is too large for a notice of a payment gateway.\n', 413)
  const isJson = mediaTypeOf(call) === 'application/json'
  const form = isJson ? null : readFormBytes(call.body)
  if (form?.has('WMI_MERCHANT_ID')) return takeForm(parts, call, form)
  if (form && isAction(form.text('action'))) return takeHttp(parts, call, form)
  if (isJson) return takeRest(parts, call)
  return text('This is no notice of a payment gateway.\n', 400)
}

const webhookDoc: RouteDoc = {
  tag: 'Payments',
  summary: 'A notice of a payment gateway',
  description:
    'Told apart by its fields: WMI_MERCHANT_ID is gateway B, action checkOrder or paymentAviso is the HTTP protocol of gateway A, JSON is its ' +
    'REST v3. The answer is in the words of each protocol; a repeated notice has the answer of the first.',
  body: Type.Partial(Type.Object({ event: schemas.text, object: schemas.object }), {
    description: 'The notification of REST v3; the others post forms.',
  }),
  isFormToo: true,
  answers: {
    200: { doc: 'Taken, or refused in the words of the protocol (code 1 or 100, WMI_RESULT=RETRY)' },
    400: { doc: 'No notice of any gateway' },
    413: { doc: 'Larger than 64 KiB' },
    403: { doc: 'REST v3: the signature of the metadata is wrong' },
    503: { doc: 'REST v3: to be sent again' },
  },
}
