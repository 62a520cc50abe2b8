import { randomBytes } from 'node:crypto'
import { attributes, microsoft, vendors } from './attribute-types.ts'
import { equalBytes } from './authenticator.ts'
import { encryptDes } from './des.ts'
import { md4 } from './md4.ts'
import type { PacketView } from './packet.ts'
import { addSha1, beginSha1, endSha1, sha1Bytes } from './sha1.ts'

/** Identifier, flags, then 24 bytes twice (v1) or 16, 8 and 24 (v2): RFC 2548 sections 2.1.3 and 2.3.2. */
const responseBytes = 50
const ntResponseAt = 26
const ntResponseBytes = 24
const peerChallengeAt = 2
/** RFC 2759 section 8.7. */
const magicSigning = Buffer.from('Magic server to client signing constant')
const magicPadding = Buffer.from('Pad to make it do more than one iteration')

/**
 * RFC 2759 section 8.3: MD4 of the password in UTF-16, little-endian. The 16 bytes are as good as the password itself.
 */
export function ntPasswordHash(password: string): Uint8Array {
  return md4(Buffer.from(password, 'utf16le'))
}

/** RFC 2759 section 8.4: the hash of the hash, from which MPPE keys come. */
export function hashNtPasswordHash(ntHash: Uint8Array): Uint8Array {
  return md4(ntHash)
}

/**
 * RFC 2433 section A.2: a constant encrypted under the password in capitals, 14 characters of it. Only the LM half of
 * MS-CHAP-MPPE-Keys needs it. Null when the password is longer or not ASCII: then LM has no hash of it.
 */
export function lmPasswordHash(password: string): Uint8Array | null {
  if (!/^[\x20-\x7e]{0,14}$/.test(password)) return null
  const key = new Uint8Array(14)
  key.set(Buffer.from(password.toUpperCase(), 'latin1'))
  const constant = Buffer.from('KGS!@#$%', 'latin1')
  const hash = new Uint8Array(16)
  encryptDes(key, 0, constant, hash, 0)
  encryptDes(key, 7, constant, hash, 8)
  return hash
}

/**
 * RFC 2433 section A.5: the 8-byte challenge encrypted under three keys of 7 bytes cut from the hash, padded with
 * zeros.
 */
export function challengeResponse(challenge: Uint8Array, hash: Uint8Array): Uint8Array {
  const response = new Uint8Array(ntResponseBytes)
  for (let part = 0; part < 3; part++) encryptDes(hash, part * 7, challenge, response, part * 8)
  return response
}

/** RFC 2759 section 8.2: eight bytes of SHA-1 over both challenges and the user name without its domain. */
export function challengeHash(
  peerChallenge: Uint8Array,
  authenticatorChallenge: Uint8Array,
  userName: Uint8Array,
): Uint8Array {
  const name = userName.subarray(userName.lastIndexOf(0x5c) + 1)
  return sha1(peerChallenge, authenticatorChallenge, name).subarray(0, 8)
}

/** RFC 2759 section 8.7: `S=` and forty hexadecimal digits, which prove to the peer that we know the password too. */
export function authenticatorResponse(
  ntHash: Uint8Array,
  ntResponse: Uint8Array,
  peerChallenge: Uint8Array,
  authenticatorChallenge: Uint8Array,
  userName: Uint8Array,
): string {
  const first = sha1(hashNtPasswordHash(ntHash), ntResponse, magicSigning)
  const challenge = challengeHash(peerChallenge, authenticatorChallenge, userName)
  return `S=${sha1(first, challenge, magicPadding).toString('hex').toUpperCase()}`
}

/** SHA-1 over the parts in their order. */
export function sha1(...parts: Uint8Array[]): Buffer {
  const digest = Buffer.allocUnsafe(sha1Bytes)
  beginSha1()
  for (const part of parts) addSha1(part)
  endSha1(digest, 0)
  return digest
}

/** The MS-CHAP attributes of a request (RFC 2548), as views. */
export type MsChapRequest = {
  version: 1 | 2
  /** It is returned in MS-CHAP2-Success and MS-CHAP-Error. */
  identifier: number
  challenge: Buffer
  ntResponse: Buffer
  /** Empty for version 1. */
  peerChallenge: Buffer
  userName: Buffer
}

/**
 * Null when the request carries no whole MS-CHAP of the version, and when a version 1 response is marked as LM only
 * (RFC 2548 section 2.1.3, flags): LM forgets the case of letters and everything after the fourteenth, so it is
 * refused.
 */
export function readMsChap(packet: PacketView, version: 1 | 2): MsChapRequest | null {
  const response = packet.vendor(vendors.microsoft, version === 1 ? microsoft.chapResponse : microsoft.chap2Response)
  const challenge = packet.vendor(vendors.microsoft, microsoft.chapChallenge)
  if (response?.length !== responseBytes || challenge?.length !== (version === 1 ? 8 : 16)) return null
  if (version === 1 && (response[1]! & 1) === 0) return null
  return {
    version,
    identifier: response[0]!,
    challenge,
    ntResponse: response.subarray(ntResponseAt, ntResponseAt + ntResponseBytes),
    peerChallenge: version === 1 ? response.subarray(0, 0) : response.subarray(peerChallengeAt, peerChallengeAt + 16),
    userName: packet.find(attributes.userName) ?? Buffer.alloc(0),
  }
}

/** Whether the NT-Response was made from the password of this hash. */
export function verifyMsChap(request: MsChapRequest, ntHash: Uint8Array): boolean {
  const challenge =
    request.version === 1
      ? request.challenge
      : challengeHash(request.peerChallenge, request.challenge, request.userName)
  return equalBytes(challengeResponse(challenge, ntHash), 0, request.ntResponse, 0, ntResponseBytes)
}

/** The value of MS-CHAP2-Success, 43 bytes (RFC 2548 section 2.3.3). */
export function chap2Success(request: MsChapRequest, ntHash: Uint8Array): Buffer {
  const { ntResponse, peerChallenge, challenge, userName } = request
  const text = authenticatorResponse(ntHash, ntResponse, peerChallenge, challenge, userName)
  return Buffer.from(`${String.fromCharCode(request.identifier)}${text}`, 'latin1')
}

/**
 * The value of MS-CHAP-Error in an Access-Reject (RFC 2548 section 2.1.5): 691 is a failed sign-in, 649 no dial-in
 * permission, and R=0 asks the peer not to try again with the same password. RFC 2759 section 6 wants a new challenge
 * of 32 hexadecimal digits nevertheless, and has a message for the user; in version 1 the challenge is optional (RFC
 * 2433 section 9), and a message has no place.
 */
export function chapError(request: MsChapRequest, errorCode: number, message: string): Buffer {
  const reason = `E=${errorCode} R=0`
  const challenge = () => randomBytes(16).toString('hex').toUpperCase()
  const text = request.version === 1 ? reason : `${reason} C=${challenge()} V=3 M=${message}`
  return Buffer.from(`${String.fromCharCode(request.identifier)}${text}`, 'latin1')
}
