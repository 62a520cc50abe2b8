import type { Author } from '../../domain/author.ts'
import { type StaffId, staffId } from '../../domain/ids.ts'
import type { Call } from '../http/call.ts'

/** Who writes, for the audit. Doors that need a sign-in never see a call without staff. */
export const authorOf = ({ staff, address }: Call): Author => ({
  staffId: staff?.id ?? null,
  name: staff?.username ?? '',
  address,
})

export const staffOf = ({ staff }: Call): StaffId => staff?.id ?? staffId(0)
