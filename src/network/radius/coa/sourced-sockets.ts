import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'

/** An address that could not be bound, as one that another server of the pair holds now, is tried again after this. */
const againAfterMs = 10_000

type SourcedParts = {
  /** The number of sockets of each address. */
  readonly count: number
  readonly clock: Clock
  readonly log: Log
  /** Called with each new socket and its index among those of its address. */
  readonly listen: (socket: Socket, index: number) => void
}

/** Sockets that send from one of our own addresses, opened when the first request is to leave from it. */
export class SourcedSockets {
  readonly #parts: SourcedParts
  readonly #open = new Map<string, readonly Socket[]>()
  /** When an address that could not be used was given up, by Clock.elapsedMs. */
  readonly #failedAtMs = new Map<string, number>()

  constructor(parts: SourcedParts) {
    this.#parts = parts
  }

  /** The sockets of `source`; null where it cannot send to this address, and another one has to. */
  from(source: string | null, address: string): readonly Socket[] | null {
    if (source === null || isIPv6(source) !== isIPv6(address)) return null
    const failedAtMs = this.#failedAtMs.get(source)
    if (failedAtMs !== undefined && this.#parts.clock.elapsedMs() - failedAtMs < againAfterMs) return null
    return this.#open.get(source) ?? this.#bind(source)
  }

  /** Gives up an address that has left the machine, when a packet from these sockets could not be sent for it. */
  failed(sockets: readonly Socket[], error: NodeJS.ErrnoException): void {
    if (error.code !== 'EINVAL' && error.code !== 'EADDRNOTAVAIL') return
    for (const [source, open] of this.#open) if (open === sockets) this.#giveUp(source, sockets, error)
  }

  close(): void {
    for (const sockets of this.#open.values()) for (const socket of sockets) socket.close()
    this.#open.clear()
  }

  #bind(source: string): readonly Socket[] {
    const sockets = Array.from({ length: this.#parts.count }, () =>
      createSocket({ type: isIPv6(source) ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 }),
    )
    this.#open.set(source, sockets)
    for (const [index, socket] of sockets.entries()) {
      this.#parts.listen(socket, index)
      socket.on('error', (error) => this.failed(sockets, error))
      socket.bind(0, source)
    }
    return sockets
  }

  #giveUp(source: string, sockets: readonly Socket[], error: Error): void {
    const { clock, log } = this.#parts
    this.#open.delete(source)
    this.#failedAtMs.set(source, clock.elapsedMs())
    for (const socket of sockets) socket.close()
    log.warn('Disconnect and CoA cannot leave from the address that a NAS asked; they leave from another one.', {
      source,
      error,
    })
  }
}
