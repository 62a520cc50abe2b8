import { BlockList, isIP, SocketAddress } from 'node:net'

/**
 * Reads an IPv4 or IPv6 address and returns it as PostgreSQL's inet reads it; null when it is not an address. Zones
 * (`%eth0`) mean something on one host only and are refused. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) becomes
 * plain IPv4: to the unique index on NAS addresses the two spellings would differ, and a second NAS of one address
 * shuts out the first.
 */
export function readIp(text: string): string | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  if (isIP(text) === 4) return text
  const quad = /^::ffff:([\d.]+)$/.exec(new SocketAddress({ address: text, family: 'ipv6' }).address)?.[1]
  return quad ?? text
}

/** Reads an address with or without a prefix length and returns the text; null when it is neither. */
export function readNetwork(text: string): string | null {
  const [address = '', length, ...more] = text.split('/')
  if (more.length > 0 || !readIp(address)) return null
  if (length === undefined) return text
  return /^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128) ? text : null
}

/**
 * Networks as a list that addresses are looked up in, or the first that is none. A plain address is a network of one.
 */
export function readNetworks(networks: readonly string[]): { readonly list: BlockList } | { readonly wrong: string } {
  const list = new BlockList()
  for (const written of networks) {
    const network = written.trim()
    if (readNetwork(network) === null) return { wrong: written }
    const [address = '', length] = network.split('/')
    const isIpv4 = isIP(address) === 4
    list.addSubnet(address, length === undefined ? (isIpv4 ? 32 : 128) : Number(length), isIpv4 ? 'ipv4' : 'ipv6')
  }
  return { list }
}
