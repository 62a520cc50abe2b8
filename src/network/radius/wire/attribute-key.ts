import { attributes } from './attribute-types.ts'
import type { KnownAttribute } from './dictionary/entry.ts'

/**
 * An attribute as one number that no other attribute has: its type, and above it the number of its vendor, zero for the
 * attributes of the RFCs. Both fit into the 53 bits of a whole number.
 */
export type AttributeKey = number

const vendorUnit = 2 ** 29

const attributeKey = (vendor: number | null, type: number): AttributeKey => (vendor ?? 0) * vendorUnit + type

/** Attributes inside of others have keys of their own; so have those that RFC 6929 carries for a vendor. */
export function keyOf({ vendor, type, nested, carrier }: KnownAttribute): AttributeKey {
  const path = nested.reduce((key, number, index) => key + number * 2 ** (8 + 8 * Math.min(index, 1)), type)
  return attributeKey(vendor, carrier === null ? path : vendorUnit / 2 + path)
}

const tunnelTypes: ReadonlySet<AttributeKey> = new Set([64, 65, 66, 67, 69, 81, 82, 83, 90, 91])

/** Whether it describes a tunnel, together with the others of its tag (RFC 2868 section 3). */
export const isOfTunnel = (key: AttributeKey): boolean => tunnelTypes.has(key)

/**
 * One of 32 bits, as in a Bloom filter. An attribute whose bit is not among the bits of a set is not in the set; if the
 * bit is there, the attribute may be.
 */
export const keyBit = (key: AttributeKey): number =>
  1 << (Math.imul((key % vendorUnit) ^ Math.imul(Math.floor(key / vendorUnit), 31), 0x9e3779b1) >>> 27)

export const keyBits = (keys: readonly AttributeKey[]): number => keys.reduce((bits, key) => bits | keyBit(key), 0)

/** The key of the encoded attribute at `at`, of a vendor with one octet for the type and one for the length. */
export function readKey(bytes: Uint8Array, at: number): AttributeKey {
  const type = bytes[at]!
  if (type !== attributes.vendorSpecific) return type
  return attributeKey((bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!, bytes[at + 6]!)
}
