import type { AccountParts } from '../../billing/accounts/account-writes.ts'
import type { CashDesk } from '../../billing/cash/limits.ts'

/** What the handlers of REST depend on. */
export type RestParts = AccountParts & {
  /** The base URL of links. */
  readonly publicUrl: () => string
  readonly cashDesk: Pick<CashDesk, 'take'>
}
