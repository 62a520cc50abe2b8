/** The owner of a login in the access table. */
export type LoginOwner = { userId: number; subscriberId: number; organizationId: number | null; login: string }

/** What the database made of a change whose row was not known. */
export type StoredChange = {
  /** The index of the change among those that were judged together. */
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

/** The row of a session and its owner. */
export type StoredId = Pick<StoredChange, 'id' | 'userId' | 'subscriberId' | 'organizationId' | 'userLogin'>
