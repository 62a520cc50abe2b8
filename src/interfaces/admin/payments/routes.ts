import type { Payments } from '../../../billing/payments/payments.ts'
import type { Route } from '../../../platform/http/call.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { webhookRoutes } from '../../gateways/routes.ts'
import { paymentProblemRoutes } from './problems.ts'
import { paymentSettingRoutes } from './settings.ts'

export type PaymentRouteParts = TransactionScope & { readonly settings: Settings; readonly payments: Payments }

/** The doors of online payments: the gateways', and the operators'. */
export const paymentRoutes = (parts: PaymentRouteParts): Route[] => [
  ...webhookRoutes(parts.payments),
  ...paymentProblemRoutes(parts, parts.payments),
  ...paymentSettingRoutes(parts),
]
