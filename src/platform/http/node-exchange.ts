import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Borrowed, type HttpRequest, type HttpResponse, idleSeconds, slowestBodyBytes } from './transport.ts'

/** A request of node:http as the server takes it. */
export function requestOf({ method = '', url = '', rawHeaders }: IncomingMessage): HttpRequest {
  const mark = url.indexOf('?')
  return {
    getCaseSensitiveMethod: () => method,
    getUrl: () => (mark === -1 ? url : url.slice(0, mark)),
    getQuery: () => (mark === -1 ? undefined : url.slice(mark + 1)),
    forEach: (callback) => {
      for (let at = 0; at < rawHeaders.length; at += 2) callback(rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!)
    },
  }
}

const nothing = new Uint8Array(0)

/** The response side of node:http as the server writes it. */
export class NodeResponse implements HttpResponse {
  readonly #request: IncomingMessage
  readonly #answer: ServerResponse
  readonly #accept: ((data: unknown, protocol: string) => void) | null

  /** `accept` carries out an upgrade; left out where there is none to carry out. */
  constructor(
    request: IncomingMessage,
    answer: ServerResponse,
    accept: ((data: unknown, protocol: string) => void) | null = null,
  ) {
    this.#request = request
    this.#answer = answer
    this.#accept = accept
  }

  writeStatus(status: string): this {
    this.#answer.statusCode = Number.parseInt(status, 10)
    return this
  }

  /** UTF-8 as uWebSockets.js writes it; node:http takes one byte for each character. */
  writeHeader(name: string, value: string): this {
    this.#answer.appendHeader(name, Buffer.from(value).toString('latin1'))
    return this
  }

  end(body: string | Buffer, closeConnection = false): this {
    if (closeConnection) this.#answer.shouldKeepAlive = false
    this.#answer.end(body)
    this.#cutIfTheRestIsNotTaken()
    return this
  }

  endWithoutBody(): this {
    this.#answer.end()
    return this
  }

  write(chunk: string | Uint8Array): boolean {
    const keepsUp = this.#answer.write(chunk)
    if (!keepsUp) this.#cutIfNothingIsTaken()
    return keepsUp
  }

  onWritable(callback: (offset: number) => boolean): this {
    this.#answer.on('drain', () => callback(0))
    return this
  }

  close(): this {
    this.#request.socket.destroy()
    return this
  }

  cork(callback: () => void): this {
    // The connection is kept, because an upgrade takes it away from the answer.
    const { socket } = this.#answer
    socket?.cork()
    callback()
    socket?.uncork()
    return this
  }

  onAborted(callback: () => void): this {
    this.#answer.once('close', () => {
      if (!this.#answer.writableEnded) callback()
    })
    return this
  }

  onData(callback: (chunk: Borrowed, isLast: boolean) => void): this {
    const request = this.#request
    let bytes = 0
    const watch = setInterval(() => {
      if (bytes < slowestBodyBytes) request.socket.destroy()
      bytes = 0
    }, idleSeconds * 1_000)
    watch.unref()
    request.on('data', (chunk: Buffer<ArrayBuffer>) => {
      bytes += chunk.length
      callback(chunk, false)
    })
    request.once('end', () => callback(nothing, true))
    request.once('close', () => clearInterval(watch))
    return this
  }

  getRemoteAddressAsText(): Uint8Array<ArrayBuffer> {
    return Buffer.from(this.#request.socket.remoteAddress ?? '')
  }

  upgrade<T>(data: T, _key: string, protocol: string): void {
    this.#accept?.(data, protocol)
  }

  /**
   * Cuts the connection when nobody takes what is left of an answer that was written whole. No event tells that a part
   * was taken, but Node then starts the timeout of the connection anew, and destroys the connection when it is over.
   * After the answer Node sets the timeout for the next request.
   */
  #cutIfTheRestIsNotTaken(): void {
    if (this.#request.socket.writableLength > 0) this.#answer.setTimeout(idleSeconds * 1_000)
  }

  #cutIfNothingIsTaken(): void {
    const timer = setTimeout(() => this.#request.socket.destroy(), idleSeconds * 1_000)
    timer.unref()
    // A long body waits many times, so neither listener may stay behind.
    const stop = () => {
      clearTimeout(timer)
      this.#answer.off('drain', stop).off('close', stop)
    }
    this.#answer.on('drain', stop).on('close', stop)
  }
}
