import type { Route } from '../../http/call.ts'
import type { Payments } from '../../payments/payments.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Seat } from '../rest-v2/session.ts'
import { paymentProblemRoutes } from './problems.ts'
import { paymentSettingRoutes } from './settings.ts'
import { webhookRoutes } from './webhook.ts'

export type PaymentRouteParts = Seat & { readonly settings: Settings; readonly payments: Payments }

/** The doors of online payments: the gateways', and the operators'. */
export const paymentRoutes = (parts: PaymentRouteParts): Route[] => [
  ...webhookRoutes(parts.payments),
  ...paymentProblemRoutes(parts, parts.payments),
  ...paymentSettingRoutes(parts),
]
