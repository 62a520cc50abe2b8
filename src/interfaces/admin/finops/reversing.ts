import Type from 'typebox'
import type { GatewayRefund } from '../../../billing/accounts/messages.ts'
import { findPaidByGateway } from '../../../billing/payments/refunds.ts'
import { accountId, operationId } from '../../../domain/ids.ts'
import { formatRubles, type Money, zero } from '../../../domain/money.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { rubles, someText } from '../../../platform/http/fields.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { FinanceOperation } from '../../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { keysOf, movedAnswers, movedReply, idempotencyHeader, repeatReply } from '../accounts/money-request.ts'
import { isAbsent, isRefused, readBody, readSent, type Refused, refused, refusedBy, wrongField } from '../body.ts'
import { refundUnavailable } from '../payments/refund-shape.ts'
import type { FinopsParts } from './parts.ts'

const reasonMax = 1_000

/** POST finops_reverse: reverses any operation for a reason, once (decision 026). */
export async function reverseOperation(parts: FinopsParts, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  const { pool } = parts.database
  const id = await findVisible(pool, 'operation', call.params.op_id, visible)
  if (id === null) return notFoundReply()
  const { rows } = await pool.query<RowOf<typeof FinanceOperation, 'account_id'>>(
    'SELECT account_id FROM finance_operations WHERE op_id = $1::int8',
    [id],
  )
  const account = await findVisible(pool, 'account', rows[0]?.account_id, visible)
  if (account === null) return notFoundReply()
  const sent = readBody(call)
  if (isRefused(sent)) return sent.refused
  const asked = keysOf(call, sent.fields)
  if (isRefused(asked)) return asked.refused
  const { keys } = asked
  const repeated = await repeatReply(parts, call, account, keys)
  if (repeated) return repeated
  const read = readSent(body.properties, sent.fields, { isLeftOut: isAbsent })
  if (isRefused(read)) return read.refused
  const { reason, refund: amount } = read.values
  const refund = amount === undefined ? null : await readRefund(parts, id, amount)
  if (refund && 'refused' in refund) return refund.refused
  const command = {
    kind: 'reverseAny',
    operationId: operationId(id),
    ...{ reason, ...(refund && { refund }) },
    keys: keys ? [keys.own, keys.withBody] : [],
  } as const
  const outcome = await parts.accounts.ask(accountId(account), command, authorOf(call))
  if (outcome.kind === 'done') {
    if (!outcome.operation) throw new Error('The account took a reversal and named no operation.')
    return movedReply(parts, call, account, outcome.operation.id, { duplicate: false })
  }
  // The same request may have been taken while this one was on its way.
  const raced = await repeatReply(parts, call, account, keys)
  if (raced) return raced
  if (outcome.kind === 'known') throw new Error('A reversal was known by a key that nobody has taken.')
  return refusedBy(outcome)
}

/** What the gateway is to return of the payment that an operation credits. */
async function readRefund(
  { database, payments }: FinopsParts,
  operation: number,
  amount: Money,
): Promise<GatewayRefund | Refused> {
  const payment = await findPaidByGateway(database.pool, operation)
  if (!payment || payments.refunds.byWhom(payment.protocol) === 'office') return { refused: refundUnavailable() }
  const { paymentId, paid, isRefunded } = payment
  if (isRefunded) return { refused: refused(409, 'refunded_before', 'The payment has a refund already.') }
  if (amount <= zero || amount > paid)
    return { refused: wrongField('refund', `be more than zero and at most the ${formatRubles(paid)} that were paid`) }
  return { paymentId, paid, amount }
}

const body = Type.Object({
  reason: Type.With(someText(reasonMax), { description: 'Kept with the reversal, where clients do not see it' }),
  refund: Type.Optional(
    Type.With(rubles, {
      description:
        'The gateway returns so much to the payer after the reversal, at most what was paid (`gateway_payment` of finops_detail); left out: nothing',
    }),
  ),
})

export const reverseDoc: RouteDoc = {
  tag: 'Finance operations',
  summary: 'Reverse any operation, with a reason',
  description:
    'With `refund` the gateway returns the money: 409 `refund_unavailable` where it has no call for that, `refunded_before` where it was asked before. A new operation of the opposite amount that names the reversed one; both are marked storno. Once, and not where a later operation has given back what it did. What it means for each type of operation stands in docs/decisions/026. The receipt of a payment that was printed is followed by the receipt of its refund.',
  params: { op_id: { doc: 'The operation' } },
  headers: idempotencyHeader,
  body,
  answers: movedAnswers({ duplicate: schemas.boolean }),
}
