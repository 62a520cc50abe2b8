import { attributes } from '../wire/attribute-types.ts'
import { SipHashKey } from '../wire/siphash.ts'
import type { PacketWriter } from '../wire/writer.ts'

/**
 * The Class attribute, which a NAS returns in accounting (RFC 2865 section 5.25): it names the login and the session
 * whatever User-Name says, and the address that was offered where accounting names none. The text is
 * `tg2/<login id>/<session>/<address>/<signature>` and `/garden` for a session in the walled garden: the session is the
 * second of the sign-in and a number, the address is 0 where none was offered, and the signature is SipHash-2-4 of
 * everything else (docs/decisions/019-class-signed-by-siphash.md). All but the login id is hexadecimal.
 */
export type SessionClass = {
  readonly loginId: number
  /** The sign-in, in epoch seconds. */
  readonly signedInAt: number
  /** The offered IPv4 address as 32 bits; -1 for none. */
  readonly address: number
  readonly inGarden: boolean
}

/** What the text of every Class attribute of ours begins with. */
export const classPrefix = 'tg2/'
const prefix = Buffer.from(classPrefix)
const gardenMark = Buffer.from('/garden')
const slash = 0x2f
const hexDigits = Buffer.from('0123456789abcdef')

const text = new Uint8Array(128)
text.set(prefix)

/** The low and the high half of the last signature. */
const signature = new Int32Array(2)
const signed = new Int32Array(6)

/** Signs Class attributes with the first half of a key of 32 bytes. */
class ClassKey {
  readonly #key: SipHashKey

  constructor(key: Uint8Array) {
    this.#key = new SipHashKey(key.subarray(0, 16))
  }

  /** Leaves the signature in `signature`. The arguments are those of one text only, which the signature thus covers. */
  sign(loginId: number, second: number, number: number, address: number, inGarden: boolean): void {
    signed[0] = loginId
    signed[1] = loginId / 0x1_0000_0000
    signed[2] = second
    signed[3] = number
    signed[4] = address
    signed[5] = (inGarden ? 1 : 0) | (address < 0 ? 2 : 0)
    this.#key.digest(signed, signature)
  }
}

/** Writes Class attributes without allocating. */
export class ClassWriter {
  readonly #key: ClassKey
  #number: number

  /** Each worker begins its numbers at another `firstNumber`, so that no two sessions of one second are alike. */
  constructor(key: Uint8Array, firstNumber: number) {
    this.#key = new ClassKey(key)
    this.#number = firstNumber >>> 0
  }

  /** `address` is -1 for none; `now` is in epoch seconds. */
  write(writer: PacketWriter, loginId: number, inGarden: boolean, address: number, now: number): void {
    this.#number = (this.#number + 1) >>> 0
    this.#key.sign(loginId, now, this.#number, address, inGarden)
    let end = writeDecimal(loginId, prefix.length)
    text[end++] = slash
    end = writeHex(this.#number, writeHex(now, end))
    text[end++] = slash
    end = address < 0 ? writeDecimal(0, end) : writeHex(address, end)
    text[end++] = slash
    end = writeHex(signature[0]!, writeHex(signature[1]!, end))
    writer.octets(attributes.class, text, 0, inGarden ? writeGarden(end) : end)
  }
}

/** Reads Class attributes that ClassWriter has signed with the same key. */
export class ClassReader {
  readonly #key: ClassKey

  constructor(key: Uint8Array) {
    this.#key = new ClassKey(key)
  }

  /** Null for one that is absent, of somebody else, or forged. */
  read(className: string | null): SessionClass | null {
    const match = className === null ? null : signedPattern.exec(className)
    if (!match) return null
    const [, login, second = '', number = '', offered = '', high = '', low = '', garden] = match
    const loginId = Number(login)
    const signedInAt = Number.parseInt(second, 16)
    const address = offered === '0' ? -1 : Number.parseInt(offered, 16)
    const inGarden = garden !== undefined
    this.#key.sign(loginId, signedInAt, Number.parseInt(number, 16), address, inGarden)
    // Both halves are compared in every case, so that the time tells nothing.
    const different = (signature[1]! ^ Number.parseInt(high, 16)) | (signature[0]! ^ Number.parseInt(low, 16))
    return different === 0 ? { loginId, signedInAt, address, inGarden } : null
  }
}

/** Every number has one spelling. */
const signedPattern =
  /^tg2\/([1-9]\d{0,14})\/([0-9a-f]{8})([0-9a-f]{8})\/(0|[0-9a-f]{8})\/([0-9a-f]{8})([0-9a-f]{8})(\/garden)?$/

/** Sessions that began before classes were signed have `tg1/<login id>/<subscriber id>`. */
const ourPattern = /^(?:tg1\/\d{1,15}\/\d{1,15}|tg2\/[0-9a-f/]{1,80})(\/garden)?$/

/**
 * Whether a session was admitted to the walled garden only; null when the Class attribute is absent or not ours. The
 * signature is not looked at: a NAS that says something wrong here only has its own session cut.
 */
export const gardenOf = (className: string | null): boolean | null => {
  const match = className === null ? null : ourPattern.exec(className)
  return match && match[1] !== undefined
}

/** Whether octets look like a Class attribute of ours, among others that proxies have added. */
export const isOurClass = (octets: Uint8Array): boolean =>
  octets[0] === 0x74 && octets[1] === 0x67 && (octets[2] === 0x31 || octets[2] === 0x32) && octets[3] === slash

function writeGarden(at: number): number {
  for (let index = 0; index < gardenMark.length; index++) text[at + index] = gardenMark[index]!
  return at + gardenMark.length
}

/** The eight hexadecimal digits of 32 bits; returns where they end. */
function writeHex(value: number, at: number): number {
  for (let digit = 0; digit < 8; digit++) text[at + digit] = hexDigits[(value >>> (28 - digit * 4)) & 15]!
  return at + 8
}

/** Decimal digits; returns where they end. */
function writeDecimal(value: number, at: number): number {
  let end = at + 1
  for (let bound = 10; bound <= value; bound *= 10) end++
  let rest = value
  for (let position = end - 1; position >= at; position--) {
    const tens = Math.floor(rest / 10)
    text[position] = 0x30 + (rest - tens * 10)
    rest = tens
  }
  return end
}
