import type { Reach } from '../../../domain/account.ts'
import type { AddressChange, AddressChanges } from '../../../domain/effects.ts'
import { normalMac } from '../../../domain/mac.ts'
import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import { isSameStation } from '../../access/station.ts'
import { isUnnamed } from '../accounting/nas-identity.ts'
import { endReasons } from '../accounting/session-terms.ts'
import type { LiveSession } from '../accounting/live-session.ts'
import { errorCauses } from '../wire/attribute-types.ts'
import type { CoaOutcome } from './coa-outcome.ts'
import type { CoaRequestKind, CoaSubject } from './coa-packet.ts'

/** One request about one session, to the NAS that should have it. */
export type PlannedRequest = {
  kind: CoaRequestKind
  nas: NasEntry
  /** Where it is sent. */
  address: string
  session: LiveSession
  extra?: Uint8Array
}

/** What one request that was sent is about. */
export type SentRequest = { kind: CoaRequestKind; nas: NasEntry; login: string; session: LiveSession | null }

/**
 * Where a NAS listens for requests about a session: at an address of its own, or where its packets come from. Null for
 * a record of a network that has no address of its own, and a session of an older version, which knew none.
 */
export const coaAddress = ({ coaIp, ip }: NasEntry, session: Pick<LiveSession, 'nasIp'> | null): string | null =>
  coaIp ?? ip ?? (session?.nasIp || null)

/** A Disconnect of one session, under the User-Name that the NAS itself sent. The NAS has an address (coaAddress). */
export const planSessionDisconnect = (nas: NasEntry, session: LiveSession): PlannedRequest => ({
  kind: 'disconnect',
  nas,
  address: coaAddress(nas, session)!,
  session,
})

/** Encoded attributes; `nothing` where the NAS is not told of VLANs; null where only a new sign-in tells the change. */
export type SpeedChange = Uint8Array | 'nothing' | null

/**
 * A CoA with a new speed for one session; null when the NAS has no attributes for it and must disconnect the session
 * instead.
 */
export function planSpeed(nas: NasEntry, session: LiveSession, attributes: Uint8Array | null): PlannedRequest | null {
  const hasNone = nas.type === 'generic' && nas.template === undefined
  if (hasNone || attributes === null || attributes.length === 0) return null
  return { kind: 'coa', nas, address: coaAddress(nas, session)!, session, extra: attributes }
}

/**
 * Whether a session has access that its login would not get now. A session without a Class attribute of ours may or may
 * not be in the walled garden, so it is only compared with `closed`.
 */
export const hasOutdatedAccess = ({ inGarden }: Pick<LiveSession, 'inGarden'>, reach: Reach): boolean =>
  reach === 'closed' || (inGarden !== null && inGarden !== (reach === 'garden'))

/**
 * Whether a session has another address than a new sign-in of its login would get, or came by a MAC address that is its
 * login's no longer. `delegated` is its Delegated-IPv6-Prefix.
 */
export function hasMoved(session: LiveSession, delegated: string | null, changes: AddressChanges): boolean {
  const { ip, ipv6Prefix, delegatedIpv6Prefix, mac } = changes
  return (
    isOther(session.ip ?? session.offeredIp, ip) ||
    isOther(session.ipv6Prefix, ipv6Prefix) ||
    isOther(delegated, delegatedIpv6Prefix) ||
    (mac !== undefined && mac.was !== null && normalMac(session.login) === mac.was)
  )
}

/** A session may keep the address that it got of a pool where its login lost a fixed one it did not have. */
const isOther = (told: string | null, change: AddressChange | undefined): boolean =>
  change !== undefined && (change.is === null ? told === change.was : told !== change.is)

/** What a request about a session names. Where its packets named no NAS, that is the one NAS of its record. */
export const subjectOf = ({ session }: PlannedRequest, nasIdentity: NasIdentity): CoaSubject => ({
  login: session.login,
  nasIdentity: isUnnamed(session.nasIdentity) ? nasIdentity : session.nasIdentity,
  session: { acctSessionId: session.acctSessionId, ip: session.ip, nasPort: session.nasPort },
})

/**
 * What a NAS that refuses a Disconnect for an attribute is asked in its place: to disconnect the session by its
 * Acct-Session-Id only, because hostapd reports NAS-Port and Framed-IP-Address but does not take them in a Disconnect.
 * Null when the answer was another or there is nothing to leave out.
 */
export function subjectAfter(
  { kind, subject }: { kind: CoaRequestKind; subject: CoaSubject },
  outcome: CoaOutcome | null,
): CoaSubject | null {
  const { session } = subject
  if (kind !== 'disconnect' || outcome?.errorCause !== errorCauses.unsupportedAttribute || session === null) return null
  if (session.ip === null && session.nasPort === null) return null
  return { ...subject, session: { ...session, ip: null, nasPort: null } }
}

/** The END_REASON that the outcome of a Disconnect gives the session; null leaves it live. Contract section 6. */
export function endReasonAfter({ result, errorCause }: CoaOutcome, heldSession: boolean): string | null {
  if (result === 'ack') return endReasons.disconnectAck
  if (result === 'nak' && errorCause === errorCauses.sessionContextNotFound && heldSession)
    return endReasons.disconnectNak
  return null
}

/** The oldest sessions of its login beyond those that it may have; none where `replaceBeyond` says null. */
export function replacedBy(
  { slot, userLogin, callingStationId }: LiveSession,
  sessions: { liveOf(login: string): LiveSession[] },
  replaceBeyond: (login: string) => number | null,
): LiveSession[] {
  const allowed = replaceBeyond(userLogin)
  if (allowed === null) return []
  // An older session of the same station is being ended as replaced, so it does not count.
  const live = sessions
    .liveOf(userLogin)
    .filter((one) => one.slot === slot || !isSameStation(one.callingStationId, callingStationId))
  return live.slice(0, Math.max(0, live.length - allowed)).filter((one) => one.slot !== slot)
}
