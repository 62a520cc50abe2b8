import type { SubscriberId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'

/** The gateway's name in operator_name and LK_PAYMENT_SYSTEM. */
export type GatewayName = 'gwa' | 'gwb'

/** How payments are requested and notified: REST v3 or the HTTP protocol of gateway A, or the form of gateway B. */
export type Protocol = 'rest' | 'http' | 'form'

export const isGatewayName = (name: unknown): name is GatewayName => name === 'gwa' || name === 'gwb'

/** A payment notice that is proved to come from the gateway. Its content has not been compared with any order yet. */
export type PaymentNotice = {
  readonly gateway: GatewayName
  readonly protocol: Protocol
  /** The payment's id at the gateway: operator_pay_id_str. */
  readonly gatewayId: string
  /** The id of our order; null where the gateway names none. */
  readonly orderId: number | null
  readonly subscriberId: SubscriberId
  /** The amount that was paid, including the commission. */
  readonly paid: Money
  /** The amount to be credited according to the metadata that we signed; null: the stored order decides. */
  readonly credit: Money | null
  /** The gateway's word for success, stored as operator_result. */
  readonly result: string
}
