import { firstAddressWord, formatIpv4 } from './address.ts'
import { attributes } from './attribute-types.ts'
import { octetText } from './octet-text.ts'
import type { PacketView } from './packet.ts'

/**
 * Acct-Status-Type (RFC 2866 section 5.1); `other` are the tunnels of RFC 2867, Failed, and whatever a vendor invents.
 */
export type AccountingStatus = 'start' | 'stop' | 'interim' | 'on' | 'off' | 'other'

const statuses: Readonly<Record<number, AccountingStatus>> = { 1: 'start', 2: 'stop', 3: 'interim', 7: 'on', 8: 'off' }

/** RFC 2866 section 5.10 from 1 on; 19 to 22 are of RFC 3580, 23 of RFC 6677. */
const terminateCauses: readonly string[] = [
  'User-Request',
  'Lost-Carrier',
  'Lost-Service',
  'Idle-Timeout',
  'Session-Timeout',
  'Admin-Reset',
  'Admin-Reboot',
  'Port-Error',
  'NAS-Error',
  'NAS-Request',
  'NAS-Reboot',
  'Port-Unneeded',
  'Port-Preempted',
  'Port-Suspended',
  'Service-Unavailable',
  'Callback',
  'User-Error',
  'Host-Request',
  'Supplicant-Restart',
  'Reauthentication-Failure',
  'Port-Reinitialized',
  'Port-Administratively-Disabled',
  'Lost-Power',
]

/** Null: the packet has no Acct-Status-Type, or not one of four octets. */
export function statusOf(packet: PacketView): AccountingStatus | null {
  const status = packet.integer(attributes.acctStatusType)
  return status === null ? null : (statuses[status] ?? 'other')
}

/** The contents of an Accounting-Request as plain values. Null means absent or of a wrong length. */
export function readAccounting(packet: PacketView) {
  const cause = packet.integer(attributes.acctTerminateCause)
  return {
    statusType: statusOf(packet),
    userName: octetText(packet, attributes.userName),
    acctSessionId: octetText(packet, attributes.acctSessionId),
    acctMultiSessionId: packet.text(attributes.acctMultiSessionId),
    nasIp: packet.ipv4(attributes.nasIpAddress),
    nasIpv6: packet.ipv6(attributes.nasIpv6Address),
    /** See octet-text.ts, also for userName and acctSessionId. */
    nasIdentifier: octetText(packet, attributes.nasIdentifier),
    /** Seconds. */
    sessionTime: packet.integer(attributes.acctSessionTime),
    /** Octets, including the Gigawords of RFC 2869 section 5.1; "input" is what the subscriber sent. */
    inputOctets: octets(packet, attributes.acctInputOctets, attributes.acctInputGigawords),
    outputOctets: octets(packet, attributes.acctOutputOctets, attributes.acctOutputGigawords),
    inputGigawords: packet.integer(attributes.acctInputGigawords),
    outputGigawords: packet.integer(attributes.acctOutputGigawords),
    inputPackets: packet.integer(attributes.acctInputPackets),
    outputPackets: packet.integer(attributes.acctOutputPackets),
    framedIp: clientAddress(packet),
    framedIpv6Prefix: packet.ipv6Prefix(attributes.framedIpv6Prefix),
    delegatedIpv6Prefix: packet.ipv6Prefix(attributes.delegatedIpv6Prefix),
    callingStationId: packet.text(attributes.callingStationId),
    calledStationId: packet.text(attributes.calledStationId),
    nasPort: packet.integer(attributes.nasPort),
    nasPortId: packet.text(attributes.nasPortId),
    /** A name of RFC 2866 section 5.10, or the number when it has none. */
    terminateCause: cause === null ? null : (terminateCauses[cause - 1] ?? String(cause)),
    /** Seconds this packet has been tried for. */
    delayTime: packet.integer(attributes.acctDelayTime),
    /** Seconds since 1970 by the clock of the NAS. */
    eventTimestamp: packet.integer(attributes.eventTimestamp),
    /** A view of the first Class. */
    class: packet.find(attributes.class),
  }
}

/** Null also for 0.0.0.0, which some NAS send until they know the address of the client. */
function clientAddress(packet: PacketView): string | null {
  const address = packet.integer(attributes.framedIpAddress) ?? 0
  return address === 0 || address >= firstAddressWord ? null : formatIpv4(address)
}

function octets(packet: PacketView, low: number, high: number): bigint | null {
  const octets = packet.integer(low)
  const gigawords = packet.integer(high) ?? 0
  if (octets === null) return gigawords === 0 ? null : BigInt(gigawords) << 32n
  // Most sums fit a double, which makes one bigint instead of three.
  return gigawords < 0x20_0000
    ? BigInt(gigawords * 0x1_0000_0000 + octets)
    : (BigInt(gigawords) << 32n) | BigInt(octets)
}
