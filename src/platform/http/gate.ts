import type { StaffUser } from '../../domain/staff-user.ts'
import type { Call, Door, Reply, Route } from './call.ts'
import type { ClientUser } from './client-user.ts'

/** What a gate has to know of a route. */
export type Guarded = Pick<Route, 'door' | 'right' | 'allowedReadOnly'>

/** A call before anybody knows who made it. `rawPath` is the path as sent, percent-encoded. */
export type Arrival = Call & { readonly rawPath: string }

export type Refused = { readonly kind: 'refused'; readonly reply: Reply }

export type Admission =
  | { readonly kind: 'admitted'; readonly staff: StaffUser | null; readonly client: ClientUser | null }
  | Refused

/** Who opened a WebSocket. */
export type SocketSession = {
  /** Names the session; never the secret that proves it. */
  readonly id: string
  readonly staff: StaffUser
  /** Rejects Unavailable when only the database could tell and it is away. */
  stillHolds(): Promise<boolean>
}

/** `session` is null at public doors. */
export type SocketAdmission = { readonly kind: 'admitted'; readonly session: SocketSession | null } | Refused

/**
 * The one place that every request passes before its handler: who is it (401), then CSRF, rights and READ_ONLY_MODE (403). The
 * server knows no identities; platform/staff/gate.ts does.
 */
export type Gate = {
  /** Immediate, unless the session has to be read from its table. */
  admit(call: Arrival, route: Guarded): Admission | Promise<Admission>
  admitSocket(call: Arrival, door: Door): Promise<SocketAdmission>
  /** Called with the id of each session that has ended. */
  onSessionEnd(listener: (session: string) => void): void
}
