import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * The addresses of this machine as sockets are bound to them, a link-local one with its interface (fe80::1%eth0). Null
 * when the system does not tell them just now.
 */
export type LocalAddresses = () => readonly string[] | null

export const machineAddresses: LocalAddresses = () => {
  const found = new Set<string>()
  try {
    for (const [name, addresses = []] of Object.entries(networkInterfaces()))
      for (const { address, family, scopeid } of addresses)
        found.add(family === 'IPv6' && scopeid ? `${address}%${name}` : address)
  } catch {
    return null
  }
  return [...found]
}

/** Whether a socket bound to this address receives what comes to any address of the machine. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || /^[0:]+$/.test(host)

/** Of the addresses those that a socket bound to the wildcard covers: :: stands for both families. */
export const coveredBy = (wildcard: string, addresses: LocalAddresses): readonly string[] | null =>
  addresses()?.filter((address) => isIPv6(wildcard) || !isIPv6(address)) ?? null
