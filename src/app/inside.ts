import type { Office, OfficeParts } from './office.ts'

/** Everything inside the program that routes may use. */
export type Inside = OfficeParts &
  Office & {
    /** Why the program cannot serve now; null: it can. */
    readonly notReady: () => string | null
  }
