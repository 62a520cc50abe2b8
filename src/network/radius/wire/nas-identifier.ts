import { isUtf8 } from 'node:buffer'

/**
 * A NAS-Identifier as text that PostgreSQL accepts and that gives back the same octets: UTF-8 as it is, anything else
 * in hex after `0x`. Null for an empty one, which RFC 2865 section 5.32 does not allow.
 */
export function identifierText(octets: Uint8Array): string | null {
  if (octets.length === 0) return null
  const bytes = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
  const text = bytes.toString('utf8')
  const isPlain = isUtf8(bytes) && !text.includes('\0') && !text.startsWith('0x')
  return isPlain ? text : `0x${bytes.toString('hex')}`
}

export const identifierOctets = (text: string): Buffer =>
  text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text)
