import type { AccountParts } from '../../billing/accounts/account-writes.ts'

/** What REST needs. */
export type RestParts = AccountParts & {
  /** {base_url} of links. */
  readonly publicUrl: () => string
}
