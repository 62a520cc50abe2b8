/** Stations and MAC addresses as the access table keys them. Everything reads bytes and makes no strings: it runs for every packet. */

const digitOf = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16)
  digitOf[text.charCodeAt(0)] = digit
  digitOf[text.toUpperCase().charCodeAt(0)] = digit
}

const isSeparator = (byte: number) => byte === 0x3a || byte === 0x2d || byte === 0x2e || byte === 0x20

/** A MAC in any common spelling (`aa:bb:…`, `AA-BB-…`, `aabb.ccdd.eeff`, `aabbccddeeff`) as a 48-bit number; -1 when it is none. */
export function parseMac(bytes: Uint8Array, start = 0, end = bytes.length): number {
  if (end - start < 12 || end - start > 17) return -1
  let high = 0
  let low = 0
  let digits = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    const digit = digitOf[byte]!
    if (digit < 0) {
      // A separator stands between digits, never first, last or twice.
      if (!isSeparator(byte) || at === start || at === end - 1 || digitOf[bytes[at - 1]!]! < 0) return -1
      continue
    }
    if (digits < 4) high = (high << 4) | digit
    else low = ((low << 4) | digit) >>> 0
    digits++
  }
  return digits === 12 ? high * 0x1_0000_0000 + low : -1
}

export const parseMacText = (text: string): number => parseMac(Buffer.from(text, 'latin1'))

/** The spellings a NAS may have used as a password; CHAP and MS-CHAP cannot be parsed, only tried. */
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

/** Spreads 32 bits evenly (murmur3's last step), so that the low bits can pick a slot. */
export function mix(hash: number): number {
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

export function hashBytes(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return mix(hash)
}

/** For ids and MACs: integers below 2^53. */
export const hashNumber = (value: number): number =>
  mix((value | 0) ^ Math.imul((value / 0x1_0000_0000) | 0, 0x9e3779b1))

/** Names a station by its Calling-Station-Id, without case and separators; 0 means there is none. */
export function stationHash(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let hash = 0x811c9dc5
  let seen = false
  for (let at = start; at < end; at++) {
    let byte = bytes[at]!
    if (isSeparator(byte)) continue
    if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20
    hash = Math.imul(hash ^ byte, 0x01000193)
    seen = true
  }
  if (!seen) return 0
  return mix(hash) || 1
}

export const stationHashOf = (callingStationId: string | null | undefined): number =>
  callingStationId ? stationHash(Buffer.from(callingStationId)) : 0
