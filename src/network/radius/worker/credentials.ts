import { findByName, type NameRules } from '../../access/login-names.ts'
import type { AccessReader } from '../../access/reader.ts'
import type { AccessRecord } from '../../access/record.ts'
import { macSpellings, parseMac, parseMacText } from '../../access/station.ts'
import { attributes } from '../wire/attribute-types.ts'
import { type MsChapRequest, ntPasswordHash, readMsChap, verifyMsChap } from '../wire/ms-chap.ts'
import type { PacketView } from '../wire/packet.ts'
import { type PasswordMethod, passwordMethod, readUserPassword, verifyChap, verifyPap } from '../wire/passwords.ts'
import type { SharedSecret } from '../wire/shared-secret.ts'

/** What MS-CHAP needs for its answer once the password is known to be right. */
export type MsChapProof = { request: MsChapRequest; ntHash: Uint8Array; password: string }

export type Credentials =
  /** `reader.record` holds the login. */
  | { kind: 'right'; msChap: MsChapProof | null }
  | { kind: 'wrong'; isKnown: boolean; msChap: MsChapRequest | null }
  /** The NAS or the settings refuse the realm of the User-Name. */
  | { kind: 'refusedRealm'; msChap: MsChapRequest | null }
  /** EAP alone, which is not offered. */
  | { kind: 'eap' }

const right: Credentials = Object.freeze({ kind: 'right', msChap: null })
const wrongPassword: Credentials = Object.freeze({ kind: 'wrong', isKnown: true, msChap: null })
const unknownLogin: Credentials = Object.freeze({ kind: 'wrong', isKnown: false, msChap: null })
const eap: Credentials = Object.freeze({ kind: 'eap' })

/**
 * Finds the login and checks the password: first by login, and when that fails by MAC address (IPoE: User-Name is the
 * MAC address of a login, and the password is the same address in any spelling, or empty).
 */
export function checkCredentials(
  packet: PacketView,
  secret: SharedSecret,
  reader: AccessReader,
  names: NameRules,
): Credentials {
  const method = passwordMethod(packet)
  if (method === 'eap') return eap
  const at = packet.offsetOf(attributes.userName)
  const msChap = method === 'mschap' || method === 'mschap2' ? readMsChap(packet, method === 'mschap' ? 1 : 2) : null
  if (at === -1) return refused(false, msChap)
  const { bytes } = packet
  const end = at + bytes[at + 1]!
  const found = findByName(reader, bytes, at + 2, end, names)
  if (found === 'refusedRealm') return { kind: found, msChap }
  const isKnown = found === 'found'
  if (isKnown) {
    const proof = checkPassword(packet, secret, reader.record, method, msChap)
    if (proof) return proof
  }
  const mac = parseMac(bytes, at + 2, end)
  if (mac < 0 || !reader.findMac(mac)) return refused(isKnown, msChap)
  return checkMac(packet, secret, method, msChap, mac) ?? refused(true, msChap)
}

function refused(isKnown: boolean, msChap: MsChapRequest | null): Credentials {
  if (msChap) return { kind: 'wrong', isKnown, msChap }
  return isKnown ? wrongPassword : unknownLogin
}

/** A login with an empty password is always rejected. */
function checkPassword(
  packet: PacketView,
  secret: SharedSecret,
  record: AccessRecord,
  method: PasswordMethod,
  msChap: MsChapRequest | null,
): Credentials | null {
  if (record.passwordAt === record.userReplyAt) return null
  const { bytes, passwordAt, userReplyAt } = record
  if (method === 'pap') return verifyPap(packet, secret, bytes, passwordAt, userReplyAt) ? right : null
  if (method === 'chap') return verifyChap(packet, bytes, passwordAt, userReplyAt) ? right : null
  return msChap ? checkMsChap(msChap, Buffer.from(bytes.subarray(passwordAt, userReplyAt)).toString()) : null
}

function checkMsChap(request: MsChapRequest, password: string): Credentials | null {
  const ntHash = ntPasswordHash(password)
  return verifyMsChap(request, ntHash) ? { kind: 'right', msChap: { request, ntHash, password } } : null
}

function checkMac(
  packet: PacketView,
  secret: SharedSecret,
  method: PasswordMethod,
  msChap: MsChapRequest | null,
  mac: number,
): Credentials | null {
  if (method === 'none') return right
  // Some NAS send an empty password as an attribute without a value.
  if (method === 'pap' && packet.find(attributes.userPassword)?.length === 0) return right
  if (method === 'pap') {
    const password = readUserPassword(packet, secret)
    return password === '' || (password !== null && parseMacText(password) === mac) ? right : null
  }
  // A digest cannot be parsed, so the spellings are tried, that of User-Name first.
  for (const password of [packet.text(attributes.userName) ?? '', '', ...macSpellings(mac)]) {
    if (method === 'chap' && verifyChap(packet, password)) return right
    const proof = msChap && checkMsChap(msChap, password)
    if (proof) return proof
  }
  return null
}
