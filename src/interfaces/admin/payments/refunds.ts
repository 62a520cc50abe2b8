import type { PoolClient } from 'pg'
import Type from 'typebox'
import type { Payments } from '../../../billing/payments/payments.ts'
import { type Refunds, refundDeeds } from '../../../billing/payments/refunds.ts'
import { refundSql, refundStates } from '../../../billing/payments/shown-refund.ts'
import { readId } from '../../../domain/ids.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, someText } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { strictlyVisibleSql } from '../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { isAbsent, isRefused, readSentBody, refused } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { ListFilters } from '../list-filters.ts'
import { shapeOf } from '../shapes.ts'
import { type SortedList, sortedAnswers, sortedPage, sortedParameters } from '../sorted-lists.ts'
import { refundSchema } from './refund-shape.ts'

type Parts = TransactionScope & { readonly payments: Pick<Payments, 'refunds'> }

/** Refunds by a gateway, and what is done about one that it has refused. */
export const refundRoutes = (parts: Parts): Route[] => [
  get('/admin/payments/refunds', listDoc, (call) => list(parts, call), { right: recordRights.paymentProblem.read }),
  post('/admin/payments/refunds/:id', settleDoc, (call) => settle(parts, call), {
    right: recordRights.paymentProblem.change,
  }),
]

async function list(parts: Parts, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(listDoc.query)
  if ('refused' in read) return read.refused
  const { state, sort = '-id', limit, cursor } = read.values
  if (state !== undefined) filters.where(`refund.state = ${filters.place(state)}`)
  const visible = visibleTo(call)
  if (visible !== null) filters.where(strictlyVisibleSql('refund.organization_id', filters.place(visible)))
  return reading(parts, async (client) =>
    json({ ok: true, ...(await sortedPage(client, refundList, filters, { sort, limit, cursor })) }),
  )
}

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
  const read = readSentBody(call, settleDoc.body.properties, { isLeftOut: isAbsent })
  if (isRefused(read)) return read.refused
  if (state !== 'failed') return refused(409, 'refund_not_failed', `The refund is ${state}.`)
  const { deed, comment = null } = read.values
  await refunds.settle(client, id, { deed, comment, author: authorOf(call) })
  return json({ ok: true, state: deed === 'again' ? 'asked' : 'by_hand' })
}

const [listedSchema, listedSql] = shapeOf('refund', {
  id: schemas.integer,
  refund: [refundSchema, refundSql],
  subscriber_id: nullable(schemas.integer),
  subscriber_name: [nullable(schemas.text), '(SELECT name FROM abonents WHERE id = refund.subscriber_id)'],
  payment_id: Type.With(schemas.text, { description: 'Of the payment at the gateway' }),
  problem_id: Type.With(nullable(schemas.integer), { description: 'The payment that was not credited' }),
  operation_id: Type.With(nullable(schemas.integer), { description: 'The operation that had credited it' }),
  reversal_id: Type.With(nullable(schemas.integer), { description: 'The operation that took it back' }),
})

const sorts = { id: ['refund.id', 'int8'], amount: ['refund.amount', 'int8'] } as const

const refundList: SortedList = { table: 'payment_refunds', row: 'refund', item: () => listedSql, sorts }

const listDoc = {
  tag: 'Payments',
  summary: 'Refunds by a gateway, the newest first, and how far each is',
  query: { state: { doc: 'In one state', schema: choice(refundStates) }, ...sortedParameters(['id', 'amount']) },
  answers: sortedAnswers(listedSchema),
} satisfies RouteDoc

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
