import { dayMs } from '../../../domain/calendar.ts'
import type { NasId } from '../../../domain/ids.ts'
import { normalMac } from '../../../domain/mac.ts'
import type { NasIdentity } from '../../../domain/nas.ts'
import { readAccounting, type AccountingStatus as WireStatus } from '../wire/accounting.ts'
import { attributes } from '../wire/attribute-types.ts'
import { PacketView } from '../wire/packet.ts'
import { isOurClass } from '../worker/session-class.ts'
import { nasIdentity } from './nas-identity.ts'
import { sessionTerms } from './session-terms.ts'

/** The status types that are stored. Others (tunnels, failed) are only answered and counted. */
type AccountingStatus = Exclude<WireStatus, 'other'>

/**
 * One Accounting-Request (RFC 2866) as far as it could be read. An absent or malformed attribute is null, an absent
 * counter 0.
 */
export type AccountingRecord = {
  status: AccountingStatus | null
  nasId: NasId
  /**
   * The Request Authenticator in hex. It is the same for the same bytes, so it distinguishes a retransmission from a
   * new Start. Empty for an Interim-Update and a Stop, whose repetition changes nothing.
   */
  mark: string
  /** When it happened, by Event-Timestamp or Acct-Delay-Time; milliseconds since 1970. */
  atMs: number
  /**
   * It carries an Acct-Delay-Time, so it may be a retransmission with other bytes. The delay is in whole seconds, so
   * `atMs` may be up to one second late.
   */
  delayed: boolean
  /** When we received it; milliseconds since 1970. */
  receivedAtMs: number
  /** By how much its Event-Timestamp is later than it was sent by our clock; null: it has none. */
  clockAheadMs?: number | null
  login: string
  acctSessionId: string
  nasIdentity: NasIdentity
  /** The source address of the packet; null when it is not known. */
  nasIp: string | null
  ip: string | null
  /** The address that the login held when the packet came, where that is kept; left out: nobody has asked. */
  offeredIp?: string | null
  ipv6Prefix: string | null
  delegatedIpv6Prefix: string | null
  mac: string | null
  callingStationId: string | null
  calledStationId: string | null
  nasPort: number | null
  nasPortId: string | null
  className: string | null
  sessionTime: number
  inputOctets: bigint
  outputOctets: bigint
  /** The octets came without Gigawords, so after 4 GiB they begin anew (wrapped-counters.ts). */
  inputMayWrap?: boolean
  outputMayWrap?: boolean
  inputPackets: number
  outputPackets: number
  terminateCause: string | null
}

/** The end reason of a Stop without Acct-Terminate-Cause. */
const causeUnknown = 'Unknown'
const int8Max = 2n ** 63n - 1n
const view = new PacketView()

/**
 * What RADIUS_SESSIONS stores of the packet in bytes[from..to). Never throws: in a datagram that is no packet
 * everything is absent.
 */
export function readAccountingRecord(
  bytes: Buffer,
  nasId: NasId,
  receivedAtMs: number,
  nasIp: string | null = null,
  from = 0,
  to = bytes.length,
): AccountingRecord {
  const fault = view.reset(bytes, from, to)
  const read = readAccounting(view)
  const status = read.statusType === 'other' ? null : read.statusType
  return {
    status,
    nasId,
    mark: status === 'interim' || status === 'stop' ? '' : fault ? noMark : view.authenticator.toString('hex'),
    atMs: happenedAt(receivedAtMs, read.delayTime ?? 0, read.eventTimestamp ?? 0),
    delayed: (read.delayTime ?? 0) > 0,
    receivedAtMs,
    clockAheadMs: read.eventTimestamp
      ? read.eventTimestamp * 1000 - (receivedAtMs - (read.delayTime ?? 0) * 1000)
      : null,
    login: read.userName ?? '',
    acctSessionId: read.acctSessionId ?? '',
    nasIdentity: nasIdentity(read.nasIp, read.nasIpv6, read.nasIdentifier),
    nasIp,
    ip: read.framedIp,
    ipv6Prefix: read.framedIpv6Prefix,
    delegatedIpv6Prefix: read.delegatedIpv6Prefix,
    mac: read.callingStationId === null ? null : normalMac(read.callingStationId),
    callingStationId: storable(read.callingStationId),
    calledStationId: storable(read.calledStationId),
    nasPort: read.nasPort,
    nasPortId: storable(read.nasPortId),
    className: read.class && shownOpaque(ourClassAmong(read.class)),
    sessionTime: read.sessionTime ?? 0,
    inputOctets: withinInt8(read.inputOctets),
    outputOctets: withinInt8(read.outputOctets),
    inputMayWrap: read.inputOctets !== null && read.inputGigawords === null,
    outputMayWrap: read.outputOctets !== null && read.outputGigawords === null,
    inputPackets: read.inputPackets ?? 0,
    outputPackets: read.outputPackets ?? 0,
    terminateCause: read.terminateCause ?? (status === 'stop' ? causeUnknown : null),
  }
}

const noMark = '0'.repeat(32)

/**
 * When a packet happened, in milliseconds since 1970. Event-Timestamp counts whole seconds, so where it agrees with the
 * time of arrival, that time is used, because it has milliseconds. A NAS whose clock is ahead, or far behind, is not
 * trusted; then Acct-Delay-Time says how late the packet is.
 */
export function happenedAt(receivedAtMs: number, delaySeconds: number, stampSeconds: number): number {
  const delayedMs = delaySeconds * 1000 <= 7 * dayMs ? receivedAtMs - delaySeconds * 1000 : receivedAtMs
  if (stampSeconds === 0) return delayedMs
  const lateMs = receivedAtMs - stampSeconds * 1000
  if (Math.abs(lateMs) < sessionTerms.roundingMs) return delayedMs
  return lateMs > 0 && lateMs <= dayMs ? stampSeconds * 1000 : delayedMs
}

const withinInt8 = (octets: bigint | null): bigint => (octets === null ? 0n : octets > int8Max ? int8Max : octets)

/** PostgreSQL does not accept NUL in text. */
const storable = (text: string | null): string | null => (text?.includes('\0') ? text.replaceAll('\0', '') : text)

/** The Class attribute in `view` that is ours, or else the first one: a proxy may have added its own. */
const ourClassAmong = (first: Buffer): Buffer =>
  isOurClass(first) ? first : (view.findAll(attributes.class).find(isOurClass) ?? first)

/** The octets as text where all are printable, otherwise in hex after `0x`. */
function shownOpaque(octets: Buffer): string {
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    if (octet < 0x20 || octet > 0x7e) return `0x${octets.toString('hex')}`
  }
  return octets.toString('latin1')
}
