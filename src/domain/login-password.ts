/**
 * The password of a login as it is stored: in clear text, or a hash of it. A hash is written with its scheme in front,
 * as RFC 2307 does: `{NT}` and 32 hexadecimal digits, `{CRYPT}$6$…`, `{SSHA}…`. `{CLEAR}` introduces a clear password
 * that would otherwise be taken for one of these. NT serves PAP and MS-CHAP, the others PAP only; CHAP needs the clear
 * password.
 */
export type LoginPassword =
  | { readonly kind: 'clear'; readonly text: string }
  /** MD4 of the password in UTF-16, 16 bytes. */
  | { readonly kind: 'nt'; readonly hash: Buffer }
  /** A digest of the password followed by the salt, which may be empty. */
  | { readonly kind: 'digest'; readonly algorithm: DigestAlgorithm; readonly digest: Buffer; readonly salt: Buffer }
  /** DES crypt, MD5-crypt, SHA-crypt or bcrypt: milliseconds of CPU time. */
  | { readonly kind: 'crypt'; readonly hash: string }

type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

const digestBytes = { md5: 16, sha1: 20, sha256: 32, sha512: 64 } as const satisfies Record<DigestAlgorithm, number>

/** The algorithms by the schemes without a salt; the scheme with a salt has an S in front. */
const digestSchemes: Readonly<Record<string, DigestAlgorithm>> = {
  MD5: 'md5',
  SHA: 'sha1',
  SHA256: 'sha256',
  SHA512: 'sha512',
}

const schemePattern = /^\{(CLEAR|NT|CRYPT|S?MD5|S?SHA|S?SHA256|S?SHA512)\}/

/** Completes "It must …" for a password that begins like a hash and is none. */
export const loginPasswordRule =
  'be a clear password, or a hash such as {NT}…, {CRYPT}$6$…, {SSHA}…; {CLEAR} introduces a clear password that begins like one'

/**
 * Reads a stored password. An earlier Tollgate stored a clear password even when it began like a hash, so such a text
 * that is no hash is a clear password.
 */
export const loginPasswordOf = (stored: string): LoginPassword => parse(stored) ?? { kind: 'clear', text: stored }

/** Whether a password may be stored as it is. One that begins like a hash and is none is a mistake. */
export const isLoginPassword = (text: string): boolean => parse(text) !== null

function parse(stored: string): LoginPassword | null {
  const scheme = schemePattern.exec(stored)?.[1]
  if (scheme === undefined) return { kind: 'clear', text: stored }
  const rest = stored.slice(scheme.length + 2)
  if (scheme === 'CLEAR') return rest === '' ? null : { kind: 'clear', text: rest }
  if (scheme === 'NT') return /^[0-9a-f]{32}$/i.test(rest) ? { kind: 'nt', hash: Buffer.from(rest, 'hex') } : null
  if (scheme === 'CRYPT') return isCryptHash(rest) ? { kind: 'crypt', hash: rest } : null
  const plain = digestSchemes[scheme]
  return readDigest(plain ?? digestSchemes[scheme.slice(1)]!, plain === undefined, rest)
}

function readDigest(algorithm: DigestAlgorithm, isSalted: boolean, base64: string): LoginPassword | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  const bytes = Buffer.from(base64, 'base64')
  const length = digestBytes[algorithm]
  if (isSalted ? bytes.length <= length : bytes.length !== length) return null
  return { kind: 'digest', algorithm, digest: bytes.subarray(0, length), salt: bytes.subarray(length) }
}

/** More rounds would take a second or more for each sign-in. */
const shaRoundsMax = 200_000
const bcryptCostMax = 13

function isCryptHash(text: string): boolean {
  // DES crypt, whose 64 bits leave two of the last letter zero.
  if (/^[./0-9A-Za-z]{12}[.26AEIMQUYcgkosw]$/.test(text)) return true
  const sha = /^\$[56]\$(?:rounds=(\d{1,9})\$)?[./0-9A-Za-z]{0,16}\$(?:[./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/.exec(text)
  if (sha) return text.length - text.lastIndexOf('$') === (text[1] === '5' ? 44 : 87) && isRounds(sha[1])
  if (/^\$1\$[./0-9A-Za-z]{0,8}\$[./0-9A-Za-z]{22}$/.test(text)) return true
  const bcrypt = /^\$2[aby]\$(\d\d)\$[./0-9A-Za-z]{53}$/.exec(text)
  return bcrypt !== null && Number(bcrypt[1]) >= 4 && Number(bcrypt[1]) <= bcryptCostMax
}

const isRounds = (text: string | undefined): boolean =>
  text === undefined || (Number(text) >= 1_000 && Number(text) <= shaRoundsMax)

/** How a clear password is stored: as it is, unless it would be taken for a hash. */
export const storedClearPassword = (text: string): string => (schemePattern.test(text) ? `{CLEAR}${text}` : text)
