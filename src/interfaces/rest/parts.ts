import type { AccountParts } from '../../billing/accounts/account-writes.ts'

/** What REST stands on. */
export type RestParts = AccountParts & {
  /** {base_url} of links. */
  readonly publicUrl: () => string
}
