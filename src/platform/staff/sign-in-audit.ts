import type { StaffId } from '../../domain/ids.ts'
import { writeAudit } from '../storage/audit.ts'
import type { Queries } from './staff-table.ts'

/** What somebody who signs in, or out, does. */
export type SignInEvent = {
  readonly action: 'sign_in' | 'sign_in_failed' | 'sign_out'
  /** Null where a name that nobody has was tried. */
  readonly staffId: StaffId | null
  readonly username: string
  readonly address: string
  /** `page`, `api`, `soap`, or the step that asked for the present password. */
  readonly by: string
}

/** Everybody may try names, and the audit is kept for good: further failures of a minute are in the log only. */
const failuresPerMinuteMax = 60
const minuteMs = 60_000

/** Writes sign-ins to the audit, with the address that they came from. */
export class SignInAudit {
  readonly #database: Queries
  #minute = 0
  #failures = 0

  constructor(database: Queries) {
    this.#database = database
  }

  async write({ action, staffId, username, address, by }: SignInEvent, nowMs: number): Promise<void> {
    if (action === 'sign_in_failed' && !this.#takesFailure(nowMs)) return
    // Whoever failed is not proved to be the staff user, so the row concerns that user and is not by them.
    const author = { staffId: action === 'sign_in_failed' ? null : staffId, name: username, address }
    const id = staffId === null ? '' : String(staffId)
    const diff = { by: [null, by] } as const
    await writeAudit(this.#database, { author, table: 'STAFF', id, action, diff, organizationId: null })
  }

  #takesFailure(nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs)
    if (minute !== this.#minute) [this.#minute, this.#failures] = [minute, 0]
    this.#failures++
    return this.#failures <= failuresPerMinuteMax
  }
}
