import type { Session } from '../../../domain/events.ts'
import type { LoginId, NasId } from '../../../domain/ids.ts'
import type { NasIdentity } from '../../../domain/nas.ts'

/** A live session with what counting, address leases and Disconnect-Requests need in addition. */
export type LiveSession = Session & {
  /** Users.id of the login; null for an unknown login. */
  userId: LoginId | null
  /** Users.login where User-Name is another spelling (MAC authentication), else the same as `login`. */
  userLogin: string
  callingStationId: string | null
  /** The address that the sign-in offered, where accounting names none. The NAS need not know it. */
  offeredIp: string | null
  nasPort: number | null
  /** Whether it was admitted to the walled garden only; null when it brought no Class attribute of ours. */
  inGarden: boolean | null
  /** The other node that heard of it last, and has its counters; null: this one. */
  node: number | null
  /** Its slot in the table. Slots are reused, so it is valid only together with `id`. */
  slot: number
}

/**
 * Who counts sessions of logins and holds addresses for them (access/writer.ts). Called after the session is stored.
 */
export type SessionListener = {
  /** False when the address of the session has been given to somebody else. */
  readonly sessionStarted: (session: LiveSession) => boolean
  /** The address or the login of a live session became known or changed. */
  readonly sessionMoved: (before: LiveSession, after: LiveSession) => void
  readonly sessionStopped: (session: LiveSession) => void
}

/** What identifies a session. */
export type SessionKey = { nasId: NasId; nasIdentity: NasIdentity; acctSessionId: string; login: string }

export type NewSession = SessionKey & {
  /** A negative id is provisional: the database was unavailable. */
  id: number
  nasIp: string
  userId: number | null
  subscriberId: number | null
  organizationId: number | null
  userLogin: string | null
  ip: string | null
  offeredIp: string | null
  ipv6Prefix: string | null
  delegatedIpv6Prefix: string | null
  mac: string | null
  callingStationId: string | null
  nasPort: number | null
  inGarden: boolean | null
  /** The other node that heard of it last; left out or null: this one. */
  node?: number | null
  startedAtMs: number
  /** When the last packet about it was received, by our clock; milliseconds since 1970. */
  receivedAtMs: number
  /** When what it says of the octets was so, by the NAS; milliseconds since 1970. */
  reportedAtMs: number
  sessionTime: number
  inputOctets: bigint
  outputOctets: bigint
}

/** `atMs` is when they were so. */
export type Counters = { atMs: number; sessionTime: number; inputOctets: bigint; outputOctets: bigint }
