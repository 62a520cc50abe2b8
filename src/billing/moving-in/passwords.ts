import { isLoginPassword, storedClearPassword } from '../../domain/login-password.ts'
import type { MovedPassword } from './records.ts'

/** Octets of a digest by its scheme without a salt; SHA2 is told by its length. */
const digestBytes = { MD5: 16, SHA: 20, SHA256: 32, SHA512: 64 } as const
type Digest = keyof typeof digestBytes

/** The password attributes of FreeRADIUS (rlm_pap), in small letters, and what their values are. */
const attributes: Readonly<Record<string, (value: string) => MovedPassword>> = {
  'cleartext-password': clear,
  // Before 2.0, and in tables that were made for it.
  'user-password': (value) => (/^\{[\w-]+\}/.test(value) ? withHeader(value) : clear(value)),
  password: withHeader,
  'password-with-header': withHeader,
  'nt-password': nt,
  'crypt-password': crypt,
  'md5-password': plain('MD5'),
  'smd5-password': salted('MD5'),
  'sha-password': plain('SHA'),
  'sha1-password': plain('SHA'),
  'ssha-password': salted('SHA'),
  'ssha1-password': salted('SHA'),
  'sha2-password': sha2,
  'sha2-256-password': plain('SHA256'),
  'sha2-512-password': plain('SHA512'),
  'ssha2-256-password': salted('SHA256'),
  'ssha2-512-password': salted('SHA512'),
}

/** The headers of Password-With-Header, in small letters. */
const headers: Readonly<Record<string, (value: string) => MovedPassword>> = {
  ...{ clear, cleartext: clear, crypt, nt, nthash: nt, 'x-nthash': nt, sha2, sha256: sha2, sha512: sha2 },
  md5: plain('MD5'),
  base64_md5: plain('MD5'),
  smd5: salted('MD5'),
  sha: plain('SHA'),
  ssha: salted('SHA'),
  ssha256: salted('SHA256'),
  ssha512: salted('SHA512'),
}

const unreadable = (why: string): MovedPassword => ({ kind: 'unreadable', why })
const readable = (stored: string): MovedPassword => ({ kind: 'readable', stored })

/** What the attribute says of the password; null: it is no password attribute. */
export function passwordOf(attribute: string, value: string): MovedPassword | null {
  const name = attribute.toLowerCase()
  const read = attributes[name]
  if (read) return read(value)
  return /-password$/.test(name) && passwordLike.has(name)
    ? unreadable(`is stored as ${attribute}, which is not understood`)
    : null
}

/** Password attributes of rlm_pap and rlm_mschap that hold nothing to sign in by here. */
const passwordLike: ReadonlySet<string> = new Set([
  ...['lm-password', 'ns-mta-md5-password', 'pbkdf2-password', 'sha2-224-password', 'sha2-384-password'],
  ...['ssha2-224-password', 'ssha2-384-password', 'sha3-password', 'ssha3-password', 'x-pbkdf2-password'],
])

export function clear(value: string): MovedPassword {
  return value === '' ? unreadable('is empty') : readable(storedClearPassword(value))
}

function withHeader(value: string): MovedPassword {
  const [, header, rest] = /^\{([\w-]+)\}(.*)$/s.exec(value) ?? []
  if (header === undefined) return decodedHeader(value) ?? clear(value)
  const read = headers[header.toLowerCase()]
  return read ? read(rest!) : unreadable(`has the header {${header}}, which is not understood`)
}

/** The whole value may be in Base64, as some LDAP servers hand it out. */
function decodedHeader(value: string): MovedPassword | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null
  const decoded = Buffer.from(value, 'base64').toString('latin1')
  return /^\{[\w-]+\}/.test(decoded) ? withHeader(decoded) : null
}

function nt(value: string): MovedPassword {
  const bytes = octets(value, (length) => length === 16)
  return bytes ? readable(`{NT}${bytes.toString('hex')}`) : unreadable('is stored as NT-Password of a wrong length')
}

function crypt(value: string): MovedPassword {
  const stored = `{CRYPT}${value}`
  if (isLoginPassword(stored)) return readable(stored)
  const kind = /^\$[^$]{1,10}\$/.exec(value)?.[0]
  return unreadable(`is a hash of crypt(3) ${kind ? `that begins with ${kind} and ` : ''}that is not understood`)
}

function sha2(value: string): MovedPassword {
  for (const scheme of ['SHA256', 'SHA512'] as const) {
    if (octets(value, (length) => length === digestBytes[scheme])) return plain(scheme)(value)
  }
  return unreadable('is a SHA-2 digest of a length that is not understood')
}

function plain(scheme: Digest): (value: string) => MovedPassword {
  const fits = (length: number) => length === digestBytes[scheme]
  return (value) => digest(scheme, octets(value, fits))
}

/** The salt follows the digest. */
function salted(scheme: Digest): (value: string) => MovedPassword {
  const fits = (length: number) => length > digestBytes[scheme]
  return (value) => digest(`S${scheme}`, octets(value, fits))
}

const digest = (scheme: string, bytes: Buffer | null): MovedPassword =>
  bytes === null
    ? unreadable(`is a digest of ${scheme} of a wrong length`)
    : readable(`{${scheme}}${bytes.toString('base64')}`)

/** FreeRADIUS accepts a digest in hexadecimal digits (after `0x` too) or in Base64, and tells them by the length. */
function octets(value: string, fits: (length: number) => boolean): Buffer | null {
  const hex = value.replace(/^0x/i, '')
  if (/^(?:[0-9a-f]{2})+$/i.test(hex)) {
    const bytes = Buffer.from(hex, 'hex')
    if (fits(bytes.length)) return bytes
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null
  const bytes = Buffer.from(value, 'base64')
  return fits(bytes.length) ? bytes : null
}
