import { createSocket, type Socket, type SocketOptions } from 'node:dgram'
import { lookup } from 'node:dns'
import { once } from 'node:events'
import { isIP, isIPv6 } from 'node:net'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { StartRefusal } from '../../../platform/start-refusal.ts'

/** An address that could not be bound, for example because another server holds it now, is tried again after this. */
const againAfterMs = 10_000

type SocketParts = {
  /** The local address of requests that need not leave from another one. */
  readonly host: string
  /** The number of sockets of each address. */
  readonly count: number
  readonly clock: Clock
  readonly log: Log
  /** Called with each datagram and the index of its socket among those of the address. */
  readonly receive: (index: number, datagram: Buffer, address: string, port: number) => void
}

/** The sockets of Disconnect and CoA. Those of another source address are opened when the first request needs them. */
export class CoaSockets {
  readonly #parts: SocketParts
  #ipv4: readonly Socket[] = []
  #ipv6: readonly Socket[] = []
  readonly #sourced = new Map<string, readonly Socket[]>()
  /** When an address that could not be used was given up, by Clock.elapsedMs. */
  readonly #failedAtMs = new Map<string, number>()

  constructor(parts: SocketParts) {
    this.#parts = parts
  }

  /** Binds the sockets of `host`; rejects with a readable sentence when it is no address of this machine. */
  async start(): Promise<void> {
    const host = isIPv6(this.#parts.host) ? '0.0.0.0' : this.#parts.host
    this.#ipv4 = this.#create(host)
    try {
      await Promise.all(
        this.#ipv4.map((socket) => {
          const listening = once(socket, 'listening')
          socket.bind(0, host)
          return listening
        }),
      )
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EADDRNOTAVAIL', 'ENOTFOUND'].includes(code)) throw error
      throw new StartRefusal(`${host} is not an address of this machine; correct TOLLGATE_RADIUS_HOST.`)
    }
    this.#listen(this.#ipv4)
  }

  /** The sockets for packets to `address`, which leave from `source` where that is possible. */
  to(address: string, source: string | null): readonly Socket[] {
    return this.#from(source, address) ?? (isIPv6(address) ? this.#ofIpv6() : this.#ipv4)
  }

  /** Gives up an address that has left the machine, when a packet from these sockets could not be sent for it. */
  failed(sockets: readonly Socket[], error: NodeJS.ErrnoException): void {
    if (error.code !== 'EINVAL' && error.code !== 'EADDRNOTAVAIL') return
    for (const [source, open] of this.#sourced) if (open === sockets) this.#giveUp(source, sockets, error)
  }

  async close(): Promise<void> {
    const open = [...this.#ipv4, ...this.#ipv6, ...[...this.#sourced.values()].flat()]
    this.#ipv4 = []
    this.#ipv6 = []
    this.#sourced.clear()
    await Promise.all(open.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))))
  }

  /** Null where `source` cannot send to this address. */
  #from(source: string | null, address: string): readonly Socket[] | null {
    if (source === null || isIPv6(source) !== isIPv6(address)) return null
    const failedAtMs = this.#failedAtMs.get(source)
    if (failedAtMs !== undefined && this.#parts.clock.elapsedMs() - failedAtMs < againAfterMs) return null
    return this.#sourced.get(source) ?? this.#bind(source)
  }

  /** Null when `source` turns out to be no address of this machine, which `failed` has noted by then. */
  #bind(source: string): readonly Socket[] | null {
    const sockets = this.#create(source)
    this.#sourced.set(source, sockets)
    this.#listen(sockets)
    for (const socket of sockets) socket.on('error', (error) => this.failed(sockets, error))
    for (const socket of sockets) {
      socket.bind(0, source)
      if (!this.#sourced.has(source)) return null
    }
    return sockets
  }

  /** Created when the first request goes to an IPv6 address; the first send binds them. */
  #ofIpv6(): readonly Socket[] {
    if (this.#ipv6.length === 0) {
      this.#ipv6 = this.#create('::')
      this.#listen(this.#ipv6)
    }
    return this.#ipv6
  }

  #create(address: string): Socket[] {
    const type = isIPv6(address) ? 'udp6' : 'udp4'
    return Array.from({ length: this.#parts.count }, () =>
      createSocket({ type, lookup: lookupAtOnce, recvBufferSize: 1 << 20 }),
    )
  }

  #listen(sockets: readonly Socket[]): void {
    const { log, receive } = this.#parts
    for (const [index, socket] of sockets.entries()) {
      socket.on('message', (datagram, { address, port }) => receive(index, datagram, address, port))
      socket.on('error', (error) => log.warn('A socket for Disconnect and CoA requests reports an error.', { error }))
    }
  }

  #giveUp(source: string, sockets: readonly Socket[], error: Error): void {
    const { clock, log } = this.#parts
    this.#sourced.delete(source)
    this.#failedAtMs.set(source, clock.elapsedMs())
    for (const socket of sockets) socket.close()
    log.warn('Disconnect and CoA cannot leave from the address that a NAS asked; they leave from another one.', {
      source,
      error,
    })
  }
}

/**
 * As dns.lookup, which answers, for an address as well, only after everything else that the present turn of the event
 * loop still has to do. With this a packet leaves at once, before the frames of live pages and the answers of HTTP that
 * follow the same commit.
 *
 * The unspecified addresses, to which a send binds its socket, are left to dns.lookup: when such a binding fails at
 * once, node:dgram keeps the packet for a binding that nobody begins any more, and the socket can never be closed.
 */
const lookupAtOnce: SocketOptions['lookup'] = (host, options, done) => {
  const family = isIP(host)
  if (family === 0 || unspecified.has(host)) lookup(host, options, done)
  else done(null, host, family)
}

const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
