import Type from 'typebox'
import { accountRefusalText } from '../../../../billing/accounts/messages.ts'
import type { SubscriberActors } from '../../../../billing/accounts/subscribers.ts'
import { promiseProspects, standingColumns, type StandingRow } from '../../../../billing/promises/promise-prospects.ts'
import { codeOf } from '../../../../billing/promises/refusal-codes.ts'
import { promiseStep } from '../../../../billing/runs/steps.ts'
import { formatRubles, plus, times, zero } from '../../../../domain/money.ts'
import type { PromiseAnswer } from '../../../../domain/promise.ts'
import { recordRights } from '../../../../domain/record-rights.ts'
import type { Clock } from '../../../../platform/actors/clock.ts'
import type { Call, Reply, Route } from '../../../../platform/http/call.ts'
import { json } from '../../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../../platform/http/route-doc.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { post } from '../../doors.ts'
import { preferHeader, countedAnswers, type Progress } from '../../countings.ts'
import {
  foreseeTogether,
  type ManyParts,
  meantIds,
  orderBodyOf,
  previewMembers,
  readOrder,
  refusalsMember,
  refusedOrder,
  startDoc,
  startMany,
  Tally,
} from './meant.ts'

export type PromiseManyParts = ManyParts & {
  readonly clock: Clock
  readonly subscribers: Pick<SubscriberActors, 'ask' | 'policy'>
}

const right = recordRights.promise.create

/** Promise payments of an operator for many subscribers at once: marked ones, or all that a list finds. */
export const promiseManyRoutes = (parts: PromiseManyParts): Route[] => [
  post(
    '/admin/Abonents/promise_pay_many/preview',
    docs.preview,
    (call) => parts.countings.answer(call, (progress) => preview(parts, call, progress)),
    {
      right,
      allowedReadOnly: true,
    },
  ),
  post('/admin/Abonents/promise_pay_many', docs.start, (call) => start(parts, call), { right }),
]

async function preview(parts: PromiseManyParts, call: Call, progress: Progress): Promise<Reply> {
  const order = await readOrder(parts, call, {})
  if ('refused' in order) return order.refused
  const { promise: policy } = parts.subscribers.policy
  const now = parts.clock.now()
  const tally = new Tally()
  let [limits, fees] = [zero, zero]
  const total = await foreseeTogether<StandingRow, PromiseAnswer>(
    parts,
    { call, order, progress },
    {
      tally,
      columns: (filters) => standingColumns(policy, now, filters),
      judge: (client) => promiseProspects(client, policy, now),
      tell(prospect, count) {
        if (prospect.kind === 'refused')
          return tally.refuse(codeOf(prospect.reason), accountRefusalText[prospect.reason], count)
        tally.changeSome(count)
        limits = plus(limits, times(prospect.offer.limit, count))
        fees = plus(fees, times(prospect.offer.fee, count))
      },
    },
  )
  const ids = await meantIds(parts, { call, order }, total)
  return json({ ok: true, total, ids, ...tally.counts, limits: formatRubles(limits), fees: formatRubles(fees) })
}

async function start(parts: PromiseManyParts, call: Call): Promise<Reply> {
  const order = await readOrder(parts, call, {})
  if ('refused' in order) return order.refused
  return startMany(parts, call, order, { kind: 'promises', asked: {} }, promiseStep(parts.subscribers))
}

const orderBody = orderBodyOf({})

const docs = {
  preview: {
    tag: 'Promise payment',
    summary: 'Who of many would get a promise payment, and of how much, before it is begun',
    headers: preferHeader,
    body: orderBody,
    isFormToo: false,
    answers: countedAnswers(
      'By the decision of the activation and the tables as they are now; nothing is written',
      {
        ...previewMembers,
        refused: refusalsMember,
        limits: Type.With(schemas.rubles, { description: 'What would be credited, in all' }),
        fees: Type.With(schemas.rubles, { description: 'PROMISE_PAY_OPERATOR_FEE of each, in all' }),
      },
      refusedOrder,
    ),
  },
  start: startDoc('Activate promise payments for many subscribers, each by its own rules', orderBody),
} as const satisfies Record<string, RouteDoc>
