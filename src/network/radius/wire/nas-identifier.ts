import { attributes } from './attribute-types.ts'
import type { PacketView } from './packet.ts'

/**
 * A NAS-Identifier as text that PostgreSQL accepts and that gives back the same octets: UTF-8 as it is, anything else
 * in hex after `0x`. Null for none and for an empty one, which RFC 2865 section 5.32 does not allow.
 */
export function nasIdentifier(packet: PacketView): string | null {
  const text = packet.text(attributes.nasIdentifier)
  // What is not UTF-8 has become U+FFFD.
  const isPlain = text === null || !(text.includes('\ufffd') || text.includes('\0') || text.startsWith('0x'))
  return isPlain ? text || null : `0x${packet.find(attributes.nasIdentifier)!.toString('hex')}`
}

export const identifierOctets = (text: string): Buffer =>
  text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text)
