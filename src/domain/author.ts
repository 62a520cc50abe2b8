import type { StaffId } from './ids.ts'

/** Who gave a command, for the audit. Background work has no staff id. */
export type Author = {
  staffId: StaffId | null
  name: string
  address: string | null
  /** Set where nobody waits for the answer, so that commands of people are committed first. */
  isBackground?: true
}

export const systemAuthor = (name: string): Author => ({ staffId: null, name, address: null, isBackground: true })
