import { type Author, systemAuthor } from '../../domain/author.ts'
import type { EffectHandlers } from '../../domain/effects.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { type TransactionScope, writing } from '../../platform/storage/transactions.ts'
import { prepareOrder, queueOrder } from './order.ts'

export type RefundReceiptParts = TransactionScope & {
  readonly clock: Clock
  /** Called when a receipt is due. */
  readonly fiscal: { wake(): void }
}

/**
 * Queues the receipt of a refund after a reversal, once: a receipt that was printed must not stand alone. While that of
 * the payment is still on its way the effect stays in the outbox and is tried again. A payment without a printed
 * receipt needs none; any other reason is kept as the result.
 */
export const refundReceipts =
  (parts: RefundReceiptParts): NonNullable<EffectHandlers['refundReceipt']> =>
  async ({ operationId, staffId }) => {
    const now = parts.clock.now()
    const outcome = await writing(parts, async (client) => {
      const query = { operationId, visible: null, configId: null, timeZone: parts.timeZone(), now }
      const prepared = await prepareOrder(client, query)
      if (prepared.kind === 'ready') await queueOrder(client, prepared.order, { ...author, staffId }, now)
      return prepared
    })
    if (outcome.kind === 'missing') return { receipt: 'missing' }
    if (outcome.kind === 'ready') {
      parts.fiscal.wake()
      return { receipt: 'queued' }
    }
    return outcome.reason === 'stillOnItsWay' ? null : { receipt: outcome.reason }
  }

const author: Author = systemAuthor('refund_receipt')
