import Type from 'typebox'
import type { StartedPayment } from '../../billing/payments/start.ts'
import { parseRubles, zero } from '../../domain/money.ts'
import type { Reply, Route } from '../../platform/http/call.ts'
import { choice, someText } from '../../platform/http/fields.ts'
import { json } from '../../platform/http/reply.ts'
import { mapOf, schemas } from '../../platform/http/schemas.ts'
import { readBody } from './body.ts'
import { refusalAnswer, tags } from './docs.ts'
import { type MobileDoors, onceDoc } from './door.ts'
import type { MobileParts, PhoneCall } from './parts.ts'
import { refused } from './refusal.ts'
import type { Repeats } from './repeats.ts'

/** Starts online payments (specification 4.4). */
export const payRoutes = (parts: MobileParts, doors: MobileDoors): Route[] => [
  doors.signedIn('POST', '/finance/pay', onceDoc(doc), (phone) => pay(parts, doors.repeats, phone)),
]

async function pay({ payments }: MobileParts, repeats: Repeats, phone: PhoneCall): Promise<Reply> {
  // The amount has a refusal of its own.
  const read = readBody(phone, doc.body, ['system', 'return_url'])
  if ('refusal' in read) return read.refusal
  const { system = null, return_url: returnUrl = null } = read.body
  const amount = parseRubles(read.sent.amount)
  if (amount === null || amount <= zero) return refused(phone, 400, 'bad_amount')
  return repeats.once(phone, read.sent, async () =>
    answer(phone, await payments.startPayment(phone.client.subscriberId, amount, system, returnUrl)),
  )
}

function answer(phone: PhoneCall, started: StartedPayment): Reply {
  switch (started.kind) {
    case 'redirect':
      return json({ status: 'ok', redirect_url: started.url })
    case 'formPost': {
      const { action, fields } = started
      // Older applications read action and fields from the top level and only check that form_post is there.
      return json({ status: 'ok', form_post: { action, fields }, action, fields })
    }
    case 'refused':
      return started.reason === 'amountWrong' ? refused(phone, 400, 'bad_amount') : refused(phone, 404, 'not_found')
    case 'unavailable':
      return refused(phone, 503, 'payment_unavailable')
  }
}

const form = {
  action: Type.String({ description: 'Where the form is posted' }),
  fields: mapOf(schemas.text),
}

const doc = {
  tag: tags.money,
  summary: 'Begin an online payment',
  description:
    'The client opens redirect_url, or posts the fields of form_post to its action. The commission comes on top.',
  body: Type.Object({
    amount: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'Rubles to be credited, at most two places',
    }),
    system: Type.Optional(Type.With(choice(['gwa', 'gwb']), { description: 'Left out: the gateway in use' })),
    return_url: Type.Optional(
      Type.With(someText(1000), {
        description: 'Where the client goes afterwards: https, or a scheme of LK_MOBILE_SCHEMES',
      }),
    ),
  }),
  answers: {
    200: {
      doc: 'How to pay',
      schema: Type.Union([
        Type.Object({ status: Type.Literal('ok'), redirect_url: schemas.text }),
        Type.Object({ status: Type.Literal('ok'), form_post: Type.Object(form), ...form }),
      ]),
    },
    400: refusalAnswer('bad_amount, bad_request'),
    404: refusalAnswer('not_found'),
    503: refusalAnswer('payment_unavailable, or unavailable: ask again shortly'),
  },
}
