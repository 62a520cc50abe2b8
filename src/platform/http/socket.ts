import type { StaffUser } from '../../domain/staff-user.ts'
import type { Call, Door, Reply } from './call.ts'
import type { SocketSession } from './gate.ts'
import type { TransportSocket } from './transport.ts'

type UpgradeAnswer<T> =
  | { readonly kind: 'accepted'; readonly data: T; readonly protocol?: string }
  | { readonly kind: 'refused'; readonly reply: Reply }

export type SocketBehaviour<T> = {
  /**
   * At doors other than `public`, a session of staff is required and the Origin must not be another site. The socket is
   * closed with 4401 when the session ends.
   */
  readonly door: Door
  /**
   * A longer message ends the socket with 1009; one beyond 8 MiB, at public doors 256 KiB, without a close frame, which
   * only the log tells.
   */
  readonly messageBytesMax?: number
  /** Beyond this limit `send` returns dropped. */
  readonly bufferedBytesMax?: number
  /** A socket whose client sends nothing for so long, and answers no ping either, is closed with 4408. */
  readonly idleSeconds?: number
  readonly upgrade: (call: Call) => UpgradeAnswer<T> | Promise<UpgradeAnswer<T>>
  readonly open?: (socket: Socket<T>) => void
  readonly message: (socket: Socket<T>, message: Buffer, isBinary: boolean) => void
  readonly drain?: (socket: Socket<T>) => void
  readonly close?: (socket: Socket<T>, code: number, reason: string) => void
}

/** The user data that the transport keeps for each socket. */
export type SocketState<T> = { socket: Socket<T> }

/** A WebSocket as handlers see it. It may be used after it has closed; its methods then do nothing. */
export class Socket<T> {
  readonly data: T
  /** Who is signed in; null at public doors. */
  readonly staff: StaffUser | null
  readonly session: SocketSession | null
  /** Null before it has opened and after it has closed; only platform/http uses it. */
  native: TransportSocket<SocketState<T>> | null = null
  /** By `performance.now()`; only platform/http uses them. */
  readonly openedMs = performance.now()
  heardMs = this.openedMs
  readonly idleMs: number
  /** Whether `end` was called, so that the server closed the socket and not the client or the network. */
  isEnded = false

  constructor(data: T, session: SocketSession | null, idleMs: number) {
    this.data = data
    this.idleMs = idleMs
    this.session = session
    this.staff = session?.staff ?? null
  }

  get isOpen(): boolean {
    return this.native !== null
  }

  /** Bytes that the client has not received yet. */
  get bufferedBytes(): number {
    return this.native?.getBufferedAmount() ?? 0
  }

  /**
   * queued: accepted, but the client is slow and `drain` follows. dropped: the limit is reached or the socket has
   * closed.
   */
  send(message: string | Buffer): 'sent' | 'queued' | 'dropped' {
    const result = this.native?.send(message, typeof message !== 'string') ?? 2
    return result === 1 ? 'sent' : result === 0 ? 'queued' : 'dropped'
  }

  /** What `work` sends leaves by one write. */
  together(work: () => void): void {
    if (this.native) this.native.cork(work)
    else work()
  }

  /** Closes the connection with a close frame. */
  end(code: number, reason: string): void {
    this.isEnded = true
    this.native?.end(code, reason)
  }
}
