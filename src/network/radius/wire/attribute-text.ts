import { formatIpv4, formatIpv6 } from './address.ts'
import { attributes } from './attribute-types.ts'
import type { KnownAttribute } from './dictionary/entry.ts'
import { attributeOf, unknownAttribute } from './dictionary/known-attributes.ts'

/** An attribute as an operator reads it, and writes it in radius_reply. */
export type AttributeText = { readonly name: string; readonly value: string }

/** In place of a value that is encrypted in the packet. */
const masked = '••••••'

/**
 * The attributes of bytes[from..to) by the names of the dictionary. What the dictionary does not know, or what does not
 * have the form that it says, is shown as `0x…`.
 */
export function attributeTexts(bytes: Buffer, from = 0, to = bytes.length): AttributeText[] {
  const texts: AttributeText[] = []
  for (let at = from; at + 2 <= to; ) {
    const length = bytes[at + 1]!
    if (length < 2 || at + length > to) break
    const type = bytes[at]!
    const value = bytes.subarray(at + 2, at + length)
    texts.push(...(type === attributes.vendorSpecific ? vendorTexts(value) : [rfcText(type, value)]))
    at += length
  }
  return texts
}

const rfcText = (type: number, value: Buffer): AttributeText =>
  textOf(attributeOf(type) ?? unknownAttribute(`Attr-${type}`, type, null), value)

/** One Vendor-Specific may hold several attributes (RFC 2865 section 5.26). */
function vendorTexts(value: Buffer): AttributeText[] {
  const whole = [{ name: 'Vendor-Specific', value: hex(value) }]
  if (value.length < 4) return whole
  const vendor = value.readUInt32BE()
  const texts: AttributeText[] = []
  for (let at = 4; at < value.length; ) {
    const { typeBytes, lengthBytes, hasFlags } = unknownAttribute('', 0, vendor).format
    const headBytes = typeBytes + lengthBytes + (hasFlags ? 1 : 0)
    if (at + headBytes > value.length) return whole
    const type = value.readUIntBE(at, typeBytes)
    const length = lengthBytes === 0 ? value.length - at : value.readUIntBE(at + typeBytes, lengthBytes)
    if (length < headBytes || at + length > value.length) return whole
    const known = attributeOf(type, vendor) ?? unknownAttribute(`Vendor-${vendor}-Attr-${type}`, type, vendor)
    texts.push(textOf(known, value.subarray(at + headBytes, at + length)))
    at += length
  }
  return texts
}

function textOf(attribute: KnownAttribute, value: Buffer): AttributeText {
  const { name, kind, encryption } = attribute
  // The tag of an encrypted attribute is not a secret.
  const tag = tagOf(attribute, value)
  // An integer has an octet for the tag also where the name has none.
  const isUntagged = tag === null || (tag === 0 && kind === 'taggedInteger')
  const shownName = isUntagged ? name : `${name}:${tag}`
  if (encryption !== 0 || kind === 'hidden') return { name: shownName, value: masked }
  return { name: shownName, value: valueText(attribute, tag === null ? value : value.subarray(1)) ?? hex(value) }
}

/** RFC 2868 section 3: an octet above 0x1f is the beginning of the text. */
function tagOf({ kind }: KnownAttribute, value: Buffer): number | null {
  const tag = value[0]
  if (tag === undefined || tag > 0x1f) return null
  return kind === 'taggedText' || kind === 'taggedInteger' ? tag : null
}

/** Null: the value does not have the form of its kind. */
function valueText(attribute: KnownAttribute, value: Buffer): string | null {
  switch (attribute.kind) {
    case 'text':
    case 'taggedText':
      return readableText(value)
    case 'integer':
      return value.length === 4 ? named(attribute, value.readUInt32BE()) : null
    case 'taggedInteger':
      return value.length === 3 ? named(attribute, value.readUIntBE(0, 3)) : null
    case 'short':
      return value.length === 2 ? named(attribute, value.readUInt16BE()) : null
    case 'byte':
      return value.length === 1 ? named(attribute, value[0]!) : null
    case 'integer64':
      return value.length === 8 ? String(value.readBigUInt64BE()) : null
    case 'signed':
      return value.length === 4 ? String(value.readInt32BE()) : null
    case 'date':
      return value.length === 4 ? new Date(value.readUInt32BE() * 1000).toISOString().replace('.000Z', 'Z') : null
    case 'interfaceId':
      return value.length === 8 ? groups(value, 2).map(withoutZeros).join(':') : null
    case 'ether':
      return value.length === 6 ? groups(value, 1).join(':') : null
    default:
      return addressText(attribute, value)
  }
}

function addressText({ kind }: KnownAttribute, value: Buffer): string | null {
  switch (kind) {
    case 'ipv4':
      return value.length === 4 ? formatIpv4(value.readUInt32BE()) : null
    case 'ipv6':
      return value.length === 16 ? formatIpv6(value) : null
    case 'anyIp':
      if (value.length === 4) return formatIpv4(value.readUInt32BE())
      return value.length === 16 ? formatIpv6(value) : null
    case 'ipv4Prefix':
      return value.length === 6 && value[1]! <= 32 ? `${formatIpv4(value.readUInt32BE(2))}/${value[1]}` : null
    case 'ipv6Prefix':
      return ipv6PrefixText(value)
    default:
      return null
  }
}

/** RFC 3162 section 2.3: trailing octets may be left out. */
function ipv6PrefixText(value: Buffer): string | null {
  if (value.length < 2 || value.length > 18 || value[1]! > 128) return null
  const address = Buffer.alloc(16)
  value.copy(address, 0, 2)
  return `${formatIpv6(address)}/${value[1]}`
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
const hex = (value: Buffer): string => `0x${value.toString('hex')}`
