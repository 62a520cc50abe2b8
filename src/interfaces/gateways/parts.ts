import type { PaymentSettings } from '../../billing/payments/gateways.ts'
import type { Payments } from '../../billing/payments/payments.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call } from '../../platform/http/call.ts'

/** What the answers to all protocols are made of. */
export type WebhookParts = {
  readonly payments: Pick<Payments, 'takeNotice' | 'signedBy'>
  readonly settings: PaymentSettings
  readonly clock: Clock
}

/** What of a call a gateway's notice is made of. */
export type NoticeCall = Pick<Call, 'header' | 'body' | 'address'>
