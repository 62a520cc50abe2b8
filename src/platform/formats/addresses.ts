import { isIP, SocketAddress } from 'node:net'

/**
 * An IPv4 or IPv6 address as PostgreSQL's inet reads it, or null. Zones (`%eth0`) are of one host and are refused. An
 * IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is that IPv4 address: the table would take it for another, and a
 * second NAS of one address shuts out the first.
 */
export function readIp(text: string): string | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  if (isIP(text) === 4) return text
  const quad = /^::ffff:([\d.]+)$/.exec(new SocketAddress({ address: text, family: 'ipv6' }).address)?.[1]
  return quad ?? text
}

/** An address with or without a prefix length, or null. */
export function readNetwork(text: string): string | null {
  const [address = '', length, ...more] = text.split('/')
  if (more.length > 0 || !readIp(address)) return null
  if (length === undefined) return text
  return /^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128) ? text : null
}
