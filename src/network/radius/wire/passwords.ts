import { attributes, microsoft, vendors } from './attribute-types.ts'
import { equalBytes } from './authenticator.ts'
import { addMd5, beginMd5, digestBytes, endMd5 } from './md5.ts'
import type { PacketView } from './packet.ts'
import type { SharedSecret } from './shared-secret.ts'

/** RFC 2865 section 5.2. */
export const passwordBytesMax = 128

/**
 * How an Access-Request proves the password; `none`: it carries no proof; `eap`: it is recognized but not supported.
 */
export type PasswordMethod = 'pap' | 'chap' | 'mschap' | 'mschap2' | 'eap' | 'none'

export function passwordMethod(packet: PacketView): PasswordMethod {
  // RFC 3579 section 3.3 allows no other proof beside it, and a client of EAP must not be told that it is let in
  // without an EAP-Success (section 2.6.3).
  if (packet.has(attributes.eapMessage)) return 'eap'
  if (packet.has(attributes.userPassword)) return 'pap'
  if (packet.has(attributes.chapPassword)) return 'chap'
  if (packet.vendorOffset(vendors.microsoft, microsoft.chap2Response) !== -1) return 'mschap2'
  if (packet.vendorOffset(vendors.microsoft, microsoft.chapResponse) !== -1) return 'mschap'
  return 'none'
}

const clear = Buffer.alloc(passwordBytesMax)
/** How many bytes of `clear` the last attribute filled, padding included. */
let revealed = 0
const mask: Uint8Array = new Uint8Array(digestBytes)

/**
 * Hides a password (RFC 2865 section 5.2): padded with zeros to whole blocks of 16, each block combined with
 * MD5(secret, previous hidden block), the first with MD5(secret, Request Authenticator).
 * RangeError when the password has more than 128 bytes. MS-CHAP-MPPE-Keys are hidden in the same way.
 */
export function hidePassword(password: Uint8Array, authenticator: Uint8Array, secret: SharedSecret): Uint8Array {
  if (password.length > passwordBytesMax) throw new RangeError('A password has at most 128 bytes.')
  const hidden = new Uint8Array(Math.max(digestBytes, Math.ceil(password.length / digestBytes) * digestBytes))
  hidden.set(password)
  for (let at = 0; at < hidden.length; at += digestBytes) {
    maskAfter(secret, at === 0 ? authenticator : hidden, Math.max(0, at - digestBytes))
    for (let i = 0; i < digestBytes; i++) hidden[at + i]! ^= mask[i]!
  }
  return hidden
}

/**
 * The password of a PAP request as text, for the MAC addresses of IPoE in their many spellings; null when
 * there is none or it is malformed. An empty attribute is an empty password.
 */
export function readUserPassword(packet: PacketView, secret: SharedSecret): string | null {
  const length = reveal(packet, secret)
  return length === -1 ? null : clear.toString('utf8', 0, length)
}

/**
 * Whether the User-Password has control characters, which nobody types: two secrets that differ make random bytes of
 * it, which are free of them once in nine times.
 */
export function isPasswordGarbled(packet: PacketView, secret: SharedSecret): boolean {
  const length = reveal(packet, secret)
  for (let at = 0; at < length; at++) if (clear[at]! < firstPrintable || clear[at] === deleteCharacter) return true
  return false
}

const firstPrintable = 0x20
const deleteCharacter = 0x7f

/**
 * Whether the User-Password is password[from..to) (UTF-8 when given as text). The time depends on the length of the
 * attribute, not on where they differ.
 */
export function verifyPap(
  packet: PacketView,
  secret: SharedSecret,
  password: string | Uint8Array,
  from = 0,
  to?: number,
): boolean {
  const bytes = typeof password === 'string' ? Buffer.from(password) : password
  const length = (to ?? bytes.length) - from
  const found = reveal(packet, secret)
  if (found === -1) return false
  let different = found ^ length
  // After the password, `clear` holds the zeros of the padding.
  for (let i = 0; i < revealed; i++) different |= clear[i]! ^ (i < length ? bytes[from + i]! : 0)
  return different === 0
}

/**
 * RFC 2865 section 5.3: MD5(CHAP identifier, password, challenge). The challenge is the CHAP-Challenge or, without one,
 * the Request Authenticator.
 */
export function verifyChap(packet: PacketView, password: string | Uint8Array, from = 0, to?: number): boolean {
  const at = packet.offsetOf(attributes.chapPassword)
  if (at === -1 || packet.bytes[at + 1] !== 2 + 1 + digestBytes) return false
  const expected = typeof password === 'string' ? Buffer.from(password) : password
  const end = to ?? expected.length
  if (end - from > passwordBytesMax) return false
  const { bytes, start } = packet
  beginMd5()
  addMd5(bytes, at + 2, at + 3)
  addMd5(expected, from, end)
  const challenge = packet.offsetOf(attributes.chapChallenge)
  if (challenge === -1) addMd5(bytes, start + 4, start + 20)
  else addMd5(bytes, challenge + 2, challenge + bytes[challenge + 1]!)
  endMd5(mask, 0)
  return equalBytes(bytes, at + 3, mask, 0, digestBytes)
}

/** Reveals the User-Password into `clear`; returns its length without padding, or -1 for none or a malformed one. */
function reveal(packet: PacketView, secret: SharedSecret): number {
  const found = packet.offsetOf(attributes.userPassword)
  if (found === -1) return -1
  const { bytes, precomputed } = packet
  const from = found + 2
  const size = bytes[found + 1]! - 2
  if (size > passwordBytesMax || size % digestBytes !== 0) return -1
  revealed = size
  let length = 0
  for (let at = 0; at < size; at += digestBytes) {
    let cover = mask
    let coverAt = 0
    if (at > 0) maskAfter(secret, bytes, from + at - digestBytes)
    else if (precomputed) {
      cover = precomputed
      coverAt = packet.precomputedAt + digestBytes
    } else maskAfter(secret, bytes, packet.start + 4)
    for (let i = 0; i < digestBytes; i++) {
      const byte = bytes[from + at + i]! ^ cover[coverAt + i]!
      clear[at + i] = byte
      if (byte !== 0) length = at + i + 1
    }
  }
  return length
}

/** MD5(secret, 16 bytes from `at` on) into `mask`. */
function maskAfter(secret: SharedSecret, previous: Uint8Array, at: number): void {
  beginMd5()
  addMd5(secret.bytes, 0, secret.bytes.length)
  addMd5(previous, at, at + digestBytes)
  endMd5(mask, 0)
}
