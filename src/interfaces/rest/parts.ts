import type { Pool } from 'pg'
import type { Accounts } from '../../billing/accounts/messages.ts'
import type { Log } from '../../platform/log.ts'
import type { Sealing } from './rows.ts'

/** What was written, in the names of the tables. `signsOut`: of users, whose clients must sign in again everywhere. */
export type Changed = { readonly table: string; readonly ids: readonly number[]; readonly signsOut?: boolean }

/** What this parts stands on. */
export type RestParts = {
  readonly database: { readonly pool: Pool }
  readonly accounts: Accounts
  readonly secrets: Sealing
  /** Resolves when the next RADIUS request sees the change. */
  readonly changed: (change: Changed) => Promise<void>
  /** {base_url} of links. */
  readonly publicUrl: () => string
  /** TIME_ZONE: days and months of filters, and datetimes without an offset, are of this zone. */
  readonly timeZone: () => string
  readonly log: Log
}
