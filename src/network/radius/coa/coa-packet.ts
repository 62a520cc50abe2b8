import type { NasIdentity } from '../../../domain/nas.ts'
import { parseIpv4, parseIpv6 } from '../wire/address.ts'
import { attributes } from '../wire/attribute-types.ts'
import { verifyMessageAuthenticator, verifyResponse } from '../wire/authenticator.ts'
import { octetsOf } from '../wire/octet-text.ts'
import { codes, PacketView } from '../wire/packet.ts'
import type { SharedSecret } from '../wire/shared-secret.ts'
import { PacketWriter } from '../wire/writer.ts'

/** The codes of each request, its ACK and its NAK (RFC 5176 section 2.3). */
const coaCodes = {
  disconnect: { request: codes.disconnectRequest, ack: codes.disconnectAck, nak: codes.disconnectNak },
  coa: { request: codes.coaRequest, ack: codes.coaAck, nak: codes.coaNak },
} as const

export type CoaRequestKind = keyof typeof coaCodes

/** What identifies the session and the NAS in a request (RFC 5176 section 3); null leaves an attribute out. */
export type CoaSubject = {
  /** As octetText has it. */
  login: string
  /** As the NAS names itself in its accounting; it refuses any other name (Error-Cause 403). */
  nasIdentity: NasIdentity
  /** Only where the NAS is known to hold this session. */
  session: { acctSessionId: string; ip: string | null; nasPort: number | null } | null
}

const writer = new PacketWriter()
const view = new PacketView()

/**
 * A Disconnect-Request or CoA-Request, RFC 5176 section 3, with the Message-Authenticator first. Event-Timestamp lets
 * the NAS refuse a replay. `extra` are encoded attributes.
 */
export function writeCoaRequest(
  kind: CoaRequestKind,
  identifier: number,
  { login, nasIdentity, session }: CoaSubject,
  secret: SharedSecret,
  now: Date,
  extra?: Uint8Array | undefined,
): Buffer {
  writer.begin(coaCodes[kind].request, identifier)
  writer.messageAuthenticator()
  writeOctets(attributes.userName, login)
  writeIdentity(nasIdentity)
  if (session) {
    writeOctets(attributes.acctSessionId, session.acctSessionId)
    writeIpv4(attributes.framedIpAddress, session.ip)
    if (session.nasPort !== null) writer.integer(attributes.nasPort, session.nasPort)
  }
  writer.integer(attributes.eventTimestamp, Math.floor(now.getTime() / 1000))
  if (extra) writer.encoded(extra)
  writer.finishRequest(secret)
  return writer.copy()
}

function writeIdentity({ ipAddress, ipv6Address, identifier }: NasIdentity): void {
  writeIpv4(attributes.nasIpAddress, ipAddress)
  const ipv6 = ipv6Address === null ? null : parseIpv6(ipv6Address)
  if (ipv6 !== null) writer.octets(attributes.nasIpv6Address, ipv6)
  if (identifier !== null) writeOctets(attributes.nasIdentifier, identifier)
}

/** As the NAS itself sent it. A name without octets is left out (RFC 2865 section 5). */
function writeOctets(type: Parameters<typeof octetsOf>[0], text: string): void {
  if (text !== '') writer.octets(type, octetsOf(type, text))
}

/** These attributes cannot carry an IPv6 address, so it is left out. */
function writeIpv4(type: number, address: string | null): void {
  const bits = address === null ? null : parseIpv4(address)
  if (bits !== null) writer.ipv4(type, bits)
}

export type CoaAnswer = { result: 'ack' | 'nak'; errorCause: number | null }
export type CoaAnswerFault = 'malformed' | 'forged' | 'otherKind'

/** Reads the answer to `request`, whose identifier the caller has compared already. */
export function readCoaAnswer(
  kind: CoaRequestKind,
  answer: Buffer,
  request: Buffer,
  secret: SharedSecret,
): { answer: CoaAnswer } | { fault: CoaAnswerFault } {
  if (view.reset(answer) !== null) return { fault: 'malformed' }
  if (!verifyResponse(view, request, secret, 4)) return { fault: 'forged' }
  if (verifyMessageAuthenticator(view, secret, request, 4) === 'wrong') return { fault: 'forged' }
  const errorCause = view.integer(attributes.errorCause)
  if (view.code === coaCodes[kind].ack) return { answer: { result: 'ack', errorCause } }
  if (view.code === coaCodes[kind].nak) return { answer: { result: 'nak', errorCause } }
  return { fault: 'otherKind' }
}
