import type { SubscriberId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'

/** As in operator_name and LK_PAYMENT_SYSTEM. */
export type GatewayName = 'gwa' | 'gwb'

/** How money is asked for and told of: REST v3 and the HTTP protocol of gateway A, the form of gateway B. */
export type Protocol = 'rest' | 'http' | 'form'

export const isGatewayName = (name: unknown): name is GatewayName => name === 'gwa' || name === 'gwb'

/** A payment that a gateway has proved to be its own word. What it is about has not been compared with anything yet. */
export type PaymentNotice = {
  readonly gateway: GatewayName
  readonly protocol: Protocol
  /** The payment's id at the gateway: operator_pay_id_str. */
  readonly gatewayId: string
  /** Our order; null where the gateway names none. */
  readonly orderId: number | null
  readonly subscriberId: SubscriberId
  /** With the commission. */
  readonly paid: Money
  /** What metadata signed by us say is to be credited; null: the stored order says it. */
  readonly credit: Money | null
  /** The gateway's own word for success: operator_result. */
  readonly result: string
}
