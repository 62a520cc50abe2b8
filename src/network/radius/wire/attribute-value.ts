import { formatIpv4, formatIpv6, parseIpv4, parseIpv6, parseIpv6Prefix } from './address.ts'
import { isWrong, type ValueFault, wrong } from './attribute-fault.ts'
import type { AttributeKind, KnownAttribute } from './dictionary/entry.ts'

type Kind = {
  /** The bytes of a value. `tag` is null where the name has none. */
  readonly encode: (text: string, attribute: KnownAttribute, tag: number | null) => Buffer | ValueFault
  /** The value as an operator writes it, without its tag; null when it does not have the form of its kind. */
  readonly text: (value: Buffer, attribute: KnownAttribute) => string | null
}

/** A kind whose values all have the same number of octets. */
const fixed = (bytes: number, encode: Kind['encode'], text: Kind['text']): Kind => ({
  encode,
  text: (value, attribute) => (value.length === bytes ? text(value, attribute) : null),
})

const integer = (bytes: number): Kind =>
  fixed(
    bytes,
    (text, attribute) => encodeInteger(attribute, text, bytes),
    (value, attribute) => named(attribute, value.readUIntBE(0, bytes)),
  )

const unwritable = (code: 'container' | 'hidden' | 'protocol'): Kind => ({
  encode: () => wrong(code),
  text: () => null,
})

const ipv4 = fixed(4, encodeIpv4, (value) => formatIpv4(value.readUInt32BE()))
const ipv6 = fixed(16, encodeIpv6, formatIpv6)

export const kinds: Readonly<Record<AttributeKind, Kind>> = {
  text: { encode: (text) => Buffer.from(text), text: readableText },
  octets: { encode: encodeOctets, text: () => null },
  integer: integer(4),
  short: integer(2),
  byte: integer(1),
  integer64: fixed(8, encodeInteger64, (value) => String(value.readBigUInt64BE())),
  signed: fixed(4, encodeSigned, (value) => String(value.readInt32BE())),
  taggedInteger: {
    encode(text, attribute, tag) {
      const bytes = encodeInteger(attribute, text, 3)
      return isWrong(bytes) ? bytes : Buffer.concat([Uint8Array.of(tag ?? 0), bytes])
    },
    text: integer(3).text,
  },
  taggedText: {
    encode(text, { encryption }, tag) {
      // RFC 2868 section 3.5: a Tunnel-Password always has a tag.
      const written = tag ?? (encryption === 2 ? 0 : null)
      return Buffer.concat([Uint8Array.from(written === null ? [] : [written]), Buffer.from(text)])
    },
    text: readableText,
  },
  date: fixed(4, encodeDate, (value) => new Date(value.readUInt32BE() * 1000).toISOString().replace('.000Z', 'Z')),
  ipv4,
  ipv6,
  anyIp: {
    encode: (text) => (text.includes(':') ? encodeIpv6(text) : encodeIpv4(text)),
    text: (value, attribute) => (value.length === 4 ? ipv4 : ipv6).text(value, attribute),
  },
  ipv4Prefix: fixed(6, encodeIpv4Prefix, (value) =>
    value[1]! <= 32 ? `${formatIpv4(value.readUInt32BE(2))}/${value[1]}` : null,
  ),
  ipv6Prefix: { encode: encodeIpv6Prefix, text: ipv6PrefixText },
  interfaceId: fixed(8, encodeInterfaceId, (value) => groups(value, 2).map(withoutZeros).join(':')),
  ether: fixed(6, encodeEther, (value) => groups(value, 1).join(':')),
  container: unwritable('container'),
  hidden: unwritable('hidden'),
  protocol: unwritable('protocol'),
}

/** The bytes of a number, the most significant first. */
export function uint(number: number, bytes: number): Buffer {
  const encoded = Buffer.alloc(bytes)
  encoded.writeUIntBE(number, 0, bytes)
  return encoded
}

function encodeOctets(text: string): Buffer | ValueFault {
  if (!/^0x/i.test(text)) return Buffer.from(text)
  const digits = text.slice(2)
  if (!/^([0-9a-f]{2})+$/i.test(digits)) return wrong('octets', { value: text })
  return Buffer.from(digits, 'hex')
}

function encodeInteger({ values }: KnownAttribute, text: string, bytes: number): Buffer | ValueFault {
  const max = 256 ** bytes - 1
  const known = values.get(text.toLowerCase())
  const number = known ?? (/^(\d{1,10}|0x[0-9a-f]{1,8})$/i.test(text) ? Number(text) : Number.NaN)
  if (number <= max) return uint(number, bytes)
  return wrong('integer', { most: max, names: [...values.keys()].join(', '), value: text })
}

function encodeInteger64(text: string): Buffer | ValueFault {
  const number = /^(\d{1,20}|0x[0-9a-f]{1,16})$/i.test(text) ? BigInt(text) : -1n
  const bytes = Buffer.alloc(8)
  if (number < 0n || number >= 1n << 64n) return wrong('integer64', { value: text })
  bytes.writeBigUInt64BE(number)
  return bytes
}

function encodeSigned(text: string): Buffer | ValueFault {
  const number = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= -(2 ** 31) && number < 2 ** 31)) return wrong('signed', { value: text })
  return uint(number >>> 0, 4)
}

/** Seconds since 1970, or a moment as ISO 8601 writes it. */
function encodeDate(text: string): Buffer | ValueFault {
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000)
  if (seconds >= 0 && seconds <= 0xffffffff) return uint(seconds, 4)
  return wrong('date', { value: text })
}

function encodeIpv4(text: string): Buffer | ValueFault {
  const address = parseIpv4(text)
  return address === null ? wrong('ipv4', { value: text }) : uint(address, 4)
}

function encodeIpv6(text: string): Buffer | ValueFault {
  const address = parseIpv6(text)
  return address === null ? wrong('ipv6', { value: text }) : Buffer.from(address)
}

/** RFC 8044 section 3.11. */
function encodeIpv4Prefix(text: string): Buffer | ValueFault {
  const [, addressText = '', bitsText] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  const address = parseIpv4(addressText)
  const bits = Number(bitsText)
  if (address === null || bits > 32 || (bits < 32 && (address << bits) >>> 0 !== 0)) {
    return wrong('ipv4Prefix', { value: text })
  }
  return Buffer.concat([Uint8Array.of(0, bits), uint(address, 4)])
}

function encodeIpv6Prefix(text: string): Buffer | ValueFault {
  const prefix = parseIpv6Prefix(text)
  if (prefix === null) return wrong('ipv6Prefix', { value: text })
  const used = prefix.address.subarray(0, Math.ceil(prefix.bits / 8))
  return Buffer.concat([Uint8Array.of(0, prefix.bits), used])
}

/** RFC 3162 section 2.3: trailing octets may be left out. */
function ipv6PrefixText(value: Buffer): string | null {
  if (value.length < 2 || value.length > 18 || value[1]! > 128) return null
  const address = Buffer.alloc(16)
  value.copy(address, 0, 2)
  return `${formatIpv6(address)}/${value[1]}`
}

function encodeInterfaceId(text: string): Buffer | ValueFault {
  if (!/^([0-9a-f]{1,4}:){3}[0-9a-f]{1,4}$/i.test(text)) return wrong('interfaceId', { value: text })
  const digits = text.split(':').map((group) => group.padStart(4, '0'))
  return Buffer.from(digits.join(''), 'hex')
}

function encodeEther(text: string): Buffer | ValueFault {
  if (!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text)) return wrong('ether', { value: text })
  return Buffer.from(text.replaceAll(/[:-]/g, ''), 'hex')
}

/** By the name that the dictionary has for the number. */
function named({ values }: KnownAttribute, number: number): string {
  for (const [name, value] of values) if (value === number) return name
  return String(number)
}

/** Null for octets that are no text, or would not be told from others on a screen. */
function readableText(value: Buffer): string | null {
  const text = value.toString('utf8')
  return /[\p{Cc}\p{Cf}\ufffd]/u.test(text) ? null : text
}

const groups = (value: Buffer, size: number): string[] =>
  Array.from({ length: value.length / size }, (_, index) => value.toString('hex', index * size, index * size + size))
const withoutZeros = (digits: string): string => digits.replace(/^0+(?=.)/, '')
