import { microsoft, vendors } from './attribute-types.ts'
import { addMd5, beginMd5, digestBytes, endMd5 } from './md5.ts'
import { chap2Success, hashNtPasswordHash, lmPasswordHash, type MsChapRequest, sha1 } from './ms-chap.ts'
import { hidePassword } from './passwords.ts'
import type { SharedSecret } from './shared-secret.ts'
import type { PacketWriter } from './writer.ts'

const keyBytes = 16
const pad1 = new Uint8Array(40)
const pad2 = new Uint8Array(40).fill(0xf2)
/** RFC 3079 section 3.4. */
const magic1 = Buffer.from('This is the MPPE Master Key')
const magic2 = Buffer.from('On the client side, this is the send key; on the server side, it is the receive key.')
const magic3 = Buffer.from('On the client side, this is the receive key; on the server side, it is the send key.')
/**
 * MS-MPPE-Encryption-Policy and -Types (RFC 2548 sections 2.4.4, 2.4.5): encryption allowed; RC4 with 40 or 128 bits.
 */
const encryptionAllowed = 1
const rc4Of40Or128Bits = 6

/** RFC 3079 section 3.4, GetMasterKey. */
export function masterKey(ntHashHash: Uint8Array, ntResponse: Uint8Array): Uint8Array {
  return sha1(ntHashHash, ntResponse, magic1).subarray(0, keyBytes)
}

/** RFC 3079 section 3.4, GetAsymmetricStartKey of 128 bits, as the server names the directions. */
export function startKey(master: Uint8Array, direction: 'send' | 'receive'): Uint8Array {
  const magic = direction === 'send' ? magic3 : magic2
  return sha1(master, pad1, magic, pad2).subarray(0, keyBytes)
}

/**
 * The String of MS-MPPE-Send-Key and -Recv-Key (RFC 2548 section 2.4.2) and, without a tag, of Tunnel-Password (RFC
 * 2868 section 3.5): salt, then length, key and padding under a chain of MD5 begun with the Request Authenticator and
 * the salt. No two attributes of a packet may share a salt; its highest bit is set here, as the RFC demands. RangeError
 * for a key of more than 239 bytes.
 */
export function encryptKey(
  key: Uint8Array,
  requestAuthenticator: Uint8Array,
  secret: SharedSecret,
  salt: number,
): Uint8Array {
  if (key.length > 239) throw new RangeError('A key of at most 239 bytes fits into an attribute.')
  const blocks = Math.ceil((1 + key.length) / digestBytes)
  const out = new Uint8Array(2 + blocks * digestBytes)
  out[2] = key.length
  out.set(key, 3)
  encryptSalted(out, requestAuthenticator, secret, salt)
  return out
}

/**
 * Encrypts in place what stands behind the two octets of the salt: a length, a key or password, and padding. The mask
 * of a block is made of the block before it, which is encrypted by then, and that of the first one of the Request
 * Authenticator and the salt.
 */
export function encryptSalted(
  out: Uint8Array,
  requestAuthenticator: Uint8Array,
  secret: SharedSecret,
  salt: number,
): void {
  out[0] = 0x80 | ((salt >> 8) & 0x7f)
  out[1] = salt & 0xff
  const digest = new Uint8Array(digestBytes)
  for (let at = 2; at < out.length; at += digestBytes) {
    beginMd5()
    addMd5(secret.bytes, 0, secret.bytes.length)
    if (at === 2) {
      addMd5(requestAuthenticator, 0, digestBytes)
      addMd5(out, 0, 2)
    } else addMd5(out, at - digestBytes, at)
    endMd5(digest, 0)
    for (let i = 0; i < digestBytes; i++) out[at + i]! ^= digest[i]!
  }
}

/**
 * What the MS-CHAP attributes of an Access-Accept are made from. `salt` grows by two from packet to packet and may
 * start anywhere.
 */
export type MsChapAnswer = { ntHash: Uint8Array; password: string | null; secret: SharedSecret; salt: number }

/** Adds MS-CHAP-MPPE-Keys to version 1, MS-CHAP2-Success and the two keys to version 2. False when one was refused. */
export function writeMsChapAccept(
  writer: PacketWriter,
  request: MsChapRequest,
  requestAuthenticator: Uint8Array,
  answer: MsChapAnswer,
): boolean {
  const { ntHash, secret, salt } = answer
  const before = writer.refused
  const ntHashHash = hashNtPasswordHash(ntHash)
  const add = (type: number, value: Uint8Array) => writer.vendorOctets(vendors.microsoft, type, value)
  if (request.version === 1) {
    const keys = chapMppeKeys(answer.password, ntHashHash)
    add(microsoft.chapMppeKeys, hidePassword(keys, requestAuthenticator, secret))
  } else {
    const master = masterKey(ntHashHash, request.ntResponse)
    add(microsoft.chap2Success, chap2Success(request, ntHash))
    add(microsoft.mppeSendKey, encryptKey(startKey(master, 'send'), requestAuthenticator, secret, salt))
    add(microsoft.mppeRecvKey, encryptKey(startKey(master, 'receive'), requestAuthenticator, secret, salt + 1))
  }
  writer.vendorInteger(vendors.microsoft, microsoft.mppeEncryptionPolicy, encryptionAllowed)
  writer.vendorInteger(vendors.microsoft, microsoft.mppeEncryptionTypes, rc4Of40Or128Bits)
  return writer.refused === before
}

/**
 * RFC 2548 section 2.4.1 before it is hidden: eight bytes of the LM hash, sixteen for NT, eight of padding. The RFC
 * says the NT hash; every NAS expects the hash of it, which is what RFC 3079 section 2.4 begins from, and what
 * FreeRADIUS sends. The eight bytes are zero where only the NT hash is known, and there is no LM hash.
 */
function chapMppeKeys(password: string | null, ntHashHash: Uint8Array): Uint8Array {
  const keys = new Uint8Array(32)
  if (password !== null) keys.set(lmPasswordHash(password)?.subarray(0, 8) ?? [])
  keys.set(ntHashHash, 8)
  return keys
}
