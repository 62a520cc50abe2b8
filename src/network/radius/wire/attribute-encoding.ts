import { type AttributeFault, faultOf, isWrong, type ValueFault, wrong } from './attribute-fault.ts'
import { attributes } from './attribute-types.ts'
import { kinds, uint } from './attribute-value.ts'
import type { KnownAttribute } from './dictionary/entry.ts'
import { extendedTypes } from './dictionary/parser.ts'
import { valueBytesMax } from './packet.ts'
import { passwordBytesMax } from './passwords.ts'
import { prepareSecret } from './secret-attributes.ts'

/** RFC 6929 section 2.2: more of the value follows in the next attribute. */
const moreFlag = 0x80

/** The attribute with its head, and where in it the octets begin that a worker encrypts; 0 for none. */
export function encodeAttribute(
  attribute: KnownAttribute,
  tag: number | null,
  value: string | number,
): { bytes: Buffer; secretAt: number } | AttributeFault {
  const fault = ({ code, about }: ValueFault) => faultOf(code, { attribute: attribute.name, ...about })
  const encoded = kinds[attribute.kind].encode(String(value).trim(), attribute, tag)
  if (isWrong(encoded)) return fault(encoded)
  if (encoded.length === 0) return fault(wrong('empty'))
  if (attribute.length !== null && encoded.length !== attribute.length) {
    return fault(wrong('length', { most: attribute.length, has: encoded.length }))
  }
  if (attribute.encryption === 1 && encoded.length > passwordBytesMax) {
    return fault(tooLong(passwordBytesMax, encoded))
  }
  const tagBytes = attribute.kind === 'taggedText' ? 1 : 0
  const prepared = attribute.encryption === 0 ? encoded : prepareSecret(attribute.encryption, encoded, tagBytes)
  const bytes = frameAttribute(attribute, prepared)
  if (isWrong(bytes)) return fault(bytes)
  if (attribute.encryption === 0) return { bytes, secretAt: 0 }
  if (bytes[1] !== bytes.length) return fault(wrong('tooLongToEncrypt'))
  return { bytes, secretAt: bytes.length - prepared.length + (attribute.encryption === 2 ? tagBytes : 0) }
}

/** The attribute with its head, or why its value does not fit. */
function frameAttribute(attribute: KnownAttribute, value: Buffer): Buffer | ValueFault {
  const { vendor, type, nested, carrier } = attribute
  const { first, last, vendorSpecific } = extendedTypes
  const isExtended = vendor === null && type >= first && type <= last && nested.length > 0
  if (carrier !== null) {
    const inner = nest(nested, value)
    if (isWrong(inner)) return inner
    return extended(carrier, vendorSpecific, Buffer.concat([uint(vendor!, 4), Uint8Array.of(type), inner]))
  }
  const inner = nest(isExtended ? nested.slice(1) : nested, value)
  if (isWrong(inner)) return inner
  if (isExtended) return extended(type, nested[0]!, inner)
  return vendor === null ? plain(attribute, inner) : vendorSpecificOf(attribute, vendor, inner)
}

/** A value in its TLVs (RFC 6929 section 2.3); the outermost number is written by the caller. */
function nest(numbers: readonly number[], value: Buffer): Buffer | ValueFault {
  let inner = value
  for (const number of numbers.toReversed()) {
    if (inner.length > valueBytesMax) return tooLong(valueBytesMax, value)
    inner = Buffer.concat([Uint8Array.of(number, 2 + inner.length), inner])
  }
  return inner
}

function plain({ type, isSplit }: KnownAttribute, value: Buffer): Buffer | ValueFault {
  if (value.length > valueBytesMax && !isSplit) return tooLong(valueBytesMax, value)
  const parts = chunks(value, valueBytesMax)
  return Buffer.concat(parts.flatMap((part) => [Uint8Array.of(type, 2 + part.length), part]))
}

function vendorSpecificOf({ type, format }: KnownAttribute, vendor: number, value: Buffer): Buffer | ValueFault {
  const { typeBytes, lengthBytes, hasFlags } = format
  const headBytes = typeBytes + lengthBytes + (hasFlags ? 1 : 0)
  const max = valueBytesMax - 4 - headBytes
  if (value.length > max) return tooLong(max, value)
  const length = lengthBytes === 0 ? Buffer.alloc(0) : uint(headBytes + value.length, lengthBytes)
  const inner = Buffer.concat([uint(vendor, 4), uint(type, typeBytes), length, Buffer.alloc(hasFlags ? 1 : 0), value])
  return Buffer.concat([Uint8Array.of(attributes.vendorSpecific, 2 + inner.length), inner])
}

/** RFC 6929 sections 2.1 and 2.2. */
function extended(type: number, number: number, value: Buffer): Buffer | ValueFault {
  if (type < extendedTypes.firstLong) {
    if (value.length > valueBytesMax - 1) return tooLong(valueBytesMax - 1, value)
    return Buffer.concat([Uint8Array.of(type, 3 + value.length, number), value])
  }
  const parts = chunks(value, valueBytesMax - 2)
  const flags = (index: number) => (index < parts.length - 1 ? moreFlag : 0)
  return Buffer.concat(
    parts.flatMap((part, index) => [Uint8Array.of(type, 4 + part.length, number, flags(index)), part]),
  )
}

function chunks(value: Buffer, size: number): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < value.length; at += size) parts.push(value.subarray(at, at + size))
  return parts
}

const tooLong = (most: number, value: Buffer) => wrong('tooLong', { most, has: value.length })
