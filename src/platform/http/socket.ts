import type { StaffUser } from '../../domain/staff-user.ts'
import type { Call, Door, Reply } from './call.ts'
import type { SocketSession } from './gate.ts'
import type { NativeSocket } from './uws.ts'

/** A WebSocket as its handlers see it: safe to use after it has closed, when every method does nothing. */
export type Socket<T> = {
  readonly data: T
  /** Who is signed in; null at public doors. */
  readonly staff: StaffUser | null
  readonly isOpen: boolean
  /** Bytes the client has not taken yet. */
  readonly bufferedBytes: number
  /** queued: taken, but the client is slow (`drain` follows); dropped: not taken, the limit is reached or the socket closed. */
  send(message: string | Buffer): 'sent' | 'queued' | 'dropped'
  /** Says goodbye with a close frame. */
  end(code: number, reason: string): void
  /** Cuts the connection without one. */
  cut(): void
}

type UpgradeAnswer<T> =
  | { readonly kind: 'accepted'; readonly data: T; readonly protocol?: string }
  | { readonly kind: 'refused'; readonly reply: Reply }

export type SocketBehaviour<T> = {
  /** Other than `public`: a session of staff, and no Origin of another site; the socket ends with 4401 when the session ends. */
  readonly door: Door
  readonly messageBytesMax?: number
  /** Past this, `send` answers dropped. */
  readonly bufferedBytesMax?: number
  readonly idleSeconds?: number
  readonly upgrade: (call: Call) => UpgradeAnswer<T> | Promise<UpgradeAnswer<T>>
  readonly open?: (socket: Socket<T>) => void
  readonly message: (socket: Socket<T>, message: Buffer, isBinary: boolean) => void
  readonly drain?: (socket: Socket<T>) => void
  readonly close?: (socket: Socket<T>, code: number, reason: string) => void
}

/** What uWebSockets.js keeps for us with each socket. */
export type SocketState<T> = { socket: OpenSocket<T> }

export class OpenSocket<T> implements Socket<T> {
  readonly data: T
  readonly staff: StaffUser | null
  readonly session: SocketSession | null
  native: NativeSocket<SocketState<T>> | null = null

  constructor(data: T, session: SocketSession | null) {
    this.data = data
    this.session = session
    this.staff = session?.staff ?? null
  }

  get isOpen(): boolean {
    return this.native !== null
  }

  get bufferedBytes(): number {
    return this.native?.getBufferedAmount() ?? 0
  }

  send(message: string | Buffer): 'sent' | 'queued' | 'dropped' {
    const result = this.native?.send(message, typeof message !== 'string') ?? 2
    return result === 1 ? 'sent' : result === 0 ? 'queued' : 'dropped'
  }

  end(code: number, reason: string): void {
    this.native?.end(code, reason)
  }

  cut(): void {
    this.native?.close()
  }
}
