import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money } from '../../domain/money.ts'

/**
 * Gateway A, HTTP protocol (specification 4.4): the client's browser posts a form, and the gateway sends its checks and
 * notices to the webhook.
 */

export type FormOrder = {
  readonly shopId: string
  readonly scid: string
  readonly payable: Money
  readonly subscriberId: SubscriberId
  readonly orderId: number
  readonly successUrl: string
  readonly failUrl: string
  readonly email: string
  readonly phone: string
  /** ym_merchant_receipt; null: none is sent. */
  readonly receipt: string | null
}

/** What the client's browser posts to {gwa_form_url}. An empty paymentType lets the client choose. */
export const formFields = (order: FormOrder): Readonly<Record<string, string>> => ({
  shopId: order.shopId,
  scid: order.scid,
  sum: formatRubles(order.payable),
  customerNumber: String(order.subscriberId),
  orderNumber: String(order.orderId),
  shopSuccessURL: order.successUrl,
  shopFailURL: order.failUrl,
  cps_email: order.email,
  cps_phone: order.phone,
  paymentType: '',
  ...(order.receipt !== null && { ym_merchant_receipt: order.receipt }),
})
