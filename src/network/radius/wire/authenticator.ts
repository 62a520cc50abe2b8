import { attributes } from './attribute-types.ts'
import { addMd5, beginMd5, digestBytes, endMd5 } from './md5.ts'
import { codes, headerBytes, type PacketView } from './packet.ts'
import type { SharedSecret } from './shared-secret.ts'

/** Sixteen zero bytes, which replace the authenticator field while some authenticators are computed. */
export const zeroAuthenticator: Uint8Array = new Uint8Array(digestBytes)

export type MessageAuthenticatorVerdict = 'absent' | 'right' | 'wrong'

const expected = new Uint8Array(digestBytes)

/**
 * Whether the Request Authenticator is MD5(code, identifier, length, sixteen zeros, attributes, secret).
 * Accounting-Request (RFC 2866 section 3), Disconnect-Request and CoA-Request (RFC 5176 section 2.3).
 */
export function verifyRequestAuthenticator(packet: PacketView, secret: SharedSecret): boolean {
  const { precomputed, precomputedAt } = packet
  if (precomputed)
    return equalBytes(packet.bytes, packet.start + 4, precomputed, precomputedAt + digestBytes, digestBytes)
  return verifyResponse(packet, zeroAuthenticator, secret)
}

/**
 * Whether the Response Authenticator is MD5(code, identifier, length, Request Authenticator, attributes, secret);
 * RFC 2865 section 3. The identifier must have been compared before.
 */
export function verifyResponse(
  { bytes, start, end }: PacketView,
  requestAuthenticator: Uint8Array,
  secret: SharedSecret,
  at = 0,
): boolean {
  beginMd5()
  addMd5(bytes, start, start + 4)
  addMd5(requestAuthenticator, at, at + digestBytes)
  addMd5(bytes, start + headerBytes, end)
  addMd5(secret.bytes, 0, secret.bytes.length)
  endMd5(expected, 0)
  return equalBytes(bytes, start + 4, expected, 0, digestBytes)
}

/**
 * Verifies the Message-Authenticator: HMAC-MD5 over the packet with zeros in its own place. The authenticator field
 * counts as it is for Access-Request and Status-Server (RFC 3579 section 3.2, RFC 5997 section 4), as zeros for
 * requests with a computed authenticator (RFC 5176 section 3.4), and as the Request Authenticator for answers, where it
 * must be given.
 */
export function verifyMessageAuthenticator(
  packet: PacketView,
  secret: SharedSecret,
  requestAuthenticator?: Uint8Array,
  requestAt = 0,
): MessageAuthenticatorVerdict {
  const at = packet.offsetOf(attributes.messageAuthenticator)
  if (at === -1) return 'absent'
  const { bytes, start, precomputed } = packet
  if (precomputed) return equalBytes(bytes, at + 2, precomputed, packet.precomputedAt, digestBytes) ? 'right' : 'wrong'
  secret.hmac.begin()
  addMd5(bytes, start, start + 4)
  switch (packet.code) {
    case codes.accessRequest:
    case codes.statusServer:
      addMd5(bytes, start + 4, start + headerBytes)
      break
    case codes.accountingRequest:
    case codes.disconnectRequest:
    case codes.coaRequest:
      addMd5(zeroAuthenticator, 0, digestBytes)
      break
    default:
      if (requestAuthenticator === undefined)
        throw new TypeError('An answer is verified with the Request Authenticator.')
      addMd5(requestAuthenticator, requestAt, requestAt + digestBytes)
  }
  addMd5(bytes, start + headerBytes, at + 2)
  addMd5(zeroAuthenticator, 0, digestBytes)
  addMd5(bytes, at + 2 + digestBytes, packet.end)
  secret.hmac.end(expected, 0)
  return equalBytes(bytes, at + 2, expected, 0, digestBytes) ? 'right' : 'wrong'
}

/** Compares in a time that depends only on the length, so that an attacker learns nothing from a nearly right value. */
export function equalBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean {
  let different = 0
  for (let i = 0; i < length; i++) different |= a[aAt + i]! ^ b[bAt + i]!
  return different === 0
}
