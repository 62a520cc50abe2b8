import { formatRubles, type Money, parseRubles } from '../../domain/money.ts'
import { membersOf, parseJson } from '../../platform/formats/json.ts'
import { currency } from './gateway-a-rest.ts'

/**
 * Refunds of gateway A, REST v3: POST /v3/refunds takes `payment_id` and `amount`, a part of the payment or all of it,
 * and answers with the refund, which is `pending` until it is `succeeded` or `canceled`. The gateway remembers an
 * Idempotence-Key for a day.
 */

export type RefundRequest = {
  readonly paymentId: string
  readonly amount: Money
  /** All that was paid, with the commission. */
  readonly paid: Money
  readonly idempotenceKey: string
  /** The body of the creation of the payment; null: somebody else's. */
  readonly creation: string | null
}

/** The words by which a refund is found again in the gateway's list. */
export const descriptionOf = (idempotenceKey: string): string => `Возврат платежа [refund:${idempotenceKey}]`

/**
 * The body of POST {gwa_api_url}/v3/refunds. For a whole payment the gateway issues the receipt of the refund from the
 * receipt of the payment; for a part of one it wants to be told.
 */
export function refundBody({ paymentId, amount, paid, idempotenceKey, creation }: RefundRequest): string {
  const receipt = amount < paid ? receiptOf(creation, amount) : null
  return JSON.stringify({
    payment_id: paymentId,
    amount: { value: formatRubles(amount), currency },
    description: descriptionOf(idempotenceKey),
    ...(receipt && { receipt }),
  })
}

/** The receipt that was sent with the payment, of its one line, over another amount. Null: none was sent. */
function receiptOf(creation: string | null, amount: Money): object | null {
  const parsed = creation === null ? null : parseJson(Buffer.from(creation))
  const { receipt } = membersOf(parsed?.kind === 'parsed' ? parsed.value : null)
  const { items } = membersOf(receipt)
  if (!Array.isArray(items)) return null
  const [line] = items as readonly object[]
  return { ...membersOf(receipt), items: [{ ...line, amount: { value: formatRubles(amount), currency } }] }
}

/** A refund as the gateway shows it. */
export type GatewayRefund = {
  readonly id: string
  readonly paymentId: string
  readonly status: string
  readonly amount: Money
  readonly description: string
  /** Why it was cancelled: the gateway's words. */
  readonly reason: string | null
}

/** Null: the value is no refund. */
export function readRefund(value: unknown): GatewayRefund | null {
  const { id, payment_id: paymentId, status, amount, description, cancellation_details: details } = membersOf(value)
  const { value: sum, currency: code } = membersOf(amount)
  const money = parseRubles(sum)
  if (typeof id !== 'string' || typeof paymentId !== 'string' || typeof status !== 'string') return null
  if (!/^[\w-]{1,64}$/.test(id) || money === null || code !== currency) return null
  const { party, reason } = membersOf(details)
  const words = [party, reason].filter((word) => typeof word === 'string')
  return {
    id,
    paymentId,
    status,
    amount: money,
    description: typeof description === 'string' ? description : '',
    reason: words.length > 0 ? words.join(', ').slice(0, 300) : null,
  }
}
