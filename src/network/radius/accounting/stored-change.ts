import type { NewSession } from './live-session.ts'

/** The owner of a login in the access table. */
export type LoginOwner = { userId: number; subscriberId: number; organizationId: number | null; login: string }

/** What the row of a session says beside its counters. */
export type StoredDetails = Pick<
  NewSession,
  | 'nasIdentity'
  | 'ip'
  | 'offeredIp'
  | 'ipv6Prefix'
  | 'delegatedIpv6Prefix'
  | 'mac'
  | 'callingStationId'
  | 'nasPort'
  | 'inGarden'
  | 'inputOctets'
  | 'outputOctets'
>

/** By how much a session has grown that had ended; the row `id` of traffic_late has what it had been before. */
export type Late = {
  readonly id: number
  readonly sessionId: number
  /** When it was told of last; milliseconds since 1970. */
  readonly fromMs: number
  readonly input: bigint
  readonly output: bigint
}

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
  /** Null unless it has grown though it had ended, or was not known in memory. */
  late: Late | null
}

/** The row of a session, its start and its owner. */
export type StoredId = Pick<
  StoredChange,
  'id' | 'userId' | 'subscriberId' | 'organizationId' | 'userLogin' | 'startedAtMs'
>
