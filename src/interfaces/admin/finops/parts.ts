import type { AccountParts } from '../../../billing/accounts/account-writes.ts'
import type { CashDesk } from '../../../billing/cash/limits.ts'
import type { Payments } from '../../../billing/payments/payments.ts'
import type { Countings } from '../countings.ts'

/** What finance operations of the web admin use. */
export type FinopsParts = Pick<AccountParts, 'database' | 'timeZone' | 'secrets'> & {
  readonly accounts: Pick<AccountParts['accounts'], 'ask'>
  readonly cashDesk: Pick<CashDesk, 'take'>
  readonly payments: Pick<Payments, 'refunds'>
  readonly countings: Countings
}
