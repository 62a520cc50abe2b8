import { attributes } from './attribute-types.ts'
import { kinds } from './attribute-value.ts'
import type { KnownAttribute } from './dictionary/entry.ts'
import { attributeOf, unknownAttribute } from './dictionary/known-attributes.ts'

/** An attribute as an operator reads it, and writes it in radius_reply. */
export type AttributeText = { readonly name: string; readonly value: string }

/** In place of a value that is encrypted in the packet. */
export const masked = '••••••'

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
  const text = kinds[kind].text(tag === null ? value : value.subarray(1), attribute)
  return { name: shownName, value: text ?? hex(value) }
}

/** RFC 2868 section 3: an octet above 0x1f is the beginning of the text. */
function tagOf({ kind }: KnownAttribute, value: Buffer): number | null {
  const tag = value[0]
  if (tag === undefined || tag > 0x1f) return null
  return kind === 'taggedText' || kind === 'taggedInteger' ? tag : null
}

const hex = (value: Buffer): string => `0x${value.toString('hex')}`
