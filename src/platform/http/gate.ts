import type { StaffId } from '../../domain/ids.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import type { Call, Door, Reply, Route } from './call.ts'
import type { ClientUser } from './client-user.ts'

/** The part of a route that a gate needs. */
export type Guarded = Pick<Route, 'door' | 'right' | 'forAllOrganizations' | 'allowedReadOnly' | 'beforeSecondFactor'>

/** A call whose caller is not known yet. */
export type Arrival = Call & {
  /** The path as sent, percent-encoded. */
  readonly rawPath: string
  /**
   * Whether a proxy has passed it on that is not trusted, or did not say for whom. `address` is then that of the proxy.
   */
  readonly isForStranger: boolean
}

export type Refused = { readonly kind: 'refused'; readonly reply: Reply }

export type Admission =
  | { readonly kind: 'admitted'; readonly staff: StaffUser | null; readonly client: ClientUser | null }
  | Refused

/** The session that opened a WebSocket. */
export type SocketSession = {
  /** Identifies the session without being its secret key. */
  readonly id: string
  readonly staff: StaffUser
  /** Whether the session is still valid. Rejects Unavailable when the database is needed and unavailable. */
  stillHolds(): Promise<boolean>
}

/** One session by its id, or every session and token of a staff user. */
export type EndedSessions =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'staff'; readonly id: StaffId }

/** `session` is null at public doors. */
export type SocketAdmission = { readonly kind: 'admitted'; readonly session: SocketSession | null } | Refused

/**
 * The access check that every request passes before its handler: authentication (401), then CSRF, rights and
 * READ_ONLY_MODE (403). The HTTP server itself knows no users; the gate in platform/staff/gate.ts does.
 */
export type Gate = {
  /** Decides synchronously, unless the session must be read from its table. */
  admit(call: Arrival, route: Guarded): Admission | Promise<Admission>
  admitSocket(call: Arrival, door: Door): Promise<SocketAdmission>
  /** Registers a listener that is called when sessions end, so that their sockets are closed. */
  onSessionEnd(listener: (ended: EndedSessions) => void): void
}
