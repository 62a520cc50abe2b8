import { type Account, inDebt, type Subscriber } from '../../domain/account.ts'
import type { Effect } from '../../domain/effects.ts'
import { formatRubles, minus, negated } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import { coversReturn, offerPromise, type PromiseFacts, type PromisePolicy, promiseType } from '../../domain/promise.ts'
import type { AuditEntry } from './audit.ts'
import type { AccountCommand, AccountRefusal, PromiseEnd } from './messages.ts'
import { type DecisionContext, nothingPosted, type Posted, post } from './postings.ts'

/** What a promise that begins or ends leaves behind beside the operations. */
export type PromiseStep = {
  readonly posted: Posted
  readonly audits: readonly AuditEntry[]
  readonly effects: readonly Effect[]
}

type Activation = Extract<AccountCommand, { kind: 'activatePromise' }>

/** The limit is credited, and an operator's fee is taken after it (specification 3.1). The service row follows from the account. */
export function activate(
  account: Account,
  subscriber: Subscriber,
  command: Activation,
  facts: PromiseFacts,
  policy: PromisePolicy,
  context: DecisionContext,
): PromiseStep | AccountRefusal {
  const asked = offerPromise({ ...subscriber, balance: account.balance }, command, facts, policy, context.now)
  if (asked.kind === 'refused') return asked.reason
  const { uslugaId, limit, until, fee } = asked.offer
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
  const told: Effect = {
    kind: 'notify',
    subscriberId: subscriber.id,
    template: 'promise_activated',
    values: {
      amount: formatRubles(limit),
      until: until.toISOString(),
      insufficient: inDebt(posted.account, context.now) ? '1' : '0',
    },
  }
  return { posted, audits: [audit], effects: [told] }
}

const feeOf = (subscriber: Subscriber, uslugaId: number, fee: Parameters<typeof negated>[0]) => ({
  subscriberId: subscriber.id,
  typeId: operationTypes.manualExpense,
  amount: negated(fee),
  description: 'Плата за подключение обещанного платежа оператором',
  details: { uslugaId },
})

/** Why, as the audit and the message say it. */
export type EndReason = PromiseEnd | 'payment' | 'reversed' | 'moved'

/** The limit goes back once and for ever: the operation that credited it is marked as reversed together with its return. */
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

/** The promise is over; its limit has been returned by the last operation of `posted`. */
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
    // The end names the promise: who was told of it on the day is not told again (messages/notices.ts).
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
 * Promises that a receipt of `amount` pays back (specification 3.1): what is left after the return must not be negative and must
 * leave nobody in debt. They are returned before the receipt is posted, so that the receipt stays the account's last operation
 * and can be reversed.
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
