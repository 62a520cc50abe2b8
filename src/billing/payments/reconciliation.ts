import type { GatewayAClient } from './gateway-a-client.ts'
import { currency, type GatewayPayment, noticeOf } from './gateway-a-rest.ts'
import { type PaymentSettings, speaksRest } from './gateways.ts'
import type { NoticeParts } from './notices.ts'
import type { Orders } from './orders.ts'

export type ReconciliationParts = NoticeParts & {
  readonly orders: Orders
  readonly gatewayA: Pick<GatewayAClient, 'list'>
  readonly settings: PaymentSettings
}

export type Reconciled = {
  /** Payments and orders that were compared with the gateway. */
  readonly checked: number
  /** Payments whose notice had been lost. */
  readonly credited: number
  /** Orders that can no longer be paid, or were not paid in time. */
  readonly closed: number
  /** Payments that could not be credited and are kept for the operator. */
  readonly problems: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Younger orders are left alone: they may still be in the middle of payment. */
const leaveAloneMs = 5 * minuteMs
/** Gateway B keeps an order for a day (specification 8); a later payment is credited nevertheless. */
const expiryMs = 24 * hourMs
/** How far back payments are listed, so that a weekend without the webhook is made up for. */
const lookBackMs = 72 * hourMs
const ordersMax = 200

/**
 * Makes our orders agree with what gateway A says of its payments: a payment whose notice was lost is credited in the
 * same way, a payment without an order or for an order that was paid before is kept for the operator, and unpaid orders
 * are closed.
 */
export async function reconcilePayments(
  parts: ReconciliationParts,
  now: Date,
  stopping: AbortSignal,
): Promise<Reconciled> {
  const counts = { checked: 0, credited: 0, closed: 0, problems: 0 }
  if (speaksRest(parts.settings)) {
    await settlePayments(parts, new Date(now.getTime() - lookBackMs), counts, stopping)
    await checkOrders(parts, new Date(now.getTime() - leaveAloneMs), counts, stopping)
  }
  counts.closed += await parts.orders.expire(new Date(now.getTime() - expiryMs))
  return counts
}

type Counts = { -readonly [K in keyof Reconciled]: Reconciled[K] }

/** All payments of the gateway, whether we know of them or not. */
async function settlePayments(
  parts: ReconciliationParts,
  since: Date,
  counts: Counts,
  stopping: AbortSignal,
): Promise<void> {
  for (let cursor: string | null = null; ; ) {
    const page = await parts.gatewayA.list(since, cursor)
    if (page.kind === 'unavailable') throw new Error(page.detail)
    for (const payment of page.payments) {
      stopping.throwIfAborted()
      await settle(parts, payment, counts)
    }
    if (page.next === null) return
    cursor = page.next
  }
}

/**
 * Checks open orders that had no succeeded payment: cancelled ones are closed, pending ones are checked again next
 * time.
 */
async function checkOrders(
  parts: ReconciliationParts,
  before: Date,
  counts: Counts,
  stopping: AbortSignal,
): Promise<void> {
  const { orders, gatewayA } = parts
  for (const order of await orders.open(before, ordersMax)) {
    stopping.throwIfAborted()
    if (order.protocol !== 'rest' || order.gatewayId === null) continue
    const read = await gatewayA.read(order.gatewayId)
    if (read.kind === 'unavailable') throw new Error(read.detail)
    counts.checked++
    const reason = read.kind === 'missing' ? 'The gateway knows no such payment.' : 'Cancelled.'
    if (read.kind === 'missing' || read.payment.status === 'canceled') {
      await orders.closed(order.id, 'failed', reason)
      counts.closed++
    } else if (read.payment.status === 'succeeded') await settle(parts, read.payment, counts)
    await orders.checked(order.id)
  }
}

async function settle(parts: ReconciliationParts, payment: GatewayPayment, counts: Counts): Promise<void> {
  const { crediting, log } = parts
  // The shop may sell other things as well; we did not sign those payments.
  if (payment.status !== 'succeeded' || (await crediting.signedBy(payment.metadata)) === null) return
  const notice = noticeOf(payment)
  if (!notice || payment.currency !== currency) return
  counts.checked++
  const credited = await crediting.credit(notice, { address: null })
  if (credited.kind === 'credited') {
    counts.credited++
    parts.observe('gwa', 'reconciled')
    const facts = { order: credited.order.id, payment: payment.id }
    log.warn('a payment was credited without a notice of the gateway', facts)
  }
  if (credited.kind !== 'refused') return
  counts.problems++
  const reason = credited.reason === 'unknownOrder' ? 'orphaned' : credited.reason
  const shown = () =>
    JSON.stringify({ ...payment, amount: undefined, metadata: { ...payment.metadata, signature: '***' } })
  await parts.problems.keep(
    { gateway: 'gwa', protocol: 'rest', address: null, shown, reason, detail: credited.detail, notice },
    { isSeenAgain: false },
  )
}
