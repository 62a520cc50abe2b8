import type { NasId } from '../domain/ids.ts'
import { formatIpv6 } from './wire/address.ts'
import { normalMac } from './wire/mac.ts'

export type AccountingStatus = 'start' | 'interim' | 'stop' | 'on' | 'off'

/** One Accounting-Request as far as it could be read; an absent or malformed attribute is null, an absent counter zero. */
export type AccountingRecord = {
  status: AccountingStatus | null
  nasId: NasId
  /** The Request Authenticator in hex: the same for the same bytes, so it tells a retransmission from a new Start. */
  mark: string
  /** When it happened, by Event-Timestamp or Acct-Delay-Time. */
  atMs: number
  /** It carries an Acct-Delay-Time, so it may be a retransmission with other bytes; whole seconds, so `atMs` is up to one late. */
  delayed: boolean
  /** When we received it. */
  heardAtMs: number
  login: string
  acctSessionId: string
  nasIpAddress: string | null
  ip: string | null
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
  inputPackets: number
  outputPackets: number
  terminateCause: string | null
}

/** Acct-Status-Type, RFC 2866 section 5.1. Others (tunnels, failed) are answered and not stored. */
const statuses: Readonly<Record<number, AccountingStatus>> = { 1: 'start', 2: 'stop', 3: 'interim', 7: 'on', 8: 'off' }

/** Acct-Terminate-Cause, RFC 2866 section 5.10 and the IANA registry. */
export const terminateCauses = [
  'Unknown',
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
  'Port-Reinit',
  'Port-Disabled',
  'Lost-Power',
] as const

const headerBytes = 20
/** A Stop without its cause. */
const causeUnknown = terminateCauses[0]
const int8Max = 2n ** 63n - 1n

/** Reads the attributes of RFC 2866, 2869, 3162, 4818 that RADIUS_SESSIONS keeps. Never throws; reading stops where the lengths no longer fit. */
export function readAccountingRecord(packet: Buffer, nasId: NasId, heardAtMs: number): AccountingRecord {
  const record: AccountingRecord = {
    status: null,
    nasId,
    mark: packet.length >= headerBytes ? packet.toString('hex', 4, headerBytes) : '00000000000000000000000000000000',
    atMs: heardAtMs,
    delayed: false,
    heardAtMs,
    login: '',
    acctSessionId: '',
    nasIpAddress: null,
    ip: null,
    ipv6Prefix: null,
    delegatedIpv6Prefix: null,
    mac: null,
    callingStationId: null,
    calledStationId: null,
    nasPort: null,
    nasPortId: null,
    className: null,
    sessionTime: 0,
    inputOctets: 0n,
    outputOctets: 0n,
    inputPackets: 0,
    outputPackets: 0,
    terminateCause: null,
  }
  let delay = 0
  let stamp = 0
  let input = 0
  let output = 0
  let inputGigawords = 0
  let outputGigawords = 0
  const end = packet.length >= headerBytes ? Math.min(packet.length, packet.readUInt16BE(2)) : 0
  for (let at = headerBytes; at + 2 <= end; ) {
    const length = packet[at + 1]!
    if (length < 2 || at + length > end) break
    const from = at + 2
    const until = at + length
    // An integer of another length than four is malformed and counts as absent.
    const number = length === 6 ? packet.readUInt32BE(from) : 0
    switch (packet[at]) {
      case 1:
        record.login = readText(packet, from, until)
        break
      case 4:
        record.nasIpAddress = readIpv4(packet, from, until)
        break
      case 5:
        if (length === 6) record.nasPort = number
        break
      case 8:
        record.ip = readIpv4(packet, from, until)
        break
      case 25:
        record.className = readOpaque(packet, from, until)
        break
      case 30:
        record.calledStationId = readText(packet, from, until)
        break
      case 31:
        record.callingStationId = readText(packet, from, until)
        record.mac = normalMac(record.callingStationId)
        break
      case 40:
        record.status = statuses[number] ?? null
        break
      case 41:
        delay = number
        break
      case 42:
        input = number
        break
      case 43:
        output = number
        break
      case 44:
        record.acctSessionId = readText(packet, from, until)
        break
      case 46:
        record.sessionTime = number
        break
      case 47:
        record.inputPackets = number
        break
      case 48:
        record.outputPackets = number
        break
      case 49:
        if (length === 6) record.terminateCause = terminateCauses[number] ?? String(number)
        break
      case 52:
        inputGigawords = number
        break
      case 53:
        outputGigawords = number
        break
      case 55:
        stamp = number
        break
      case 87:
        record.nasPortId = readText(packet, from, until)
        break
      case 97:
        record.ipv6Prefix = readIpv6Prefix(packet, from, until)
        break
      case 123:
        record.delegatedIpv6Prefix = readIpv6Prefix(packet, from, until)
        break
    }
    at = until
  }
  record.inputOctets = octets(inputGigawords, input)
  record.outputOctets = octets(outputGigawords, output)
  record.delayed = delay > 0
  record.atMs = happenedAt(heardAtMs, delay, stamp)
  if (record.status === 'stop') record.terminateCause ??= causeUnknown
  return record
}

const dayMs = 86_400_000

/**
 * Event-Timestamp counts whole seconds, so one that fits the moment of arrival gives way to it, which has milliseconds.
 * A NAS whose clock is ahead, or far behind, is not believed; then Acct-Delay-Time says how late the packet is.
 */
export function happenedAt(heardAtMs: number, delaySeconds: number, stampSeconds: number): number {
  const delayedMs = delaySeconds * 1000 <= 7 * dayMs ? heardAtMs - delaySeconds * 1000 : heardAtMs
  if (stampSeconds === 0) return delayedMs
  const lateMs = heardAtMs - stampSeconds * 1000
  if (lateMs > -2000 && lateMs < 2000) return delayedMs
  return lateMs >= 2000 && lateMs <= dayMs ? stampSeconds * 1000 : delayedMs
}

function octets(gigawords: number, low: number): bigint {
  if (gigawords === 0) return BigInt(low)
  const total = (BigInt(gigawords) << 32n) | BigInt(low)
  return total > int8Max ? int8Max : total
}

/** UTF-8 with replacement; PostgreSQL takes no NUL in text. */
function readText(packet: Buffer, from: number, until: number): string {
  let ascii = true
  for (let i = from; i < until; i++) {
    const octet = packet[i]!
    if (octet === 0 || octet >= 0x80) {
      ascii = false
      break
    }
  }
  return ascii ? packet.toString('latin1', from, until) : packet.toString('utf8', from, until).replaceAll('\0', '')
}

/** Text where it is printable, hex with 0x before it where it is not. */
function readOpaque(packet: Buffer, from: number, until: number): string {
  for (let i = from; i < until; i++)
    if (packet[i]! < 0x20 || packet[i]! > 0x7e) return `0x${packet.toString('hex', from, until)}`
  return packet.toString('latin1', from, until)
}

const readIpv4 = (packet: Buffer, from: number, until: number): string | null =>
  until - from === 4 ? `${packet[from]}.${packet[from + 1]}.${packet[from + 2]}.${packet[from + 3]}` : null

/** RFC 3162 section 2.3: a reserved octet, the length in bits, and as many octets of the prefix as its sender thought useful. */
export function readIpv6Prefix(packet: Buffer, from: number, until: number): string | null {
  if (until - from < 2 || until - from > 18) return null
  const bits = packet[from + 1]!
  if (bits > 128) return null
  const address = new Uint8Array(16)
  for (let at = from + 2; at < until; at++) address[at - from - 2] = packet[at]!
  // Bits behind the prefix must be zero for PostgreSQL.
  for (let bit = bits; bit < 128; bit++) address[bit >> 3]! &= ~(0x80 >> (bit & 7))
  return `${formatIpv6(address)}/${bits}`
}
