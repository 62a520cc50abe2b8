import type { PoolClient } from 'pg'
import Type from 'typebox'
import type { Payments } from '../../../billing/payments/payments.ts'
import { type Refunds, refundDeeds } from '../../../billing/payments/refunds.ts'
import { readId } from '../../../domain/ids.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, someText } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { isAbsent, isRefused, readBody, readSent, refused } from '../body.ts'
import { answers, post } from '../doors.ts'

type Parts = TransactionScope & { readonly payments: Pick<Payments, 'refunds'> }

/** What is done about a refund that the gateway has refused. */
export const refundRoutes = (parts: Parts): Route[] => [
  post('/admin/payments/refunds/:id', settleDoc, (call) => settle(parts, call), {
    right: recordRights.paymentProblem.change,
  }),
]

async function settle(parts: Parts, call: Call): Promise<Reply> {
  const { refunds } = parts.payments
  const reply = await writing(parts, (client) => settleIn(client, refunds, call))
  refunds.queue.wake()
  return reply
}

async function settleIn(client: PoolClient, refunds: Refunds, call: Call): Promise<Reply> {
  const id = readId(call.params.id)
  const state = id === null ? null : await refunds.lock(client, id, visibleTo(call))
  if (id === null || state === null) return notFoundReply()
  const body = readBody(call)
  if (isRefused(body)) return body.refused
  const read = readSent(settleDoc.body.properties, body.fields, { isLeftOut: isAbsent })
  if (isRefused(read)) return read.refused
  if (state !== 'failed') return refused(409, 'refund_not_failed', `The refund is ${state}.`)
  const { deed, comment = null } = read.values
  await refunds.settle(client, id, { deed, comment, author: authorOf(call) })
  return json({ ok: true, state: deed === 'again' ? 'asked' : 'by_hand' })
}

const settleDoc = {
  tag: 'Payments',
  summary: 'Ask the gateway anew for a refund that failed, or say that the money was returned in its office',
  description:
    'Refunds are begun by settling a payment that was not credited (`refund`) and by the reversal of a payment (finops_reverse, `refund`).',
  params: { id: { doc: 'The refund' } },
  body: Type.Object({
    deed: choice(refundDeeds),
    comment: Type.Optional(someText(1_000)),
  }),
  answers: answers(
    'It is asked for anew, or closed',
    { state: Type.Enum(['asked', 'by_hand']) },
    { 400: 'A field is wrong', 404: 'There is no such refund', 409: 'It has not failed (`refund_not_failed`)' },
  ),
} satisfies RouteDoc
