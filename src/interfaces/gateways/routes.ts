import Type from 'typebox'
import type { Payments } from '../../billing/payments/payments.ts'
import type { Route } from '../../platform/http/call.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { schemas } from '../../platform/http/schemas.ts'

/** The one address that payment gateways call (specification 4.4). Who they are, their signatures say. */
export const webhookRoutes = (payments: Pick<Payments, 'takeNotice'>): Route[] => [
  {
    method: 'POST',
    path: '/lk/payments/webhook',
    door: 'public',
    doc: webhookDoc,
    handler: (call) => payments.takeNotice(call),
  },
]

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
    403: { doc: 'REST v3: the signature of the metadata is wrong' },
    503: { doc: 'REST v3: to be sent again' },
  },
}
