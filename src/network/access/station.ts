import { macSeparators } from '../../domain/mac.ts'

/**
 * Stations and MAC addresses as keys of the access table. This code runs for every packet, so it reads bytes and makes
 * no strings.
 */

const digitOf = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16)
  digitOf[text.charCodeAt(0)] = digit
  digitOf[text.toUpperCase().charCodeAt(0)] = digit
}

const isSeparatorByte = new Uint8Array(256)
for (const separator of macSeparators) isSeparatorByte[separator.charCodeAt(0)] = 1

/** The number of digits between two separators, by the length of the text; 0 when no MAC address has that length. */
const groupSizes = new Uint8Array(18)
for (const size of [2, 4, 6]) groupSizes[12 + 12 / size - 1] = size
groupSizes[12] = 12

/** A MAC address in one of the spellings of domain/mac.ts as a 48-bit number; -1 for anything else. */
export function parseMac(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const size = groupSizes[end - start] ?? 0
  if (size === 0) return -1
  const separator = bytes[start + size]!
  if (size < 12 && isSeparatorByte[separator] === 0) return -1
  let [high, low, digits] = [0, 0, 0]
  for (let at = start; at < end; at++) {
    if ((at - start) % (size + 1) === size) {
      if (bytes[at] !== separator) return -1
      continue
    }
    const digit = digitOf[bytes[at]!]!
    if (digit < 0) return -1
    if (digits < 4) high = (high << 4) | digit
    else low = ((low << 4) | digit) >>> 0
    digits++
  }
  return high * 0x1_0000_0000 + low
}

export const parseMacText = (text: string): number => parseMac(Buffer.from(text))

/**
 * The spellings that a NAS may have used as a password. CHAP and MS-CHAP carry digests, so each spelling has to be
 * tried.
 */
export function macSpellings(mac: number): string[] {
  const plain = mac.toString(16).padStart(12, '0')
  const grouped = (size: number, separator: string) => plain.match(new RegExp(`.{${size}}`, 'g'))!.join(separator)
  const lower = [
    plain,
    grouped(2, ':'),
    grouped(2, '-'),
    grouped(4, '.'),
    grouped(4, '-'),
    grouped(2, '.'),
    grouped(6, '-'),
  ]
  return [...lower, ...lower.map((spelling) => spelling.toUpperCase())]
}

/** Spreads 32 bits evenly (the finalizer of MurmurHash3), so that the low bits can select a slot. */
export function mix(hash: number): number {
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/**
 * A hash of a login that is the same for capitals and small Latin letters, so that one index serves lookups that
 * distinguish them and lookups that do not. It also takes a few other characters for one another.
 */
export function hashLogin(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at]! | 0x20), 0x01000193)
  return mix(hash)
}

/** For ids and MACs: integers below 2^53. */
export const hashNumber = (value: number): number =>
  mix((value | 0) ^ Math.imul((value / 0x1_0000_0000) | 0, 0x9e3779b1))

/** A hash of a Calling-Station-Id that ignores case and separators; 0 means that there is no station. */
export function stationHash(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let hash = 0x811c9dc5
  let seen = false
  for (let at = start; at < end; at++) {
    let byte = bytes[at]!
    if (isSeparatorByte[byte] === 1) continue
    if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20
    hash = Math.imul(hash ^ byte, 0x01000193)
    seen = true
  }
  if (!seen) return 0
  return mix(hash) || 1
}

export const stationHashOf = (callingStationId: string | null | undefined): number =>
  callingStationId ? stationHash(Buffer.from(callingStationId)) : 0

/** Whether two sessions are of one station, as a sign-in takes it. */
export function isSameStation(one: string | null, other: string | null): boolean {
  const station = stationHashOf(one)
  return station !== 0 && station === stationHashOf(other)
}
