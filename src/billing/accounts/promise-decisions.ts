import { type Account, inDebt, type Subscriber } from '../../domain/account.ts'
import type { Effect } from '../../domain/effects.ts'
import { formatRubles, minus, negated } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import { coversReturn, offerPromise, type PromiseFacts, type PromisePolicy, promiseType } from '../../domain/promise.ts'
import type { AuditEntry } from './audit.ts'
import type { AccountCommand, AccountRefusal, PromiseEnd } from './messages.ts'
import { type DecisionContext, nothingPosted, type Posted, post } from './postings.ts'

/** The start or the end of a promise payment: the postings, with the audits and effects that go with them. */
export type PromiseStep = {
  readonly posted: Posted
  readonly audits: readonly AuditEntry[]
  readonly effects: readonly Effect[]
}

type Activation = Extract<AccountCommand, { kind: 'activatePromise' }>

/**
 * Starts a promise payment: credits the limit and then takes the operator's fee (specification 3.1). The commit derives
 * the service row from the account.
 */
export function activate(
  account: Account,
  subscriber: Subscriber,
  command: Activation,
  facts: PromiseFacts,
  policy: PromisePolicy,
  context: DecisionContext,
): PromiseStep | AccountRefusal {
  const decided = offerPromise({ ...subscriber, balance: account.balance }, command, facts, policy, context.now)
  if (decided.kind === 'refused') return decided.reason
  const { uslugaId, limit, until, fee } = decided.offer
  const credited = post(
    nothingPosted(account),
    {
      subscriberId: subscriber.id,
      typeId: operationTypes.promise,
      amount: limit,
      description: 'Обещанный платёж',
      details: { uslugaId, isAccounting: false },
    },
    context,
  )
  const operation = credited?.operations[0]
  if (!credited || !operation) return 'amountOutOfRange'
  const promise = { linkId: context.newLinkId(), uslugaId, limit, until, operationId: operation.id }
  const promised = {
    ...credited,
    account: withSubscriber(credited.account, { ...subscriber, promise, lastPromiseAt: context.now }),
  }
  const posted = fee > 0n ? post(promised, feeOf(subscriber, uslugaId, fee), context) : promised
  if (!posted) return 'amountOutOfRange'
  const audit: AuditEntry = {
    table: 'USERS_USLUGA',
    objectId: promise.linkId,
    action: 'activate',
    diff: {
      abonent_id: subscriber.id,
      usluga_id: uslugaId,
      type: promiseType(uslugaId),
      op_id: operation.id,
      limit: formatRubles(limit),
      end_time: until.toISOString(),
      ...(fee > 0n && { fee: formatRubles(fee) }),
    },
  }
  const notice: Effect = {
    kind: 'notify',
    subscriberId: subscriber.id,
    template: 'promise_activated',
    values: {
      amount: formatRubles(limit),
      until: until.toISOString(),
      insufficient: inDebt(posted.account, context.now) ? '1' : '0',
    },
  }
  return { posted, audits: [audit], effects: command.isMovedIn ? [] : [notice] }
}

const feeOf = (subscriber: Subscriber, uslugaId: number, fee: Parameters<typeof negated>[0]) => ({
  subscriberId: subscriber.id,
  typeId: operationTypes.manualExpense,
  amount: negated(fee),
  description: 'Плата за подключение обещанного платежа оператором',
  details: { uslugaId },
})

/** Why a promise payment ended; the word is written to the audit and passed to the message. */
export type EndReason = PromiseEnd | 'payment' | 'reversed' | 'moved'

/**
 * Ends a promise payment and returns its limit. The commit marks the operation that credited the limit as reversed, so
 * it is returned only once. Null: there is no promise payment, or the sums would no longer fit.
 */
export function end(
  from: Posted,
  subscriber: Subscriber,
  why: EndReason,
  context: DecisionContext,
): PromiseStep | null {
  const { promise } = subscriber
  if (!promise) return null
  const posted = post(
    from,
    {
      subscriberId: subscriber.id,
      typeId: operationTypes.promise,
      amount: negated(promise.limit),
      description: 'Возврат обещанного платежа',
      reversalOf: promise.operationId,
      details: { uslugaId: promise.uslugaId, isAccounting: false },
    },
    context,
  )
  return posted && ended(posted, subscriber, why)
}

/** The end of a promise payment whose limit has been returned by the last operation of `posted`. */
export function ended(posted: Posted, subscriber: Subscriber, why: EndReason): PromiseStep {
  const { linkId, uslugaId, limit, until } = subscriber.promise!
  const amount = formatRubles(limit)
  return {
    posted: { ...posted, account: withSubscriber(posted.account, { ...subscriber, promise: null }) },
    audits: [
      {
        table: 'USERS_USLUGA',
        objectId: linkId ?? subscriber.id,
        action: 'end',
        diff: { abonent_id: subscriber.id, usluga_id: uslugaId, limit: amount, reason: why },
      },
    ],
    // The end time identifies the promise, so that a client who was notified on the day is not notified again
    // (messages/notices.ts).
    effects: [
      {
        kind: 'notify',
        subscriberId: subscriber.id,
        template: 'promise_ended',
        values: { amount, why, until: until.toISOString() },
      },
    ],
  }
}

/**
 * Ends the promise payments that a receipt of `amount` covers (specification 3.1): the balance after the return must
 * not be negative and must leave nobody in debt. The limits are returned before the receipt is posted, so that the
 * receipt is the account's last operation and can be reversed.
 */
export function closedByReceipt(
  account: Account,
  amount: Account['balance'],
  context: DecisionContext,
): { posted: Posted; audits: readonly AuditEntry[]; effects: readonly Effect[] } {
  let step: PromiseStep = { posted: nothingPosted(account), audits: [], effects: [] }
  for (const subscriber of account.subscribers) {
    const { promise } = subscriber
    if (!promise) continue
    const balance = (step.posted.account.balance + amount) as Account['balance']
    const left = { ...account, balance: minus(balance, promise.limit) }
    if (!coversReturn(balance, promise.limit) || inDebt(left, context.now)) continue
    const closed = end(step.posted, subscriber, 'payment', context)
    if (!closed) continue
    step = {
      posted: closed.posted,
      audits: [...step.audits, ...closed.audits],
      effects: [...step.effects, ...closed.effects],
    }
  }
  return step
}

export const withSubscriber = (account: Account, is: Subscriber): Account => ({
  ...account,
  subscribers: account.subscribers.map((was) => (was.id === is.id ? is : was)),
})
