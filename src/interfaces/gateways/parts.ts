import type { PaymentSettings } from '../../billing/payments/gateways.ts'
import type { PaymentNotice } from '../../billing/payments/notice.ts'
import type { ReadNotice } from '../../billing/payments/notices.ts'
import type { Payments } from '../../billing/payments/payments.ts'
import type { ProblemReason } from '../../billing/payments/problem-reasons.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Call } from '../../platform/http/call.ts'

/** What the handlers of all protocols depend on. */
export type WebhookParts = {
  readonly payments: Pick<Payments, 'takeNotice' | 'signedBy'>
  readonly settings: PaymentSettings
  readonly clock: Clock
}

/** A notice that is not proved to be genuine, or is not meant for us. */
export const refused = (reason: ProblemReason, detail: string, notice: PaymentNotice | null = null): ReadNotice => ({
  kind: 'refused',
  reason,
  detail,
  notice,
})

/** The part of an HTTP call that a notice is read from. */
export type NoticeCall = Pick<Call, 'header' | 'body' | 'address' | 'span'>
