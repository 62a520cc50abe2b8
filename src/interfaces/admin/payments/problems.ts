import type { PoolClient } from 'pg'
import Type from 'typebox'
import type { Payments } from '../../../billing/payments/payments.ts'
import { problemReasons, settlements } from '../../../billing/payments/problem-reasons.ts'
import type { Settler, ShownProblem } from '../../../billing/payments/problems.ts'
import { readId, subscriberId } from '../../../domain/ids.ts'
import { formatRubles, type Money, parseRubles, zero } from '../../../domain/money.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import { readText } from '../../../domain/text.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, field, id as idField, rubles } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import {
  type Fields,
  readBody,
  readQuery,
  readSent,
  readSentBody,
  type Refused,
  refused,
  refusedBy,
  wrongField,
} from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { pageAnswers, pageParameters, pageReply, readPage } from '../paging.ts'
import { refundSchema, refundUnavailable } from './refund-shape.ts'

const path = '/admin/payments/problems'
const perPageUsual = 50
const commentMax = 1000
const rights = recordRights.paymentProblem

type Parts = TransactionScope & {
  readonly payments: Pick<Payments, 'problems' | 'creditUncredited' | 'withholdUncredited' | 'creditFor' | 'refunds'>
}

/**
 * Payments that were reported but not credited (contract section 5a), and what settles them: crediting to a
 * subscriber, giving back, or a note.
 */
export const paymentProblemRoutes = (parts: Parts): Route[] => [
  get(path, listDoc, (call) => list(parts, call), { right: rights.read }),
  get(`${path}/:id`, oneDoc, (call) => show(parts, call), { right: rights.read }),
  post(`${path}/:id`, resolveDoc, (call) => resolve(parts, call), { right: rights.change }),
  post(`${path}/:id/credit`, creditDoc, (call) => credit(parts, call), { right: rights.change }),
]

/** With what would be credited by the commission of now, and who would return the money. */
const shown = ({ payments }: Parts, problem: ShownProblem) => ({
  ...problem,
  given_back_by: problem.is_proven ? payments.refunds.byWhom(problem.protocol) : null,
  credit: problem.amount === null ? null : formatRubles(payments.creditFor(parseRubles(problem.amount)!)),
})

async function list(parts: Parts, call: Call): Promise<Reply> {
  const read = readQuery(listDoc.query, call.query, ['resolved'])
  if ('refused' in read) return read.refused
  const page = readPage(call.query, perPageUsual)
  if ('refused' in page) return page.refused
  const { perPage: limit, offset } = page
  const asked = { visible: visibleTo(call), resolved: read.values.resolved ?? null, limit, offset }
  const { items, total } = await reading(parts, (client) => parts.payments.problems.list(client, asked))
  return pageReply(
    items.map((one) => shown(parts, one)),
    total,
    page,
  )
}

async function show(parts: Parts, call: Call): Promise<Reply> {
  const problem = await find(parts, call)
  return problem ? json({ ok: true, problem: shown(parts, problem) }) : notFoundReply()
}

async function find({ payments, ...scope }: Parts, call: Call): Promise<ShownProblem | null> {
  const id = readId(call.params.id)
  return id === null ? null : reading(scope, (client) => payments.problems.find(client, id, visibleTo(call)))
}

async function resolve(parts: Parts, call: Call): Promise<Reply> {
  const problem = await find(parts, call)
  if (!problem) return notFoundReply()
  const read = readSentBody(call, resolveDoc.body.properties)
  if ('refused' in read) return read.refused
  const { comment = '', settlement = 'noted' } = read.values
  if (settlement === 'noted') return settle(parts, call, problem, { settlement, comment: comment || null })
  if (!problem.is_proven) return notProven()
  if (problem.resolved && problem.settlement !== 'given_back') return settledBefore()
  const isRefund = settlement === 'refund'
  if (problem.resolved && isRefund !== (problem.refund !== null)) return settledBefore()
  if (isRefund && !problem.resolved && parts.payments.refunds.byWhom(problem.protocol) === 'office')
    return refundUnavailable()
  return settle(parts, call, problem, { settlement: 'given_back', comment: comment || null, isRefund })
}

/** Money moves first: a repeat finds the operation by its key and only writes down what it has settled. */
async function credit(parts: Parts, call: Call): Promise<Reply> {
  const problem = await find(parts, call)
  if (!problem) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const asked = await readCredit(parts, call, problem, body.fields)
  if ('refused' in asked) return asked.refused
  const { abonent, amount, comment } = asked
  const done = await parts.payments.creditUncredited({
    problem: uncreditedOf(problem),
    subscriberId: subscriberId(abonent),
    amount,
    author: authorOf(call),
  })
  if (done.kind === 'refused') return refusedBy(done)
  if (done.kind === 'missing') return subscriberMissing()
  if (done.kind === 'before') return creditedBefore(done.operationId)
  return settle(parts, call, problem, { settlement: 'credited', operationId: done.operationId, comment })
}

type CreditAsked = { readonly abonent: number; readonly amount: Money; readonly comment: string | null }

async function readCredit(
  { payments: _, ...scope }: Parts,
  call: Call,
  problem: ShownProblem,
  fields: Fields,
): Promise<CreditAsked | Refused> {
  if (!problem.is_proven) return { refused: notProven() }
  if (problem.resolved && problem.settlement !== 'credited') return { refused: settledBefore() }
  const read = readSent(creditDoc.body.properties, fields)
  if ('refused' in read) return read
  const { abonent_id, amount, comment = '' } = read.values
  if (amount <= zero || amount > parseRubles(problem.amount!)!)
    return { refused: wrongField('amount', `be more than zero and at most the ${problem.amount} that were paid`) }
  const abonent = await reading(scope, (client) => findVisible(client, 'subscriber', abonent_id, visibleTo(call)))
  return abonent === null ? { refused: subscriberMissing() } : { abonent, amount, comment: comment || null }
}

const subscriberMissing = (): Reply => wrongField('abonent_id', 'be a subscriber')

const settledBefore = (): Reply => refused(409, 'settled_before', 'It was settled before in another way.')

const creditedBefore = (operation: number): Reply =>
  refused(409, 'credited_before', `Operation ${operation} has credited this payment before.`)

const uncreditedOf = ({ id, gateway, gateway_id }: ShownProblem) => ({ id, gateway, gatewayId: gateway_id! })

const notProven = (): Reply =>
  refused(400, 'not_proven', 'The gateway does not stand by this notice, so that there may be no money behind it.')

type How = Pick<Settler, 'settlement' | 'operationId' | 'comment'> & { readonly isRefund?: boolean }

async function settle(parts: Parts, call: Call, shownProblem: ShownProblem, how: How): Promise<Reply> {
  const reply = await writing(parts, (client) => settleIn(client, parts, call, shownProblem, how))
  if (how.isRefund) parts.payments.refunds.queue.wake()
  return reply
}

async function settleIn(
  client: PoolClient,
  parts: Parts,
  call: Call,
  shownProblem: ShownProblem,
  { isRefund = false, ...how }: How,
): Promise<Reply> {
  const { problems, refunds } = parts.payments
  const { id } = shownProblem
  const isGivenBack = how.settlement === 'given_back'
  const credited = isGivenBack ? await parts.payments.withholdUncredited(client, uncreditedOf(shownProblem)) : null
  if (credited !== null) return creditedBefore(credited)
  const author = authorOf(call)
  const by = { visible: visibleTo(call), staffId: staffOf(call), name: author.name, ...how }
  if (isRefund && (await problems.isGivenBackElsewhere(client, shownProblem))) return settledBefore()
  const found = await problems.resolve(client, id, by)
  if (!found) return notFoundReply()
  const { problem, isNew, organizationId } = found
  if (isGivenBack && problem.settlement !== how.settlement) return settledBefore()
  if (!isNew) return settledAlready(parts, (await problems.find(client, id, visibleTo(call)))!, how, isRefund)
  const diff: Diff = {
    resolved: [false, true],
    settlement: [null, how.settlement],
    ...(how.operationId !== undefined && { op_id: [null, how.operationId] as const }),
    ...(how.comment !== null && { comment: [null, how.comment] as const }),
  }
  await writeAudit(client, {
    author,
    table: 'PAYMENT_PROBLEMS',
    id: String(id),
    action: 'change',
    diff,
    organizationId,
  })
  if (!isRefund) return json({ ok: true, problem: shown(parts, problem) })
  const paid = parseRubles(problem.amount!)!
  await refunds.ask(client, {
    ...{ problemId: id, operationId: null, reversalId: null, paymentId: problem.gateway_id!, amount: paid, paid },
    ...{ subscriberId: problem.abonent_id, organizationId, author },
  })
  return json({ ok: true, problem: shown(parts, (await problems.find(client, id, visibleTo(call)))!) })
}

/** A repeat gets the answer of the first; another settlement or another note on what was settled is refused. */
function settledAlready(
  parts: Parts,
  problem: ShownProblem,
  { settlement, comment }: Pick<How, 'settlement' | 'comment'>,
  isRefund: boolean,
): Reply {
  const isOther = settlement === 'given_back' && isRefund !== (problem.refund !== null)
  const isRenoted = settlement !== 'credited' && comment !== null && problem.comment !== comment
  return isOther || isRenoted ? settledBefore() : json({ ok: true, problem: shown(parts, problem) })
}

const problemSchema = Type.Object({
  id: schemas.integer,
  at: schemas.moment,
  last_at: schemas.moment,
  times: Type.Integer({ description: 'How often the same came' }),
  gateway: Type.Enum(['gwa', 'gwb']),
  protocol: Type.Enum(['rest', 'http', 'form']),
  reason: Type.Enum(problemReasons),
  detail: schemas.text,
  order_id: nullable(schemas.integer),
  abonent_id: nullable(schemas.integer),
  abonent_name: Type.With(nullable(schemas.text), {
    description: 'null: nobody is named, or nobody whom the caller sees',
  }),
  gateway_id: nullable(schemas.text),
  amount: nullable(schemas.rubles),
  credit: Type.With(nullable(schemas.rubles), { description: 'Without the commission of now' }),
  address: nullable(schemas.text),
  notice: Type.String({ description: 'As it came, without its signature' }),
  is_proven: Type.Boolean({ description: 'There is a payment behind it, which can be credited or given back' }),
  resolved: schemas.boolean,
  resolved_at: nullable(schemas.moment),
  resolved_by: nullable(schemas.text),
  settlement: Type.With(nullable(Type.Enum(settlements)), {
    description: 'null: none, or of before there were several',
  }),
  operation_id: Type.With(nullable(schemas.integer), { description: 'That credits it' }),
  comment: nullable(schemas.text),
  given_back_by: Type.With(nullable(Type.Enum(['gateway', 'office'])), {
    description: 'Who would return the money: the gateway, by `refund`, or somebody in its office; null: there is none',
  }),
  refund: nullable(refundSchema),
})

const tag = 'Payments'
const notFound = 'There is no such problem, or it is of another organization'

const listDoc = {
  tag,
  summary: 'Payments that a gateway reported and that were not credited, the latest first',
  description:
    'Staff of some organizations see those of their subscribers; what concerns no subscriber is shown only to staff who see all organizations.',
  query: {
    resolved: {
      doc: '0: only those that nobody has settled; 1: only settled ones',
      schema: field(Type.Enum(['0', '1']), 'be 0 or 1', (sent) => (sent === '0' || sent === '1' ? sent === '1' : null)),
    },
    ...pageParameters,
  },
  answers: pageAnswers(problemSchema),
} satisfies RouteDoc

const oneDoc: RouteDoc = {
  tag,
  summary: 'One payment that was not credited',
  answers: answers('The payment', { problem: problemSchema }, { 404: notFound }),
}

/** What is no text is no comment. */
const comment = Type.Optional(
  field(Type.String({ maxLength: commentMax }), `be text of at most ${commentMax} characters`, (sent) =>
    readText(typeof sent === 'string' ? sent : '', commentMax),
  ),
)

const resolveDoc = {
  tag,
  summary: 'Settle a payment that was not credited without crediting it',
  description:
    '`noted` closes it with a note. `given_back` says that the money was returned to the payer in the office of the gateway; nothing is sent there. `refund` has the gateway return all that was paid, where it has a call for that (`given_back_by`), and `refund` of the payment says how far it is. After either nothing credits the payment any more.',
  body: Type.Object({
    comment,
    settlement: Type.Optional(choice(['noted', 'given_back', 'refund'])),
  }),
  answers: answers(
    'It is settled, now or before',
    { problem: problemSchema },
    {
      400: 'A field is wrong, or there is no money behind it (`not_proven`)',
      404: notFound,
      409: 'To give back what was credited before (`credited_before`), settled in another way (`settled_before`), or the gateway returns no money by program (`refund_unavailable`)',
    },
  ),
} satisfies RouteDoc

const creditDoc = {
  tag,
  summary: 'Credit a payment that was not credited to a subscriber',
  description:
    'It takes the keys of the payment, so that neither a later notice of the gateway nor a cashier credits it again. A repeat answers as the first.',
  body: Type.Object({
    abonent_id: idField,
    amount: Type.With(rubles, {
      description: 'At most what was paid; usually `credit`, which is without the commission',
    }),
    comment,
  }),
  answers: answers(
    'It is credited and settled',
    { problem: problemSchema },
    {
      400: 'A field is wrong, the account refuses it, or there is no money behind it (`not_proven`)',
      404: notFound,
      409: 'The payment was credited before (`credited_before`), or settled in another way (`settled_before`)',
    },
  ),
} satisfies RouteDoc
