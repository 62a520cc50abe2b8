import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { steadyMs } from '../../../platform/actors/day-time.ts'
import { ReadingTimes } from '../../../platform/actors/reading-times.ts'
import { formatIpv6, parseAddress } from '../wire/address.ts'
import { coveredBy, isWildcard, type LocalAddresses, machineAddresses } from './local-addresses.ts'
import {
  addressWords,
  datagramWord,
  datagramWords,
  receiveBufferBytes,
  type UdpListener,
  type UdpOptions,
  type UdpPort,
} from './udp-port.ts'

/** How the addresses of the machine are followed. */
type Following = { addresses: LocalAddresses; everyMs: number }
const following: Following = { addresses: machineAddresses, everyMs: 3000 }

/**
 * A port on node:dgram: each batch is one datagram, and each answer is sent at once. node:dgram does not report when a
 * datagram arrived, so that is concluded from when it is read (reading-times.ts).
 *
 * node:dgram does not report to which of our addresses a datagram came. So a port on all addresses has a socket for
 * each address besides that on the wildcard; the kernel prefers the former, and answers leave from the address that was
 * asked. The wildcard receives what comes to an address that has no socket yet.
 */
export async function openDgramPort(order: UdpOptions, { addresses, everyMs } = following): Promise<UdpPort> {
  const followed = isWildcard(order.host) ? () => coveredBy(order.host, addresses) : null
  // Sockets on one address and on all addresses may only share a port when each of them agrees to.
  const sharesPort = order.sharesPort || followed !== null
  const port = new DgramPort(await boundSocket(order.host, order.port, sharesPort), order)
  if (followed !== null) await port.follow(followed, everyMs)
  return port
}

async function boundSocket(address: string, port: number, reusePort: boolean): Promise<Socket> {
  const socket = createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    reusePort,
    recvBufferSize: receiveBufferBytes,
    // Addresses come from datagrams; the resolver would cost a turn of the event loop for each answer.
    lookup: (text, _options, callback) => callback(null, text, isIPv6(text) ? 6 : 4),
  })
  try {
    // With a lookup that answers at once, the event may come before bind returns.
    const listening = once(socket, 'listening')
    socket.bind({ address, port })
    await listening
  } catch (error) {
    socket.close()
    throw error
  }
  return socket
}

/** A socket of a port; `local` is the address as a datagram describes it, :: for the socket that was opened first. */
type LocalSocket = { address: string; socket: Socket; local: Int32Array; isIpv6: boolean }

class DgramPort implements UdpPort {
  bytes: Buffer = Buffer.alloc(0)
  readonly received = new Int32Array(datagramWords)
  readonly arrivedMs: Float64Array
  readonly number: number
  readonly digester = null
  readonly #receivedBytes = new Uint8Array(this.received.buffer)
  readonly #output: Buffer
  readonly #listener: UdpListener
  readonly #readingTimes: ReadingTimes | null
  readonly #first: LocalSocket
  /** The sockets of single addresses. */
  #locals: LocalSocket[] = []
  /**
   * The names of the links over which link-local addresses came; the scope of a source is its index in this list plus
   * one.
   */
  readonly #zones: string[] = []
  readonly #sent = (error: Error | null) => {
    if (error) this.#listener.notSent(1)
  }
  #timer: NodeJS.Timeout | undefined
  #isReceiving = true
  #isClosed = false

  constructor(socket: Socket, order: UdpOptions) {
    this.#output = order.output
    this.#listener = order.listener
    this.#readingTimes = order.stamps === true ? new ReadingTimes() : null
    this.arrivedMs = new Float64Array(this.#readingTimes === null ? 0 : 1)
    this.number = socket.address().port
    this.#first = { address: order.host, socket, local: new Int32Array(addressWords), isIpv6: isIPv6(order.host) }
    this.#listen(this.#first)
  }

  /** Opens a socket for each of the addresses, then and whenever one comes, and closes those of addresses that went. */
  async follow(addresses: LocalAddresses, everyMs: number): Promise<void> {
    await this.#open(addresses)
    if (!this.#isReceiving) return
    this.#timer = setTimeout(() => void this.follow(addresses, everyMs), everyMs).unref()
  }

  queue(at: number, length: number, source: Int32Array, sourceAt: number): void {
    if (this.#isClosed) return
    const { socket, isIpv6 } = this.#socketFor(source, sourceAt)
    const port = source[sourceAt + datagramWord.port]!
    socket.send(this.#output, at, length, port, this.#text(source, sourceAt, isIpv6), this.#sent)
  }

  flush(): void {}

  stopReceiving(): void {
    this.#isReceiving = false
    clearTimeout(this.#timer)
    this.#readingTimes?.stop()
    for (const { socket } of [this.#first, ...this.#locals]) socket.removeAllListeners('message')
  }

  close(): void {
    if (this.#isClosed) return
    this.stopReceiving()
    this.#isClosed = true
    for (const { socket } of [this.#first, ...this.#locals]) socket.close()
  }

  async #open(addresses: LocalAddresses): Promise<void> {
    const wanted = addresses()
    if (wanted === null) return
    for (const { address, socket } of this.#locals) if (!wanted.includes(address)) socket.close()
    this.#locals = this.#locals.filter(({ address }) => wanted.includes(address))
    const missing = wanted.filter((address) => this.#locals.every((present) => present.address !== address))
    await Promise.all(missing.map((address) => this.#openLocal(address)))
  }

  /**
   * An address that cannot be bound yet, as an IPv6 one that is still checked for duplicates, is tried again with the
   * next look.
   */
  async #openLocal(address: string): Promise<void> {
    const socket = await boundSocket(address, this.number, true).catch(() => null)
    if (socket === null) return
    if (!this.#isReceiving) return void socket.close()
    const local = new Int32Array((parseAddress(address) ?? unspecified).buffer)
    const opened = { address, socket, local, isIpv6: isIPv6(address) }
    this.#locals.push(opened)
    this.#listen(opened)
  }

  #listen(opened: LocalSocket): void {
    // From here on errors concern single packets: a NAS that is gone answers with ICMP.
    opened.socket.on('error', () => this.#listener.notSent(1))
    opened.socket.on('message', (datagram, from) => this.#take(datagram, from, opened.local))
  }

  #take(datagram: Buffer, from: RemoteInfo, local: Int32Array): void {
    this.bytes = datagram
    const words = this.received
    words[datagramWord.offset] = 0
    words[datagramWord.length] = datagram.length
    words[datagramWord.port] = from.port
    words[datagramWord.scope] = 0
    for (let part = 0; part < addressWords; part++) words[datagramWord.local + part] = local[part]!
    const address = this.#receivedBytes.subarray(datagramWord.address * 4, datagramWord.local * 4)
    address.set(parseAddress(from.address) ?? unspecified)
    const [, zone] = from.address.split('%')
    if (zone !== undefined) words[datagramWord.scope] = this.#scopeOf(zone)
    if (this.#readingTimes !== null) this.arrivedMs[0] = this.#readingTimes.arrivedBy(steadyMs())
    this.#listener.datagrams(this, 1)
  }

  /** The socket of the address that was asked; the first one when that address has none any more. */
  #socketFor(source: Int32Array, sourceAt: number): LocalSocket {
    const at = sourceAt + datagramWord.local
    for (const opened of this.#locals) {
      const { local } = opened
      if (
        local[3] === source[at + 3] &&
        local[0] === source[at] &&
        local[1] === source[at + 1] &&
        local[2] === source[at + 2]
      )
        return opened
    }
    return this.#first
  }

  #text(source: Int32Array, sourceAt: number, isIpv6: boolean): string {
    const from = source.byteOffset + (sourceAt + datagramWord.address) * 4
    const bytes = new Uint8Array(source.buffer, from, 16)
    if (!isIpv6) return `${bytes[12]}.${bytes[13]}.${bytes[14]}.${bytes[15]}`
    const zone = this.#zones[source[sourceAt + datagramWord.scope]! - 1]
    return zone === undefined ? formatIpv6(bytes) : `${formatIpv6(bytes)}%${zone}`
  }

  #scopeOf(zone: string): number {
    const known = this.#zones.indexOf(zone)
    return known >= 0 ? known + 1 : this.#zones.push(zone)
  }
}

const unspecified = new Uint8Array(16)
