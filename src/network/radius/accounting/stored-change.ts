/** Whose a login is, as the access table knows it. */
export type LoginOwner = { userId: number; subscriberId: number; organizationId: number | null; login: string }

/** What the table made of a change whose row was not known. */
export type StoredChange = {
  /** Its place among the changes that were judged together. */
  index: number
  id: number
  added: boolean
  live: boolean
  startedAtMs: number
  endReason: string | null
  userId: number | null
  subscriberId: number | null
  organizationId: number | null
  userLogin: string | null
}

/** The row of a session and whose it is. */
export type StoredId = Pick<StoredChange, 'id' | 'userId' | 'subscriberId' | 'organizationId' | 'userLogin'>
