import { attributes } from './attribute-types.ts'
import type { PacketView } from './packet.ts'

/**
 * What stands before octets in hex, by the attribute. Text that begins with it is in hex too. There are NAS that begin
 * the names of their sessions with `0x`, and these stay as they are.
 */
const hexMarks = {
  [attributes.userName]: 'octets:',
  [attributes.nasIdentifier]: '0x',
  [attributes.acctSessionId]: 'octets:',
} as const

type OctetAttribute = keyof typeof hexMarks

/**
 * The first attribute of the type as text that PostgreSQL accepts and that gives back the same octets: UTF-8 as it is,
 * anything else in hex. Null for none and for an empty one, which RFC 2865 section 5 does not allow.
 */
export function octetText(packet: PacketView, type: OctetAttribute): string | null {
  const text = packet.text(type)
  const mark = hexMarks[type]
  // What is not UTF-8 has become U+FFFD.
  const isPlain = text === null || !(text.includes('\ufffd') || text.includes('\0') || text.startsWith(mark))
  return isPlain ? text || null : mark + packet.find(type)!.toString('hex')
}

/** What octetText makes of the octets of a text of ours. */
export function octetTextOf(type: OctetAttribute, text: string): string {
  const mark = hexMarks[type]
  return text.startsWith(mark) ? mark + Buffer.from(text).toString('hex') : text
}

export function octetsOf(type: OctetAttribute, text: string): Buffer {
  const mark = hexMarks[type]
  return text.startsWith(mark) ? Buffer.from(text.slice(mark.length), 'hex') : Buffer.from(text)
}
