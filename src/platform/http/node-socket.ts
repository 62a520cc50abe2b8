import type { Socket as TcpSocket } from 'node:net'
import type { WebSocket } from 'ws'
import type { SocketHandlers, TransportSocket } from './transport.ts'

/** The close code of a socket that ended without a close frame (RFC 6455 section 7.4.1). */
const lostCode = 1006
/** The close codes by the errors of `ws` about what came in: a text that is no UTF-8, a message that is too long. */
const codeOfFault: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
}
const protocolError = 1002

/** A WebSocket of the package `ws` as the server uses it. */
export class NodeSocket<T> implements TransportSocket<T> {
  readonly #socket: WebSocket
  readonly #tcp: TcpSocket
  readonly #data: T
  readonly #handlers: SocketHandlers<T>
  #isClosed = false

  constructor(socket: WebSocket, tcp: TcpSocket, data: T, handlers: SocketHandlers<T>) {
    this.#socket = socket
    this.#tcp = tcp
    this.#data = data
    this.#handlers = handlers
    socket.on('message', (message: Buffer<ArrayBuffer>, isBinary) => {
      if (!this.#isClosed) handlers.message(this, message, isBinary)
    })
    socket.on('pong', () => {
      if (!this.#isClosed) handlers.pong(this)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? ''
      if (!code.startsWith('WS_ERR_')) return
      const words = code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'Received too big message' : 'Received invalid frame'
      this.#closed(codeOfFault[code] ?? protocolError, Buffer.from(words))
    })
    socket.on('close', (code, reason: Buffer<ArrayBuffer>) => this.#closed(code || lostCode, reason))
    tcp.on('drain', () => {
      if (!this.#isClosed) handlers.drain(this)
    })
  }

  getUserData(): T {
    return this.#data
  }

  send(message: string | Uint8Array, isBinary: boolean): number {
    const { bufferedAmount } = this.#socket
    if (this.#isClosed || bufferedAmount + Buffer.byteLength(message) > this.#handlers.maxBackpressure) return 2
    this.#socket.send(message, { binary: isBinary })
    return this.#socket.bufferedAmount > 0 ? 0 : 1
  }

  cork(work: () => void): void {
    this.#tcp.cork()
    work()
    this.#tcp.uncork()
  }

  ping(): void {
    this.#socket.ping()
  }

  /** A client that does not answer the close frame is cut by `ws` after half a minute. */
  end(code: number, reason: string): void {
    this.#closed(code, Buffer.from(reason))
    this.#socket.close(code, reason)
  }

  getBufferedAmount(): number {
    return this.#socket.bufferedAmount
  }

  #closed(code: number, reason: Uint8Array<ArrayBuffer>): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#handlers.close(this, code, reason)
  }
}
