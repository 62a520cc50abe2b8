import { isIPv6 } from 'node:net'

/** RFC 2865 section 5.8: the client chooses its address; the NAS does. Every address from here on is such a word. */
export const firstAddressWord = 0xffff_fffe

/** Dotted text of the 32 bits of an IPv4 address. */
export function formatIpv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`
}

/** The 32 bits of a dotted address: four decimal numbers below 256 without leading zeros, as isIPv4 of node:net. */
export function parseIpv4(text: string): number | null {
  let [address, part, digits, dots] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === dot) {
      if (digits === 0 || ++dots > 3) return null
      address = address * 256 + part
      part = digits = 0
      continue
    }
    if (unit < digitZero || unit > digitZero + 9 || (digits > 0 && part === 0)) return null
    part = part * 10 + unit - digitZero
    if (part > 255) return null
    digits++
  }
  return dots === 3 && digits > 0 ? address * 256 + part : null
}

const dot = 0x2e
const digitZero = 0x30

/** The text of 16 bytes as RFC 5952 section 4 writes it: lower case, the longest run of zero groups as `::`. */
export function formatIpv6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[i * 2]! << 8) | bytes[i * 2 + 1]!)
  let start = 0
  let run = 1 // A single zero group is never shortened.
  for (let i = 0; i < 8; i++) {
    let zeros = 0
    while (i + zeros < 8 && groups[i + zeros] === 0) zeros++
    if (zeros > run) [start, run] = [i, zeros]
  }
  const written = groups.map((group) => group.toString(16))
  if (run === 1) return written.join(':')
  return `${written.slice(0, start).join(':')}::${written.slice(start + run).join(':')}`
}

/** The 16 bytes of an IPv6 address in any spelling of RFC 4291, without a zone. */
export function parseIpv6(text: string): Uint8Array<ArrayBuffer> | null {
  if (!isIPv6(text) || text.includes('%')) return null
  const [head = '', tail] = embeddedIpv4AsGroups(text).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  for (const [i, group] of before.entries()) view.setUint16(i * 2, Number.parseInt(group, 16))
  for (const [i, group] of after.entries()) view.setUint16(16 - (after.length - i) * 2, Number.parseInt(group, 16))
  return bytes
}

/**
 * The 16 bytes of an address of either family, IPv4 as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2); a zone is ignored.
 * Null for a text that is no address.
 */
export function parseAddress(text: string): Uint8Array<ArrayBuffer> | null {
  const plain = text.replace(/%.*$/, '')
  const ipv4 = parseIpv4(plain)
  return ipv4 === null ? parseIpv6(plain) : mappedIpv4(ipv4)
}

/** The text of 16 bytes; ::ffff:a.b.c.d as IPv4. */
export function formatAddress(bytes: Uint8Array): string {
  const isIpv4 = bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((octet) => octet === 0)
  return isIpv4 ? bytes.subarray(12, 16).join('.') : formatIpv6(bytes)
}

/** fe80::/10: it means something only together with an interface. */
export const isLinkLocal = (bytes: Uint8Array): boolean => bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80

/** ::ffff:a.b.c.d of the 32 bits of an IPv4 address. */
export function mappedIpv4(address: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16)
  bytes.fill(0xff, 10, 12)
  new DataView(bytes.buffer).setUint32(12, address)
  return bytes
}

/** `2001:db8::/32` as bytes and bits; null when it is no prefix, or when bits behind the prefix are set. */
export function parseIpv6Prefix(text: string): { address: Uint8Array; bits: number } | null {
  const slash = text.indexOf('/')
  const bits = text.slice(slash + 1)
  const address = slash === -1 ? null : parseIpv6(text.slice(0, slash))
  if (address === null || !/^\d{1,3}$/.test(bits) || Number(bits) > 128) return null
  for (let bit = Number(bits); bit < 128; bit++) if (address[bit >> 3]! & (0x80 >> (bit & 7))) return null
  return { address, bits: Number(bits) }
}

/** `::ffff:192.0.2.1` becomes `::ffff:c000:201`. */
function embeddedIpv4AsGroups(text: string): string {
  const colon = text.lastIndexOf(':')
  const address = parseIpv4(text.slice(colon + 1))
  if (address === null) return text
  return `${text.slice(0, colon + 1)}${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`
}
