import { lookup as resolveName } from 'node:dns'
import { type BlockList, connect, isIP, isIPv4, type LookupFunction, type Socket } from 'node:net'
import { once } from 'node:events'
import { readNetworks } from '../formats/addresses.ts'
import { endOf, isPublicAddress } from './public-addresses.ts'

export const privateAddressesVariable = 'TOLLGATE_ALLOW_PRIVATE_ADDRESSES'

/**
 * A connection that was not opened. The message does not say which address the name has: who may write a setting would
 * learn names and addresses of the provider's own network.
 */
export class PrivateDestination extends Error {
  constructor() {
    super(`The address is one of a private network that ${privateAddressesVariable} does not list.`)
  }
}

/**
 * Where the program may connect to by itself: addresses that anybody on the internet can have, and those of the private
 * networks that the operator lists (contract section 12).
 */
export class Destinations {
  readonly #listed: BlockList
  readonly #resolve: typeof resolveName

  /** `listed` are CIDRs that have been checked. A test may have names of its own. */
  constructor(listed: readonly string[] = [], resolve: typeof resolveName = resolveName) {
    const read = readNetworks(listed)
    if ('wrong' in read) throw new Error(`"${read.wrong}" is not a network.`)
    this.#listed = read.list
    this.#resolve = resolve
  }

  admits(address: string): boolean {
    const end = endOf(address)
    return end !== null && (isPublicAddress(end) || this.#listed.check(end, isIP(end) === 4 ? 'ipv4' : 'ipv6'))
  }

  /**
   * Resolves a name for a socket that is about to connect, so that what was checked is what is connected to, whatever
   * the name means a moment later (DNS rebinding). Fails with PrivateDestination when no address is admitted.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const admitted = addresses.filter(({ address }) => this.admits(address))
      const [first] = admitted
      if (!first) callback(new PrivateDestination(), '')
      else if (options.all) callback(null, admitted)
      else callback(null, first.address, first.family)
    })
  }

  /** Sockets look up names only, so the host of an address is asked about before. Throws PrivateDestination. */
  checkHost(hostname: string): void {
    if (!this.admitsHost(hostname)) throw new PrivateDestination()
  }

  /** Of a name, other than localhost, only the lookup knows. */
  admitsHost(hostname: string): boolean {
    const host = bare(hostname)
    if (isIP(host) > 0) return this.admits(host)
    return !isLocalhost(host) || ['127.0.0.1', '::1'].some((address) => this.admits(address))
  }

  /** Whether a host, as it is resolved now, has none but private addresses that are not listed. */
  isPrivate(hostname: string): Promise<boolean> {
    if (!this.admitsHost(hostname)) return Promise.resolve(true)
    if (isIP(bare(hostname)) > 0) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.lookup(hostname, { all: true }, (error) => resolve(error instanceof PrivateDestination))
    })
  }

  /** An open connection. Rejects with PrivateDestination, the error of the socket, or a TimeoutError. */
  async connect(host: string, port: number, timeoutMs: number): Promise<Socket> {
    this.checkHost(host)
    const socket = connect({ host: bare(host), port, lookup: this.lookup })
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      await once(socket, 'connect', { signal: timeout })
      return socket
    } catch (error) {
      socket.destroy()
      if (timeout.aborted) throw timeout.reason
      throw error
    }
  }
}

/** An IPv6 address without the brackets it has in a URL. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/i.test(host)

/**
 * Whether an address may be given secrets and payments: https, or plain http to a private address, which never leaves
 * the provider's network. Whether that private address is listed is asked apart.
 */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address)
  if (!url) return false
  const host = bare(url.hostname)
  const end = endOf(host)
  const isPrivate = end === null ? isLocalhost(host) : !isPublicAddress(end)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isPrivate)
}

/** Whether an address may be that of a payment gateway: https, or plain http to this machine alone. */
export function isSafeGatewayAddress(address: string): boolean {
  const url = URL.parse(address)
  if (!url) return false
  const host = bare(url.hostname)
  const end = endOf(host)
  const isThisMachine = end === null ? isLocalhost(host) : end === '::1' || (isIPv4(end) && end.startsWith('127.'))
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine)
}
