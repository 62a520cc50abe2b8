import { isIP } from 'node:net'

/** An IPv4 or IPv6 address as PostgreSQL's inet reads it, or null. Zones (`%eth0`) are of one host and are refused. */
export const readIp = (text: string): string | null => (isIP(text) !== 0 && !text.includes('%') ? text : null)

/** An address with or without a prefix length, or null. */
export function readNetwork(text: string): string | null {
  const [address = '', length, ...more] = text.split('/')
  if (more.length > 0 || !readIp(address)) return null
  if (length === undefined) return text
  return /^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128) ? text : null
}

/** A MAC in any common spelling, written as `aa:bb:cc:dd:ee:ff`, or null. */
export function readMac(text: string): string | null {
  const digits = text.replace(/[:.-]/g, '').toLowerCase()
  const isSpelling = /^([\da-f]{2}([:-]?)[\da-f]{2}(\2[\da-f]{2}){4}|[\da-f]{4}([.-])[\da-f]{4}\4[\da-f]{4})$/i.test(
    text,
  )
  return isSpelling ? (digits.match(/../g) as string[]).join(':') : null
}
