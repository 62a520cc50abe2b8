import { attributes } from './attribute-types.ts'

/**
 * An attribute as one number that no other attribute has: its type, and above it the number of its vendor, zero for the
 * attributes of the RFCs. Both fit into the 53 bits of a whole number.
 */
export type AttributeKey = number

const vendorUnit = 2 ** 29

export const attributeKey = (vendor: number | null, type: number): AttributeKey => (vendor ?? 0) * vendorUnit + type

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
