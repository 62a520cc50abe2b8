import { encodeAttribute } from './attribute-encoding.ts'
import { type AttributeFault, faultOf } from './attribute-fault.ts'
import { type AttributeKey, keyOf } from './attribute-key.ts'
import { attributes } from './attribute-types.ts'
import type { KnownAttribute } from './dictionary/entry.ts'
import { attributeOf, findAttribute, unknownAttribute } from './dictionary/known-attributes.ts'
import { isRepeatable } from './dictionary/repeatable.ts'
import { packetBytesMax } from './packet.ts'

export { addDictionaries, attributeNames, attributeOf, findAttribute } from './dictionary/known-attributes.ts'

/**
 * How an item of radius_reply is combined with the attributes of earlier lists and our own: `=` replaces them and `+=`
 * is added to them. Without an operator an attribute that may occur only once replaces, and any other is added.
 */
export const replyOperators = ['=', '+='] as const
type ReplyOperator = (typeof replyOperators)[number]
/** An attribute as it is written in lists and templates. */
export type NamedValue = { readonly name: string; readonly value: string | number }
/** One item of Users.radius_reply or Tarif.radius_reply. */
type ReplyItem = NamedValue & { readonly op?: ReplyOperator }
/**
 * One item of a list, encoded. Where `encryption` is not 0, the octets from `secretAt` on are still in clear text, with
 * their padding, and are encrypted in each packet.
 */
export type ReplyAttribute = {
  name: string
  key: AttributeKey
  replaces: boolean
  isRepeatable: boolean
  bytes: Buffer
  encryption: 0 | 1 | 2
  secretAt: number
}

/** Half of a packet. The other half is for the header, addresses, keys and Proxy-State of the answer. */
const replyBytesMax = packetBytesMax / 2
const tagMax = 31

/**
 * One item as stored in JSON. The name is one of the dictionary, with `:tag` where RFC 2868 has tags, or
 * `Attr-<number>`, or `Vendor-<number>-Attr-<number>` with a value of `0x…` or text. The fault is a sentence for the
 * operator.
 */
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
  const encoded = encodeAttribute(attribute, tag, value)
  if ('fault' in encoded) return encoded
  return {
    name: attribute.name,
    key: keyOf(attribute),
    replaces,
    isRepeatable: repeatable,
    ...encoded,
    encryption: attribute.encryption,
  }
}

/** All attributes of a list as stored in JSON, one after another. `list` is not trusted. */
export function encodeReplyAttributes(list: unknown): Buffer | { fault: string } {
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

const isReplyItem = (item: unknown): item is ReplyItem =>
  isNamedValue(item) && (!('op' in item) || replyOperators.some((op) => op === item.op))

export function isNamedValue(item: unknown): item is NamedValue {
  if (typeof item !== 'object' || item === null || !('name' in item) || !('value' in item)) return false
  return typeof item.name === 'string' && (typeof item.value === 'string' || typeof item.value === 'number')
}

/** An attribute as it is named in lists and templates. */
export function readName(name: string): { attribute: KnownAttribute; tag: number | null } | AttributeFault {
  const [bare = '', tagText, ...rest] = name.trim().split(':')
  const attribute = findAttribute(bare) ?? numbered(bare)
  if (attribute === null || rest.length > 0) return faultOf('unknown', { attribute: name })
  const tag = tagText === undefined ? null : Number(tagText)
  if (tag !== null && !attribute.kind.startsWith('tagged')) return faultOf('untagged', { attribute: attribute.name })
  if (tag !== null && !(/^\d+$/.test(tagText ?? '') && tag <= tagMax)) {
    return faultOf('tag', { attribute: attribute.name, most: tagMax })
  }
  return { attribute, tag }
}

/** `Attr-245` and `Vendor-35265-Attr-1`; a number the dictionary knows is treated as the dictionary says. */
function numbered(name: string): KnownAttribute | null {
  const match = /^(?:Vendor-(\d{1,8})-)?Attr-(\d{1,3})$/i.exec(name)
  if (match === null) return null
  const vendor = match[1] === undefined ? null : Number(match[1])
  const type = Number(match[2])
  if (type < 1 || type > 255 || (vendor !== null && vendor > 0xffffff)) return null
  return attributeOf(type, vendor) ?? unknownAttribute(name, type, vendor)
}
