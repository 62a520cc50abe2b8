import { isIP, SocketAddress } from 'node:net'
import { readNetworks } from '../formats/addresses.ts'

/** The proxies whose X-Forwarded-* headers are trusted. */
export type TrustedProxies = { has(address: string): boolean; readonly isEmpty: boolean }

/**
 * Parses CIDRs (`10.0.0.0/8`, `::1/128`) or plain addresses. Throws an Error whose message names the first wrong one.
 */
export function trustedProxies(cidrs: readonly string[]): TrustedProxies {
  const networks = readNetworks(cidrs)
  if ('wrong' in networks)
    throw new Error(
      `"${networks.wrong}" is not an address or network of a trusted proxy (expected for example 10.0.0.0/8).`,
    )
  return {
    isEmpty: cidrs.length === 0,
    has: (address) => networks.list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
  }
}

/**
 * uWebSockets.js writes IPv6 addresses in full and IPv4 at an IPv6 listener as mapped. Both become their canonical
 * form.
 */
export function plainAddress(written: string): string {
  if (isIP(written) !== 6) return written
  const { address } = new SocketAddress({ address: written, family: 'ipv6' })
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
}

type Forwarded = {
  address: string
  secure: boolean
  /** Whether a trusted proxy named the client. Otherwise `address` is that of the peer. */
  isNamed: boolean
}

/** Only proxies set these headers. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether a proxy has passed a request on, trusted or not. */
export const bearsProxyHeaders = (header: (name: string) => string): boolean =>
  proxyHeaders.some((name) => header(name) !== '')

/**
 * The address of the client and whether it used TLS. The X-Forwarded-For of a trusted peer is read from the right, past
 * further trusted proxies, to the first other address; everything left of that was written by the client itself. The
 * same holds for X-Forwarded-Proto, in which a proxy may also have overwritten what was there.
 */
export function clientOf(
  peer: string,
  tls: boolean,
  forwardedFor: string,
  forwardedProto: string,
  trusted: TrustedProxies,
): Forwarded {
  if (trusted.isEmpty || !trusted.has(peer)) return { address: peer, secure: tls, isNamed: false }
  let address = peer
  let hops = 0
  for (const hop of forwardedFor.split(',').reverse()) {
    const candidate = hopAddress(hop.trim())
    if (candidate === null) break
    address = candidate
    hops++
    if (!trusted.has(candidate)) break
  }
  const protos = forwardedProto.split(',').map((proto) => proto.trim().toLowerCase())
  const proto = protos.at(-Math.min(Math.max(hops, 1), protos.length))!
  return { address, secure: proto === '' ? tls : proto === 'https', isNamed: hops > 0 }
}

/** The address of an entry of X-Forwarded-For. Some proxies add a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function hopAddress(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? null : plainAddress(bare)
}

/**
 * What stands for one client where attempts are counted: an IPv4 address, or the /64 of an IPv6 address, because a host
 * may use any address of its /64.
 */
export const lineOf = (address: string): string => networkOf(address, 4) ?? address

/** The /48 of an IPv6 address, which is what one customer of a provider has at most; null for IPv4. */
export const siteOf = (address: string): string | null => networkOf(address, 3)

/** The first groups of an IPv6 address with the length of this prefix; null for IPv4. */
function networkOf(address: string, groupCount: number): string | null {
  if (isIP(address) !== 6) return null
  const [head = '', tail] = address.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
  return `${groups.slice(0, groupCount).join(':')}::/${16 * groupCount}`
}
