import type { Account, Subscriber } from '../../domain/account.ts'
import type { Effect } from '../../domain/effects.ts'
import type { OperationId } from '../../domain/ids.ts'
import { isPayment, type Operation, operationTypes } from '../../domain/operation.ts'
import type { AccountRefusal, GatewayRefund } from './messages.ts'
import { type DecisionContext, type Entry, nothingPosted, post, reversalOf } from './postings.ts'
import { ended, type PromiseStep } from './promise-decisions.ts'

/**
 * Reverses the last operation of an account, once (specification 3.3). `requested` is null for whichever that is. Even
 * the last operation may have been given back: on the account to which its subscriber has moved.
 */
export function reverseLast(
  account: Account,
  requested: OperationId | null,
  original: Operation | null,
  givenBackBy: OperationId | null,
  context: DecisionContext,
): PromiseStep | AccountRefusal {
  if (account.lastOperationId === null && requested === null) return 'nothingToReverse'
  const refusal = refusalOf(account, original)
  if (refusal) return refusal
  if (original!.id !== account.lastOperationId) return 'notLastOperation'
  if (givenBackBy !== null) return 'givenBack'
  return reverse(account, original!, reversalOf(original!), context)
}

/**
 * Reverses any operation of an account for a reason, once (decision 026): a new operation of the opposite amount, which
 * carries the reason where clients do not see it. The receipt of a payment is followed by the receipt of its refund,
 * and the gateway returns the money where that is asked for.
 */
export function reverseAny(
  account: Account,
  original: Operation | null,
  givenBackBy: OperationId | null,
  { reason, refund }: { reason: string; refund?: GatewayRefund },
  context: DecisionContext,
): PromiseStep | AccountRefusal {
  const refusal = refusalOf(account, original)
  if (refusal) return refusal
  if (givenBackBy !== null) return 'givenBack'
  const entry = reversalOf(original!)
  const step = reverse(account, original!, { ...entry, details: { ...entry.details, adminComment: reason } }, context)
  if (typeof step === 'string') return step
  const { id, subscriberId, typeId, amount, details } = original!
  const reversalId = step.posted.operations[0]!.id
  const audit = {
    table: 'FINANCE_OPERATIONS',
    objectId: id,
    action: 'reverse',
    diff: { op_id: id, reversal: reversalId, reason },
  } as const
  const mayHaveReceipt = isPayment(typeId, amount) && details.isAccounting !== false
  const receipt: Effect[] = mayHaveReceipt
    ? [{ kind: 'refundReceipt', subscriberId, operationId: reversalId, staffId: context.author.staffId }]
    : []
  const returned = refund ? [returnedBy(refund, original!, reversalId, context)] : []
  return { ...step, audits: [...step.audits, audit], effects: [...step.effects, ...receipt, ...returned] }
}

const returnedBy = (
  { paymentId, paid, amount }: GatewayRefund,
  { id: operationId, subscriberId }: Operation,
  reversalId: OperationId,
  { author }: DecisionContext,
): Effect => ({
  kind: 'gatewayRefund',
  ...{ subscriberId, operationId, reversalId, paymentId, author },
  amount: String(amount),
  paid: String(paid),
})

function refusalOf(account: Account, original: Operation | null): AccountRefusal | null {
  if (!original || original.accountId !== account.id) return 'operationMissing'
  return original.reversed ? 'alreadyReversed' : null
}

/**
 * Reversing the operation that credited the limit ends the promise payment, so the limit is not returned a second time.
 */
function reverse(
  account: Account,
  original: Operation,
  entry: Entry,
  context: DecisionContext,
): PromiseStep | AccountRefusal {
  const reversal = post(nothingPosted(account), entry, context)
  if (!reversal) return 'amountOutOfRange'
  const promised = account.subscribers.find((subscriber) => isPromisedBy(subscriber, original))
  return promised ? ended(reversal, promised, 'reversed') : { posted: reversal, audits: [], effects: [] }
}

/**
 * Whether the operation credited the limit of the subscriber's promise payment. When somebody has deleted the service
 * row, the promise no longer knows its operation and is recognized by type, subscriber and amount.
 */
const isPromisedBy = (
  { id, promise }: Subscriber,
  { id: operation, typeId, subscriberId, amount }: Operation,
): boolean =>
  promise !== null &&
  (promise.operationId === null
    ? typeId === operationTypes.promise && subscriberId === id && amount === promise.limit
    : promise.operationId === operation)
