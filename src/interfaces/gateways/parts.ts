import type { PaymentSettings } from '../../billing/payments/gateways.ts'
import type { Payments } from '../../billing/payments/payments.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call } from '../../platform/http/call.ts'

/** What the handlers of all protocols depend on. */
export type WebhookParts = {
  readonly payments: Pick<Payments, 'takeNotice' | 'signedBy'>
  readonly settings: PaymentSettings
  readonly clock: Clock
}

/** The part of an HTTP call that a notice is read from. */
export type NoticeCall = Pick<Call, 'header' | 'body' | 'address'>
