import type { AccountParts } from '../../billing/accounts/account-writes.ts'

/** What the handlers of REST depend on. */
export type RestParts = AccountParts & {
  /** The base URL of links. */
  readonly publicUrl: () => string
}
