import type { Author } from '../../domain/author.ts'
import { type StaffId, staffId } from '../../domain/ids.ts'
import type { Call } from '../http/call.ts'

/** The author of a change, for the audit. At the doors that require a sign-in, a call always has a staff user. */
export const authorOf = ({ staff, address }: Call): Author => ({
  staffId: staff?.id ?? null,
  name: staff?.username ?? '',
  address,
})

export const staffOf = ({ staff }: Call): StaffId => staff?.id ?? staffId(0)
