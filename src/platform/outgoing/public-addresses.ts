import { type BlockList, isIP, SocketAddress } from 'node:net'
import { readNetworks } from '../formats/addresses.ts'

/** The IANA registries of special-purpose addresses: what is not reachable from everywhere (RFC 6890). */
const specialIpv4 = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, and what is reserved, with the broadcast address.
  '224.0.0.0/3',
])

/** Everything outside it is loopback, unique local, link-local, multicast or not assigned. */
const globalIpv6 = listOf(['2000::/3'])
/** Protocol assignments with Teredo, documentation, and 6to4. */
const specialIpv6 = listOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

const nat64 = listOf(['64:ff9b::/96'])

/** Whether an address can be anybody's on the internet. What is no address is not public. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !specialIpv4.check(address, 'ipv4')
  return version === 6 && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

/**
 * Where packets to an address end: the IPv4 address within an IPv6 one, mapped (RFC 4291) or of NAT64 (RFC 6052), and
 * any other address itself. Null: it is not an address, or one with a zone, which means something on one link only.
 */
export function endOf(address: string): string | null {
  if (isIP(address) === 0 || address.includes('%')) return null
  if (isIP(address) === 4) return address
  const { address: canonical } = new SocketAddress({ address, family: 'ipv6' })
  const quad = /^::ffff:([\d.]+)$/.exec(canonical)?.[1]
  if (quad !== undefined) return quad
  if (!nat64.check(canonical, 'ipv6')) return canonical
  // The zeros before the last two groups are what `::` stands for, as the longest run.
  const [low = '0', high = '0'] = canonical.slice('64:ff9b::'.length).split(':').reverse()
  const bits = Buffer.alloc(4)
  bits.writeUInt16BE(Number.parseInt(high || '0', 16), 0)
  bits.writeUInt16BE(Number.parseInt(low || '0', 16), 2)
  return bits.join('.')
}

function listOf(networks: readonly string[]): BlockList {
  const read = readNetworks(networks)
  if ('wrong' in read) throw new Error(`${read.wrong} is not a network.`)
  return read.list
}
