import type { StaffId } from './ids.ts'

/** Who asked, for the audit. Automatic work has no staff id. */
export type Author = {
  staffId: StaffId | null
  name: string
  address: string | null
  /** Nobody sits and waits for the answer: turns of others are committed first. */
  isPatient?: true
}

export const systemAuthor = (name: string): Author => ({ staffId: null, name, address: null, isPatient: true })
