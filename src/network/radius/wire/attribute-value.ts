import { parseIpv4, parseIpv6, parseIpv6Prefix } from './address.ts'
import type { KnownAttribute } from './dictionary/entry.ts'

/**
 * The bytes of a value, or the rest of a sentence that begins with the name of the attribute. `tag` is null where the
 * name has none.
 */
export function encodeValue(attribute: KnownAttribute, text: string, tag: number | null): Buffer | string {
  switch (attribute.kind) {
    case 'text':
      return Buffer.from(text, 'utf8')
    case 'octets':
      return encodeOctets(text)
    case 'integer':
      return encodeInteger(attribute, text, 4)
    case 'short':
      return encodeInteger(attribute, text, 2)
    case 'byte':
      return encodeInteger(attribute, text, 1)
    case 'integer64':
      return encodeInteger64(text)
    case 'signed':
      return encodeSigned(text)
    case 'taggedInteger': {
      const bytes = encodeInteger(attribute, text, 3)
      return typeof bytes === 'string' ? bytes : Buffer.concat([Uint8Array.of(tag ?? 0), bytes])
    }
    case 'taggedText': {
      // RFC 2868 section 3.5: a Tunnel-Password always has a tag.
      const written = tag ?? (attribute.encryption === 2 ? 0 : null)
      return Buffer.concat([Uint8Array.from(written === null ? [] : [written]), Buffer.from(text, 'utf8')])
    }
    case 'date':
      return encodeDate(text)
    case 'ipv4':
      return encodeIpv4(text)
    case 'ipv6':
      return encodeIpv6(text)
    case 'anyIp':
      return text.includes(':') ? encodeIpv6(text) : encodeIpv4(text)
    case 'ipv4Prefix':
      return encodeIpv4Prefix(text)
    case 'ipv6Prefix':
      return encodeIpv6Prefix(text)
    case 'interfaceId':
      return encodeInterfaceId(text)
    case 'ether':
      if (!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text))
        return `needs a MAC address like 00:1a:2b:3c:4d:5e, not "${text}".`
      return Buffer.from(text.replaceAll(/[:-]/g, ''), 'hex')
    case 'container':
      return 'holds other attributes; name one of those.'
    case 'hidden':
      return 'is encrypted for each packet and cannot be configured.'
    case 'protocol':
      return 'belongs to the protocol and cannot be configured.'
  }
}

function encodeOctets(text: string): Buffer | string {
  if (!/^0x/i.test(text)) return Buffer.from(text, 'utf8')
  const digits = text.slice(2)
  if (!/^([0-9a-f]{2})+$/i.test(digits)) return `needs pairs of hexadecimal digits after 0x, not "${text}".`
  return Buffer.from(digits, 'hex')
}

function encodeInteger(attribute: KnownAttribute, text: string, bytes: number): Buffer | string {
  const max = 256 ** bytes - 1
  const named = attribute.values.get(text.toLowerCase())
  const number = named ?? (/^(\d{1,10}|0x[0-9a-f]{1,8})$/i.test(text) ? Number(text) : Number.NaN)
  if (number <= max) {
    const encoded = Buffer.alloc(bytes)
    encoded.writeUIntBE(number, 0, bytes)
    return encoded
  }
  const names = attribute.values.size === 0 ? '' : ` or one of its names (${[...attribute.values.keys()].join(', ')})`
  return `needs a whole number from 0 to ${max}${names}, not "${text}".`
}

function encodeInteger64(text: string): Buffer | string {
  const number = /^(\d{1,20}|0x[0-9a-f]{1,16})$/i.test(text) ? BigInt(text) : -1n
  const bytes = Buffer.alloc(8)
  if (number < 0n || number >= 1n << 64n) return `needs a whole number of at most 64 bits, not "${text}".`
  bytes.writeBigUInt64BE(number)
  return bytes
}

function encodeSigned(text: string): Buffer | string {
  const number = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= -(2 ** 31) && number < 2 ** 31))
    return `needs a whole number from -2147483648 to 2147483647, not "${text}".`
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(number)
  return bytes
}

/** Seconds since 1970, or a moment as ISO 8601 writes it. */
function encodeDate(text: string): Buffer | string {
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000)
  if (seconds >= 0 && seconds <= 0xffffffff) return uint32(seconds)
  return `needs a moment like 2030-01-31T12:00:00Z or seconds since 1970, not "${text}".`
}

function encodeIpv4(text: string): Buffer | string {
  const address = parseIpv4(text)
  return address === null ? `needs an IPv4 address, not "${text}".` : uint32(address)
}

function encodeIpv6(text: string): Buffer | string {
  const address = parseIpv6(text)
  return address === null ? `needs an IPv6 address, not "${text}".` : Buffer.from(address)
}

/** RFC 8044 section 3.11. */
function encodeIpv4Prefix(text: string): Buffer | string {
  const [, addressText = '', bitsText] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  const address = parseIpv4(addressText)
  const bits = Number(bitsText)
  if (address === null || bits > 32 || (bits < 32 && (address << bits) >>> 0 !== 0)) {
    return `needs an IPv4 prefix like 10.0.0.0/24 with nothing behind it, not "${text}".`
  }
  return Buffer.concat([Uint8Array.of(0, bits), uint32(address)])
}

function encodeIpv6Prefix(text: string): Buffer | string {
  const prefix = parseIpv6Prefix(text)
  if (prefix === null) return `needs an IPv6 prefix like 2001:db8:1::/48 with nothing behind it, not "${text}".`
  const used = prefix.address.subarray(0, Math.ceil(prefix.bits / 8))
  return Buffer.concat([Uint8Array.of(0, prefix.bits), used])
}

function encodeInterfaceId(text: string): Buffer | string {
  if (!/^([0-9a-f]{1,4}:){3}[0-9a-f]{1,4}$/i.test(text)) return `needs four groups like 0:0:0:1, not "${text}".`
  const groups = text.split(':').map((group) => group.padStart(4, '0'))
  return Buffer.from(groups.join(''), 'hex')
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
