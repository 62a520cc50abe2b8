import type { NewSession } from './session-table.ts'

/** The owner of a login in the access table. */
export type LoginOwner = { userId: number; subscriberId: number; organizationId: number | null; login: string }

/** What the row of a session says beside its counters. */
export type StoredDetails = Pick<
  NewSession,
  'nasIdentity' | 'ip' | 'offeredIp' | 'ipv6Prefix' | 'mac' | 'callingStationId' | 'nasPort' | 'inGarden'
>

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
  /**
   * What is known of a session that lives and may be unknown in memory, because its end was only presumed. Null for a
   * new one, of which everything stands in the change.
   */
  details: StoredDetails | null
}

/** The row of a session and its owner. */
export type StoredId = Pick<StoredChange, 'id' | 'userId' | 'subscriberId' | 'organizationId' | 'userLogin'>
