import type { Payments } from '../../../billing/payments/payments.ts'
import type { Route } from '../../../platform/http/call.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { paymentProblemRoutes } from './problems.ts'
import { refundRoutes } from './refunds.ts'
import { paymentSettingRoutes } from './settings.ts'

export type PaymentRouteParts = TransactionScope & { readonly settings: Settings; readonly payments: Payments }

/** The endpoints of online payments for operators. */
export const paymentRoutes = (parts: PaymentRouteParts): Route[] => [
  ...paymentProblemRoutes(parts),
  ...refundRoutes(parts),
  ...paymentSettingRoutes(parts),
]
