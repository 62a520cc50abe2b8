import type { Pool } from 'pg'
import Type from 'typebox'
import { accountRefusalText } from '../../../billing/accounts/messages.ts'
import {
  findRepeat,
  type IdempotencyKeys,
  idempotencyKeyMax,
  idempotencyKeys,
} from '../../../billing/accounts/operation-keys.ts'
import type { SubscriberActors } from '../../../billing/accounts/subscribers.ts'
import { activateAsOperator, usualTerms } from '../../../billing/promises/operator-promise.ts'
import { promisedBy } from '../../../billing/promises/promise-records.ts'
import { promiseTermFields, readPromiseTerms } from '../../../billing/promises/promise-request.ts'
import { codeOf, statusOf } from '../../../billing/promises/refusal-codes.ts'
import { subscriberId } from '../../../domain/ids.ts'
import { formatRubles } from '../../../domain/money.ts'
import type { PromisePayment } from '../../../domain/promise.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { field, readBySchema, sentenceOf } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import {
  findAllVisible,
  findVisible,
  bulkForbiddenReply,
  notFoundReply,
  visibleTo,
} from '../../../platform/staff/visible-records.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { readBody } from '../body.ts'
import { answers, get, post } from '../doors.ts'

export type OperatorPromiseParts = TransactionScope & {
  readonly subscribers: Pick<SubscriberActors, 'ask' | 'promiseProspect'>
}

/** The answer waits for all of them, so their number is limited. */
const bulkMax = 1000
const atOnce = 50

const bulkFields = {
  ids: field(Type.Array(schemas.integer), 'be a list of subscribers', (sent) => {
    const list: unknown = typeof sent === 'string' ? sent.split(',') : sent
    return Array.isArray(list) && list.length > 0 ? list : null
  }),
}

/**
 * Promise payments that an operator activates: the rules for clients apply, and there is a fee (specification 3.1,
 * contract section 5).
 */
export const promiseOperatorRoutes = (parts: OperatorPromiseParts): Route[] => [
  get('/admin/Abonents/promise_pay/:id', docs.prospect, (call) => showProspect(parts, call)),
  post('/admin/Abonents/promise_pay/:id', docs.one, (call) => activateOne(parts, call), {
    right: recordRights.promise.create,
  }),
  post('/admin/Abonents/promise_pay_bulk', docs.many, (call) => activateMany(parts, call), {
    right: recordRights.promise.create,
  }),
]

const promiseSchema = Type.Object({
  promise_id: schemas.integer,
  abonent_id: schemas.integer,
  usluga_id: schemas.integer,
  type: schemas.text,
  limit: schemas.rubles,
  end_time: schemas.moment,
})

const docs = {
  prospect: {
    tag: 'Promise payment',
    summary: 'What a promise payment would be now, before it is activated',
    answers: answers(
      'The terms, or why there are none',
      {
        offer: nullable(
          Type.Object({
            limit: schemas.rubles,
            until: schemas.moment,
            days: schemas.integer,
            fee: Type.With(schemas.rubles, { description: 'PROMISE_PAY_OPERATOR_FEE' }),
          }),
        ),
        refusal: nullable(Type.Object({ code: schemas.text, error: schemas.text })),
        active: nullable(
          Type.Object({
            limit: schemas.rubles,
            until: schemas.moment,
            operation_id: Type.With(nullable(schemas.integer), {
              description: 'Whose reversal ends it; null: that operation is deleted',
            }),
          }),
        ),
        cooldown_until: nullable(schemas.moment),
      },
      { 404: 'There is no such subscriber, or it is of another organization' },
    ),
  },
  one: {
    tag: 'Promise payment',
    summary: 'Activate a promise payment for a subscriber, with the fee of PROMISE_PAY_OPERATOR_FEE',
    headers: { 'Idempotency-Key': { doc: 'A repeat of the same request gets the first answer again' } },
    body: Type.Object(promiseTermFields),
    answers: answers(
      'Activated',
      { promise: promiseSchema, fee: schemas.rubles },
      {
        400: 'Refused; `code` says why: already_active, min_debt, min_age, cooldown, disabled',
        404: 'There is no such subscriber, or it is of another organization',
        409: 'The Idempotency-Key was used before with another request',
      },
    ),
  },
  many: {
    tag: 'Promise payment',
    summary: 'Activate promise payments for many subscribers, each by its own rules',
    body: Type.Object(bulkFields),
    answers: answers(
      'Done; those that may not have one are named with the reason',
      {
        changed: schemas.integer,
        skipped: Type.Array(Type.Object({ id: schemas.integer, reason: schemas.text, code: schemas.text })),
      },
      {
        400: 'The list is wrong',
        403: 'One of them does not exist or is of another organization; nothing was done',
      },
    ),
  },
}

/** By the same decision as the activation, so that nothing is offered that would be refused. */
async function showProspect(parts: OperatorPromiseParts, call: Call): Promise<Reply> {
  const found = await findVisible(parts.database.pool, 'subscriber', call.params.id, visibleTo(call))
  const prospect = found === null ? null : await parts.subscribers.promiseProspect(subscriberId(found), 'operator')
  if (!prospect) return notFoundReply()
  const { cooldownUntil: cooldown_until } = prospect
  const active = prospect.active && activeOf(prospect.active)
  if (prospect.kind === 'refused') {
    const { reason } = prospect
    const refusal = { code: codeOf(reason), error: accountRefusalText[reason] }
    return json({ ok: true, offer: null, refusal, active, cooldown_until })
  }
  const { limit, until, days, fee } = prospect.offer
  const offer = { limit: formatRubles(limit), until, days, fee: formatRubles(fee) }
  return json({ ok: true, offer, refusal: null, active, cooldown_until })
}

const activeOf = ({ limit, until, operationId }: PromisePayment) => ({
  limit: formatRubles(limit),
  until,
  operation_id: operationId === null ? null : Number(operationId),
})

async function activateOne(parts: OperatorPromiseParts, call: Call): Promise<Reply> {
  const { pool } = parts.database
  const found = await findVisible(pool, 'subscriber', call.params.id, visibleTo(call))
  if (found === null) return notFoundReply()
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const header = call.header('idempotency-key').trim()
  if (header.length > idempotencyKeyMax) return refusal('admin', 400, 'The Idempotency-Key is too long.')
  const keys = idempotencyKeys(staffOf(call), header, { path: call.path, ...body.fields })
  const repeated = keys && (await repeatReply(parts, keys))
  if (repeated) return repeated
  const asked = await readPromiseTerms(parts, body.fields)
  if ('wrong' in asked) return refusal('admin', 400, sentenceOf(asked))
  const taken = keys ? [keys.own, keys.withBody] : []
  const outcome = await activateAsOperator(parts.subscribers, subscriberId(found), asked, authorOf(call), taken)
  // The same request may have been taken while this one was on its way.
  const raced = keys && outcome.kind !== 'done' ? await repeatReply(parts, keys) : null
  if (raced) return raced
  if (outcome.kind === 'refused') {
    const { reason } = outcome
    return json({ ok: false, error: accountRefusalText[reason], code: codeOf(reason) }, statusOf(reason))
  }
  return activatedReply(pool, outcome.kind === 'known' ? outcome.operationId : outcome.operation!.id)
}

/** Same key, same body: the first answer again. Same key, other body: 409. */
async function repeatReply({ database: { pool } }: OperatorPromiseParts, keys: IdempotencyKeys): Promise<Reply | null> {
  const repeat = await findRepeat(pool, keys)
  if (repeat.kind === 'new') return null
  if (repeat.kind === 'repeated') return activatedReply(pool, repeat.operationId ?? '0')
  return refusal('admin', 409, 'This Idempotency-Key was used before with another request.')
}

/** By the operation that credited the limit, also after the promise has ended. */
async function activatedReply(pool: Pool, operationId: number | string): Promise<Reply> {
  const promised = await promisedBy(pool, operationId)
  if (!promised)
    return refusal('admin', 409, `This promise was made before by operation ${operationId}, which is deleted.`)
  const { fee, ...promise } = promised
  return json({ ok: true, promise, fee })
}

async function activateMany(parts: OperatorPromiseParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const read = readBySchema(bulkFields, body.fields)
  if ('wrong' in read) return refusal('admin', 400, sentenceOf(read))
  const list = read.values.ids
  if (list.length > bulkMax) return refusal('admin', 400, `At most ${bulkMax} subscribers at once.`)
  const found = await findAllVisible(parts.database.pool, 'subscriber', list, visibleTo(call))
  if (!found) return bulkForbiddenReply()
  const skipped: { id: number; reason: string; code: string }[] = []
  for (let from = 0; from < found.length; from += atOnce) {
    const some = found.slice(from, from + atOnce)
    const activate = (id: number) => activateAsOperator(parts.subscribers, subscriberId(id), usualTerms, authorOf(call))
    const outcomes = await Promise.all(some.map(activate))
    outcomes.forEach((outcome, index) => {
      if (outcome.kind !== 'refused') return
      const { reason } = outcome
      skipped.push({ id: some[index]!, reason: accountRefusalText[reason], code: codeOf(reason) })
    })
  }
  return json({ ok: true, changed: found.length - skipped.length, skipped })
}
