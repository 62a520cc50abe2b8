import { type Account, type Subscriber, subscribersById } from '../../domain/account.ts'
import { type Blocks, blockReasons, isBlocked, sameBlocks } from '../../domain/block.ts'
import type { Effect } from '../../domain/effects.ts'
import { formatRubles, magnitude, negated } from '../../domain/money.ts'
import { isPayment, type Operation } from '../../domain/operation.ts'
import type { WebhookEvent, WebhookEventName } from '../../domain/webhook-events.ts'
import { type AccountChange, mainSubscriber } from '../accounts/account-change.ts'
import type { Wants } from './wants.ts'

/** The events of a change of an account that somebody wants to be told, as they go into the outbox with its commit. */
export function ledgerEvents(wants: Wants, change: AccountChange, now: Date): readonly Effect[] {
  if (wants.isEmpty) return []
  return [...moneyEvents(change, now), ...subscriberEvents(change, now)]
    .filter(({ event, organizationId }) => wants.has(event, organizationId))
    .map((event) => ({ kind: 'webhook', ...event }))
}

function moneyEvents({ after, operations, removed }: AccountChange, now: Date): WebhookEvent[] {
  const told = operations.flatMap((operation): WebhookEvent[] => {
    const { id, typeId, amount, reversalOf } = operation
    if (reversalOf === null)
      return isPayment(typeId, amount) ? [moneyEvent('payment.credited', operation, after, now, { op_id: id })] : []
    if (!isPayment(typeId, negated(amount))) return []
    return [moneyEvent('payment.reversed', operation, after, now, { op_id: reversalOf, reversal_id: id })]
  })
  const isTold = removed !== null && removed.reversalOf === null && isPayment(removed.typeId, removed.amount)
  return isTold ? [...told, moneyEvent('payment.deleted', removed, after, now, { op_id: removed.id })] : told
}

const moneyEvent = (
  event: WebhookEventName,
  { subscriberId, organizationId, typeId, amount, movedAt, details }: Operation,
  account: Account,
  now: Date,
  ids: Readonly<Record<string, number>>,
): WebhookEvent => ({
  event,
  at: now.toISOString(),
  // An operation of the account as a whole is told of its main client, so that it keeps its place in the order.
  subscriberId: subscriberId ?? mainSubscriber(account)?.id ?? null,
  organizationId,
  data: {
    account_id: account.id,
    ...ids,
    op_type: typeId,
    amount: formatRubles(magnitude(amount)),
    op_date: movedAt,
    number: details.number ?? null,
    txn: details.txn ?? null,
    balance: formatRubles(account.balance),
  },
})

function subscriberEvents({ before, after, joined, plan }: AccountChange, now: Date): WebhookEvent[] {
  const earlier = subscribersById(before)
  return after.subscribers.flatMap((is) => {
    const was = earlier.get(is.id) ?? (joined?.id === is.id ? joined : undefined)
    if (!was) return []
    const changed = changedFields(was, is, was === joined, plan?.subscriberId === is.id)
    return [
      ...(changed.length > 0 ? [subscriberEvent('subscriber.changed', is, after, now, { changed })] : []),
      ...(!was.deleted && is.deleted ? [subscriberEvent('subscriber.deleted', is, after, now, {})] : []),
      ...blockEvents(was, is, after, now),
    ]
  })
}

/** Further reasons for a block, or fewer, are told as a block. */
function blockEvents(was: Subscriber, is: Subscriber, account: Account, now: Date): WebhookEvent[] {
  if (sameBlocks(was.blocks, is.blocks)) return []
  const event = isBlocked(is.blocks) ? 'subscriber.blocked' : 'subscriber.unblocked'
  const data = { reasons: reasonsOf(is.blocks), reasons_before: reasonsOf(was.blocks) }
  return [subscriberEvent(event, is, account, now, data)]
}

const reasonsOf = (blocks: Blocks) => blockReasons.filter((reason) => blocks[reason])

/** By the names of REST. */
const changedFields = (was: Subscriber, is: Subscriber, moves: boolean, plans: boolean): string[] => [
  ...(moves ? ['account'] : []),
  ...(was.deleted && !is.deleted ? ['deleted'] : []),
  ...(plans ? ['next_tarif', 'next_tarif_date'] : []),
  ...(was.promise?.until !== is.promise?.until || was.promise?.limit !== is.promise?.limit
    ? ['promise_date_end', 'promise_pay']
    : []),
  ...(was.tariffId !== is.tariffId ? ['tarif'] : []),
]

const subscriberEvent = (
  event: WebhookEventName,
  { id, organizationId }: Subscriber,
  account: Account,
  now: Date,
  data: WebhookEvent['data'],
): WebhookEvent => ({
  event,
  at: now.toISOString(),
  subscriberId: id,
  organizationId,
  data: { account_id: account.id, ...data },
})
