import type { Session } from '../domain/events.ts'
import type { OrganizationId } from '../domain/ids.ts'
import type { FrameBody } from './sockets.ts'

/** What a client may subscribe to (contract section 7). */
export type Topic = (typeof plainTopics)[number] | `abonent:${number}`

export const plainTopics = ['sessions', 'blocks', 'finance', 'radius', 'tickets', 'system'] as const

export type NoticeType =
  | 'session.started'
  | 'session.updated'
  | 'session.stopped'
  | 'block.changed'
  | 'balance.changed'
  | 'payment.credited'
  | 'promise.changed'
  | 'access.rejected'
  | 'coa.answered'
  | 'ticket.changed'
  | 'mailing.progress'
  | 'radius.rates'
  | 'job.changed'
  | 'system'

/** The organization that an event belongs to; an event of none (null) is shown to those who see all organizations. */
export type Audience = OrganizationId | null | 'everybody'

export type FrameFields = Readonly<Record<string, unknown>>

/** An event as it is sent to sockets. */
export type Notice = {
  type: NoticeType
  at: Date
  topics: readonly Topic[]
  audience: Audience
  /** A waiting frame with the same key is superseded by this one. Left out when every frame counts. */
  replaces?: string
  fields: FrameFields
}

/** The organizations that a viewer may see; null means all. */
export type VisibleOrganizations = ReadonlySet<OrganizationId> | null

export const sees = (visible: VisibleOrganizations, audience: Audience): boolean =>
  audience === 'everybody' || visible === null || (audience !== null && visible.has(audience))

export const writeFrame = (type: string, at: Date, fields: FrameFields): FrameBody =>
  JSON.stringify({ type, at, ...fields }).slice(0, -1)

/** Octets are exact up to 2^53 (nine petabytes), the limit of a JavaScript client too. */
export const sessionFields = (session: Session): FrameFields => ({
  // A number, as the endpoints have it.
  id: Number(session.id),
  login: session.login,
  abonent_id: session.subscriberId,
  organization_id: session.organizationId,
  nas_id: session.nasId,
  nas_ip: session.nasIp,
  nas_ip_address: session.nasIdentity.ipAddress,
  nas_ipv6_address: session.nasIdentity.ipv6Address,
  nas_identifier: session.nasIdentity.identifier,
  acct_session_id: session.acctSessionId,
  ip: session.ip,
  ipv6_prefix: session.ipv6Prefix,
  mac: session.mac,
  started_at: session.startedAt,
  updated_at: session.updatedAt,
  session_time: session.sessionTime,
  input_octets: Number(session.inputOctets),
  output_octets: Number(session.outputOctets),
  ended_at: session.endedAt,
  end_reason: session.endReason,
})
