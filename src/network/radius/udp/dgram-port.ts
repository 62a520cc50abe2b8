import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { formatIpv6, parseIpv4, parseIpv6 } from '../wire/address.ts'
import {
  datagramWord,
  datagramWords,
  receiveBufferBytes,
  type UdpListener,
  type UdpOptions,
  type UdpPort,
} from './udp-port.ts'

/** A port on node:dgram: each batch is one datagram, and each answer is sent at once. */
export async function openDgramPort(order: UdpOptions): Promise<UdpPort> {
  const socket = createSocket({
    type: isIPv6(order.host) ? 'udp6' : 'udp4',
    reusePort: order.sharesPort,
    recvBufferSize: receiveBufferBytes,
    // Addresses come from datagrams; the resolver would cost a turn of the event loop for each answer.
    lookup: (address, _options, callback) => callback(null, address, isIPv6(address) ? 6 : 4),
  })
  try {
    // With a lookup that answers at once, the event may come before bind returns.
    const listening = once(socket, 'listening')
    socket.bind({ address: order.host, port: order.port })
    await listening
  } catch (error) {
    socket.close()
    throw error
  }
  return new DgramPort(socket, order)
}

class DgramPort implements UdpPort {
  bytes: Buffer = Buffer.alloc(0)
  readonly received = new Int32Array(datagramWords)
  readonly number: number
  readonly digester = null
  readonly #receivedBytes = new Uint8Array(this.received.buffer)
  readonly #socket: Socket
  readonly #output: Buffer
  readonly #listener: UdpListener
  readonly #isIpv6: boolean
  /**
   * The names of the links over which link-local addresses came; the scope of a source is its index in this list plus
   * one.
   */
  readonly #zones: string[] = []
  readonly #sent = (error: Error | null) => {
    if (error) this.#listener.notSent(1)
  }
  #isClosed = false

  constructor(socket: Socket, order: UdpOptions) {
    this.#socket = socket
    this.#output = order.output
    this.#listener = order.listener
    this.#isIpv6 = isIPv6(order.host)
    this.number = socket.address().port
    // From here on errors concern single packets: a NAS that is gone answers with ICMP.
    socket.on('error', () => order.listener.notSent(1))
    socket.on('message', (datagram, from) => this.#take(datagram, from))
  }

  queue(at: number, length: number, source: Int32Array, sourceAt: number): void {
    const port = source[sourceAt + datagramWord.port]!
    this.#socket.send(this.#output, at, length, port, this.#text(source, sourceAt), this.#sent)
  }

  flush(): void {}

  stopReceiving(): void {
    this.#socket.removeAllListeners('message')
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
  }

  #take(datagram: Buffer, from: RemoteInfo): void {
    this.bytes = datagram
    const words = this.received
    words[datagramWord.offset] = 0
    words[datagramWord.length] = datagram.length
    words[datagramWord.port] = from.port
    words[datagramWord.scope] = 0
    const address = this.#receivedBytes.subarray(datagramWord.address * 4)
    if (from.family === 'IPv4') {
      const bits = parseIpv4(from.address) ?? 0
      address.fill(0, 0, 10)
      address.fill(0xff, 10, 12)
      for (let index = 0; index < 4; index++) address[12 + index] = bits >>> (24 - index * 8)
    } else {
      const [plain = '', zone] = from.address.split('%')
      address.set(parseIpv6(plain) ?? unspecified)
      if (zone !== undefined) words[datagramWord.scope] = this.#scopeOf(zone)
    }
    this.#listener.datagrams(this, 1)
  }

  #text(source: Int32Array, sourceAt: number): string {
    const from = source.byteOffset + (sourceAt + datagramWord.address) * 4
    const bytes = new Uint8Array(source.buffer, from, 16)
    if (!this.#isIpv6) return `${bytes[12]}.${bytes[13]}.${bytes[14]}.${bytes[15]}`
    const zone = this.#zones[source[sourceAt + datagramWord.scope]! - 1]
    return zone === undefined ? formatIpv6(bytes) : `${formatIpv6(bytes)}%${zone}`
  }

  #scopeOf(zone: string): number {
    const known = this.#zones.indexOf(zone)
    return known >= 0 ? known + 1 : this.#zones.push(zone)
  }
}

const unspecified = new Uint8Array(16)
