import { parseIpv4, parseIpv6, parseIpv6Prefix } from './address.ts'
import { type AttributeKey, attributeKey } from './attribute-key.ts'
import { attributes } from './attribute-types.ts'
import { attributeOf, findAttribute, type KnownAttribute } from './dictionary/known-attributes.ts'
import { isRepeatable } from './dictionary/repeatable.ts'
import { packetBytesMax, valueBytesMax } from './packet.ts'

export { attributeNames, attributeOf, findAttribute } from './dictionary/known-attributes.ts'

/**
 * How an item of radius_reply is combined with the attributes of earlier lists and our own: `=` replaces them and `+=`
 * is added to them. Without an operator an attribute that may occur only once replaces, and any other is added.
 */
export const replyOperators = ['=', '+='] as const
type ReplyOperator = (typeof replyOperators)[number]
/** One item of Users.radius_reply or Tarif.radius_reply. */
type ReplyItem = { name: string; value: string | number; op?: ReplyOperator }
export type EncodedReply = Buffer | { fault: string }
/** One item of a list, encoded. */
export type ReplyAttribute = {
  name: string
  key: AttributeKey
  replaces: boolean
  isRepeatable: boolean
  bytes: Buffer
}

/** Half of a packet. The other half is for the header, addresses, keys and Proxy-State of the answer. */
const replyBytesMax = packetBytesMax / 2
const tagMax = 31

/**
 * The bytes of one configured attribute, head included, as PacketWriter.encoded takes them. The name is one of the
 * dictionary, with `:tag` where RFC 2868 has tags, or `Attr-<number>`, or `Vendor-<number>-Attr-<number>` with a value
 * of `0x…` or text. The fault is a sentence for the operator.
 */
export function encodeReplyAttribute(name: string, value: string | number): EncodedReply {
  const named = readName(name)
  return 'fault' in named ? named : encodeNamed(named.attribute, named.tag, value)
}

/** One item as stored in JSON. The fault is a sentence for the operator. */
export function encodeReplyItem({ name, value, op }: ReplyItem): ReplyAttribute | { fault: string } {
  const named = readName(name)
  if ('fault' in named) return named
  const { attribute, tag } = named
  const repeatable = isRepeatable(attribute)
  const replaces = op === undefined ? !repeatable : op === '='
  if (!replaces && !repeatable) {
    return { fault: `${attribute.name} stands once in an answer, so it cannot be added with "+=".` }
  }
  if (replaces && attribute.vendor === null && attribute.type === attributes.class) {
    return { fault: 'The Class of an answer names its session and cannot be replaced; add another one with "+=".' }
  }
  const bytes = encodeNamed(attribute, tag, value)
  if ('fault' in bytes) return bytes
  return {
    name: attribute.name,
    key: attributeKey(attribute.vendor, attribute.type),
    replaces,
    isRepeatable: repeatable,
    bytes,
  }
}

/** All attributes of a list as stored in JSON, one after another. `list` is not trusted. */
export function encodeReplyAttributes(list: unknown): EncodedReply {
  if (!Array.isArray(list)) return { fault: 'RADIUS attributes are a list of {"name", "value", "op"}.' }
  const parts: Buffer[] = []
  const single = new Set<AttributeKey>()
  for (const [i, item] of list.entries()) {
    if (!isReplyItem(item)) {
      return {
        fault: `RADIUS attribute ${i + 1} is not {"name": text, "value": text or number, "op": "=" or "+="}.`,
      }
    }
    const encoded = encodeReplyItem(item)
    if ('fault' in encoded) return encoded
    if (single.has(encoded.key)) return { fault: `${encoded.name} stands once in an answer, and this list has two.` }
    if (!encoded.isRepeatable) single.add(encoded.key)
    parts.push(encoded.bytes)
  }
  const all = Buffer.concat(parts)
  if (all.length > replyBytesMax) {
    return { fault: `These RADIUS attributes take ${all.length} bytes; an answer has room for ${replyBytesMax}.` }
  }
  return all
}

function isReplyItem(item: unknown): item is ReplyItem {
  if (typeof item !== 'object' || item === null || !('name' in item) || !('value' in item)) return false
  if ('op' in item && !replyOperators.some((op) => op === item.op)) return false
  return typeof item.name === 'string' && (typeof item.value === 'string' || typeof item.value === 'number')
}

function readName(name: string): { attribute: KnownAttribute; tag: number | null } | { fault: string } {
  const [bare = '', tagText, ...rest] = name.trim().split(':')
  const attribute = findAttribute(bare) ?? numbered(bare)
  if (attribute === null || rest.length > 0) {
    return {
      fault: `There is no RADIUS attribute "${name}" in the dictionary; write Vendor-<number>-Attr-<number> for one it does not know.`,
    }
  }
  const tag = tagText === undefined ? null : Number(tagText)
  if (tag !== null && !attribute.kind.startsWith('tagged')) return { fault: `${attribute.name} takes no tag.` }
  if (tag !== null && !(/^\d+$/.test(tagText ?? '') && tag <= tagMax)) {
    return { fault: `The tag of ${attribute.name} is a number from 0 to ${tagMax}.` }
  }
  return { attribute, tag }
}

function encodeNamed(attribute: KnownAttribute, tag: number | null, value: string | number): EncodedReply {
  const encoded = encodeValue(attribute, String(value).trim(), tag)
  if (typeof encoded === 'string') return { fault: `${attribute.name} ${encoded}` }
  const max = attribute.vendor === null ? valueBytesMax : valueBytesMax - 6
  if (encoded.length === 0) return { fault: `${attribute.name} needs a value.` }
  if (encoded.length > max) {
    return { fault: `${attribute.name} holds at most ${max} bytes, and this value has ${encoded.length}.` }
  }
  const own = Buffer.concat([Uint8Array.of(attribute.type, 2 + encoded.length), encoded])
  if (attribute.vendor === null) return own
  const head = Buffer.alloc(6)
  head[0] = attributes.vendorSpecific
  head[1] = head.length + own.length
  head.writeUInt32BE(attribute.vendor, 2)
  return Buffer.concat([head, own])
}

/** The bytes of the value, or the rest of a sentence that begins with the name of the attribute. */
function encodeValue(attribute: KnownAttribute, text: string, tag: number | null): Buffer | string {
  switch (attribute.kind) {
    case 'text':
      return Buffer.from(text, 'utf8')
    case 'octets':
      return encodeOctets(text)
    case 'integer':
      return encodeInteger(attribute, text, 0xffffffff)
    case 'taggedInteger': {
      const bytes = encodeInteger(attribute, text, 0xffffff)
      if (typeof bytes !== 'string') bytes[0] = tag ?? 0
      return bytes
    }
    case 'taggedText':
      return Buffer.concat([tag === null ? Buffer.alloc(0) : Buffer.of(tag), Buffer.from(text, 'utf8')])
    case 'date':
      return encodeDate(text)
    case 'ipv4': {
      const address = parseIpv4(text)
      return address === null ? `needs an IPv4 address, not "${text}".` : uint32(address)
    }
    case 'ipv6': {
      const address = parseIpv6(text)
      return address === null ? `needs an IPv6 address, not "${text}".` : Buffer.from(address)
    }
    case 'ipv6Prefix': {
      const prefix = parseIpv6Prefix(text)
      if (prefix === null) return `needs an IPv6 prefix like 2001:db8:1::/48 with nothing behind it, not "${text}".`
      const used = prefix.address.subarray(0, Math.ceil(prefix.bits / 8))
      return Buffer.concat([Uint8Array.of(0, prefix.bits), used])
    }
    case 'interfaceId': {
      if (!/^([0-9a-f]{1,4}:){3}[0-9a-f]{1,4}$/i.test(text)) return `needs four groups like 0:0:0:1, not "${text}".`
      return Buffer.from(
        text
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      )
    }
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

function encodeInteger(attribute: KnownAttribute, text: string, max: number): Buffer | string {
  const named = attribute.values.get(text.toLowerCase())
  const number = named ?? (/^(\d{1,10}|0x[0-9a-f]{1,8})$/i.test(text) ? Number(text) : Number.NaN)
  if (number <= max) return uint32(number)
  const names = attribute.values.size === 0 ? '' : ` or one of its names (${[...attribute.values.keys()].join(', ')})`
  return `needs a whole number from 0 to ${max}${names}, not "${text}".`
}

/** Seconds since 1970, or a moment as ISO 8601 writes it. */
function encodeDate(text: string): Buffer | string {
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000)
  if (seconds >= 0 && seconds <= 0xffffffff) return uint32(seconds)
  return `needs a moment like 2030-01-31T12:00:00Z or seconds since 1970, not "${text}".`
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}

/** `Attr-245` and `Vendor-35265-Attr-1`; a number the dictionary knows is treated as the dictionary says. */
function numbered(name: string): KnownAttribute | null {
  const match = /^(?:Vendor-(\d{1,8})-)?Attr-(\d{1,3})$/i.exec(name)
  if (match === null) return null
  const vendor = match[1] === undefined ? null : Number(match[1])
  const type = Number(match[2])
  if (type < 1 || type > 255 || (vendor !== null && vendor > 0xffffff)) return null
  return attributeOf(type, vendor) ?? { name, type, vendor, kind: 'octets', values: new Map() }
}
