import { findByName, type NameRules } from '../../access/login-names.ts'
import type { AccessReader } from '../../access/reader.ts'
import type { AccessRecord } from '../../access/record.ts'
import { macSpellings, parseMac, parseMacText } from '../../access/station.ts'
import { isDigestOf } from '../../../platform/passwords/login-passwords.ts'
import { loginPasswordOf } from '../../../domain/login-password.ts'
import { attributes } from '../wire/attribute-types.ts'
import { equalBytes } from '../wire/authenticator.ts'
import { type MsChapRequest, ntPasswordHash, readMsChap, verifyMsChap } from '../wire/ms-chap.ts'
import type { PacketView } from '../wire/packet.ts'
import { type PasswordMethod, passwordMethod, readUserPassword, verifyChap, verifyPap } from '../wire/passwords.ts'
import type { SharedSecret } from '../wire/shared-secret.ts'

/** What MS-CHAP needs for its answer once the password is known to be right. */
export type MsChapProof = {
  request: MsChapRequest
  ntHash: Uint8Array
  /** Null: only its NT hash is stored. */
  password: string | null
}

/** A password that is to be compared with a hash of crypt(3), which takes too long for this thread. */
export type CryptQuestion = { readonly hash: string; readonly password: string }

/** What another thread found. */
export type CryptVerdict = CryptQuestion & { readonly isRight: boolean }

export type Credentials =
  /** `reader.record` holds the login. */
  | { kind: 'right'; msChap: MsChapProof | null }
  | { kind: 'wrong'; isKnown: boolean; msChap: MsChapRequest | null }
  /** Only a hash is stored that this method cannot work with. */
  | { kind: 'unfit'; reason: 'chapWithHash' | 'msChapWithHash'; msChap: MsChapRequest | null }
  /** The answer waits for a verdict. */
  | { kind: 'unverified'; question: CryptQuestion }
  /** The NAS or the settings refuse the realm of the User-Name. */
  | { kind: 'refusedRealm'; msChap: MsChapRequest | null }
  /** EAP alone, which is not offered. */
  | { kind: 'eap' }

const right: Credentials = Object.freeze({ kind: 'right', msChap: null })
const wrongPassword: Credentials = Object.freeze({ kind: 'wrong', isKnown: true, msChap: null })
const unknownLogin: Credentials = Object.freeze({ kind: 'wrong', isKnown: false, msChap: null })
const chapWithHash: Credentials = Object.freeze({ kind: 'unfit', reason: 'chapWithHash', msChap: null })
const eap: Credentials = Object.freeze({ kind: 'eap' })

/**
 * Finds the login and checks the password: first by login, and when that fails by MAC address (IPoE: User-Name is the
 * MAC address of a login, and the password is the same address in any spelling, or empty). `verdicts` is what was found
 * when the same request was asked before.
 */
export function checkCredentials(
  packet: PacketView,
  secret: SharedSecret,
  reader: AccessReader,
  names: NameRules,
  verdicts: readonly CryptVerdict[],
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
  if (isKnown && reader.record.isSealed) reader.openPassword()
  const checked = isKnown ? checkPassword(packet, secret, reader.record, method, msChap, verdicts) : null
  if (checked !== null && checked.kind !== 'unfit') return checked
  const mac = parseMac(bytes, at + 2, end)
  if (mac < 0 || !reader.findMac(mac)) return checked ?? refused(isKnown, msChap)
  return checkMac(packet, secret, method, msChap, mac) ?? refused(true, msChap)
}

function refused(isKnown: boolean, msChap: MsChapRequest | null): Credentials {
  if (msChap) return { kind: 'wrong', isKnown, msChap }
  return isKnown ? wrongPassword : unknownLogin
}

/** Null: the password is wrong. */
function checkPassword(
  packet: PacketView,
  secret: SharedSecret,
  record: AccessRecord,
  method: PasswordMethod,
  msChap: MsChapRequest | null,
  verdicts: readonly CryptVerdict[],
): Credentials | null {
  if (!record.hasPassword) return null
  const { passwordKind } = record
  if (passwordKind === 'nt') return checkNtHash(packet, secret, record, method, msChap)
  if (passwordKind === 'hash') return checkHash(packet, secret, record, method, msChap, verdicts)
  const { bytes, passwordAt, userReplyAt } = record
  if (method === 'pap') return verifyPap(packet, secret, bytes, passwordAt, userReplyAt) ? right : null
  if (method === 'chap') return verifyChap(packet, bytes, passwordAt, userReplyAt) ? right : null
  return msChap ? checkMsChap(msChap, Buffer.from(bytes.subarray(passwordAt, userReplyAt)).toString()) : null
}

function checkNtHash(
  packet: PacketView,
  secret: SharedSecret,
  { bytes, passwordAt, userReplyAt }: AccessRecord,
  method: PasswordMethod,
  msChap: MsChapRequest | null,
): Credentials | null {
  if (method === 'chap') return chapWithHash
  const ntHash = bytes.slice(passwordAt, userReplyAt)
  if (method === 'pap') {
    const password = readUserPassword(packet, secret)
    return password !== null && equalBytes(ntPasswordHash(password), 0, ntHash, 0, ntHash.length) ? right : null
  }
  if (msChap === null || !verifyMsChap(msChap, ntHash)) return null
  return { kind: 'right', msChap: { request: msChap, ntHash, password: null } }
}

function checkHash(
  packet: PacketView,
  secret: SharedSecret,
  { bytes, passwordAt, userReplyAt }: AccessRecord,
  method: PasswordMethod,
  msChap: MsChapRequest | null,
  verdicts: readonly CryptVerdict[],
): Credentials | null {
  if (method === 'chap') return chapWithHash
  if (msChap !== null) return { kind: 'unfit', reason: 'msChapWithHash', msChap }
  const password = method === 'pap' ? readUserPassword(packet, secret) : null
  if (password === null || password === '') return null
  const stored = loginPasswordOf(Buffer.from(bytes.subarray(passwordAt, userReplyAt)).toString())
  if (stored.kind === 'digest') return isDigestOf(stored, Buffer.from(password)) ? right : null
  if (stored.kind !== 'crypt') return null
  const { hash } = stored
  const verdict = verdicts.find((one) => one.hash === hash && one.password === password)
  if (verdict === undefined) return { kind: 'unverified', question: { hash, password } }
  return verdict.isRight ? right : null
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
