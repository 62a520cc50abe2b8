import Type from 'typebox'
import { refundStates } from '../../../billing/payments/shown-refund.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { refused } from '../body.ts'

/** A refund as the endpoints tell it. */
export const refundSchema = Type.Object({
  id: schemas.integer,
  state: Type.Enum(refundStates, {
    description:
      'asked: to be sent, or sent without an answer; sent: the gateway is at work on it; done: the payer has the money; failed: the gateway has refused it; by_hand: returned in the office of the gateway after that',
  }),
  amount: schemas.rubles,
  paid: Type.With(schemas.rubles, { description: 'All that was paid, with the commission' }),
  refund_id: Type.With(nullable(schemas.text), { description: 'Given by the gateway' }),
  error: Type.With(nullable(schemas.text), { description: 'What went wrong last' }),
  comment: nullable(schemas.text),
  asked_by: schemas.text,
  created_at: schemas.moment,
  done_at: nullable(schemas.moment),
})

export const refundUnavailable = (): Reply =>
  refused(409, 'refund_unavailable', 'This gateway returns no money by program; it is returned in its office.')
