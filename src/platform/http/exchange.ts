import { http } from '../builtin-http.ts'
import { BodyStream, isBodySource, Pieces } from './body-stream.ts'
import type { Reply } from './call.ts'
import type { HttpResponse } from './transport.ts'

/** For log and metrics only: the client disconnected before the answer. The code is that of nginx. */
export const clientGoneStatus = 499

/** Control characters; a line break among them could start another header (RFC 9110 section 5.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const headerFault = /[\x00-\x08\x0a-\x1f\x7f]/

const statusLines = new Map(Object.entries(http.STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]))

/**
 * The response side of a request. It knows whether the response of the transport is still valid, so that a late or
 * second answer does nothing instead of crashing the process.
 */
export class Exchange {
  #res: HttpResponse | null
  #hasBegun = false
  /** While the handler of the transport runs, writes are corked already, and a disconnect cannot be reported yet. */
  #isInHandler = true
  #abortListeners: (() => void)[] | null = null

  constructor(res: HttpResponse) {
    this.#res = res
  }

  /**
   * To be called before the handler of the transport returns: with uWebSockets.js an unanswered response without
   * onAborted crashes the process.
   */
  leaveHandler(): void {
    this.#isInHandler = false
    this.#res?.onAborted(() => {
      this.#res = null
      for (const listener of this.#abortListeners ?? []) listener()
    })
  }

  /** The request is neither answered nor aborted by the client. */
  get isOpen(): boolean {
    return this.#res !== null
  }

  /** The status has been sent while the body is still being produced, so another answer is no longer possible. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  onAborted(listener: () => void): void {
    this.#abortListeners ??= []
    this.#abortListeners.push(listener)
  }

  /**
   * Writes the whole answer at once; `close` ends the connection afterwards, or has the client end it. Throws before
   * anything is written when a header is malformed. For a body that is produced while it is sent, returns a promise
   * that settles when the last piece has been handed over or the client has left. It rejects with the error of the
   * source: before `hasBegun`, another answer can still be sent; afterwards, only `close` shows the client that the
   * body is incomplete.
   */
  send(reply: Reply, requestId: string, { head = false, close = false } = {}): Promise<void> | undefined {
    const { body = '' } = reply
    if (isBodySource(body)) return this.#stream(reply, new Pieces(body), requestId, head, close)
    const res = this.#res
    if (!res) return undefined
    checkHeaders(reply)
    this.#res = null
    const write = () => {
      writeHead(res, reply, requestId)
      const isBare = isBodiless(reply.status)
      if (!isBare && !head) {
        res.end(body, close)
        return
      }
      if (!isBare) res.writeHeader('Content-Length', String(Buffer.byteLength(body)))
      askToClose(res, close).endWithoutBody()
    }
    if (this.#isInHandler) write()
    else res.cork(write)
    return undefined
  }

  async #stream(reply: Reply, pieces: Pieces, requestId: string, head: boolean, close: boolean): Promise<void> {
    try {
      checkHeaders(reply)
      if (head || isBodiless(reply.status)) {
        const res = this.take()
        res?.cork(() => void askToClose(writeHead(res, reply, requestId), close).endWithoutBody())
        return
      }
      this.onAborted(() => pieces.giveUp())
      let piece = await pieces.next()
      const res = this.#res
      if (!res) return
      this.#hasBegun = true
      const stream = new BodyStream(res)
      this.onAborted(() => stream.abandon())
      res.cork(() => void askToClose(writeHead(res, reply, requestId), close))
      for (; !piece.done && !stream.isGone; piece = await pieces.next()) await stream.write(piece.value)
      this.take()?.cork(() => void res.end(''))
    } catch (error) {
      // Errors of a source that was given up are ignored.
      if (this.#res) throw error
    } finally {
      pieces.giveUp()
    }
  }

  /**
   * Hands over the response, for example for an upgrade. Returns null when it was answered, aborted or taken before.
   */
  take(): HttpResponse | null {
    const res = this.#res
    this.#res = null
    return res
  }

  close(): void {
    this.take()?.close()
  }
}

const isBodiless = (status: number): boolean => status === 204 || status === 304

/** Behind an answer without a body, and behind a body of many pieces, uWebSockets.js closes no connection. */
const askToClose = (res: HttpResponse, close: boolean): HttpResponse =>
  close ? res.writeHeader('Connection', 'close') : res

/** Nothing is written yet, so a 500 can still be sent. */
function checkHeaders({ headers = noHeaders }: Reply): void {
  for (const [name, value] of headers)
    if (headerFault.test(value))
      throw new Error(`The value of header ${name} holds a line break or another control character.`)
}

function writeHead(res: HttpResponse, { status, contentType, headers = noHeaders }: Reply, id: string): HttpResponse {
  // uWebSockets.js writes the status 200 by itself.
  if (status !== 200) res.writeStatus(statusLines.get(status) ?? String(status))
  res.writeHeader('X-Request-Id', id).writeHeader('X-Content-Type-Options', 'nosniff')
  if (contentType !== undefined) res.writeHeader('Content-Type', contentType)
  let hasCacheControl = false
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'cache-control') hasCacheControl = true
    res.writeHeader(name, value)
  }
  // Nearly every answer is private and may change at any time. A handler whose answer may be cached sets Cache-Control.
  return hasCacheControl ? res : res.writeHeader('Cache-Control', 'no-store')
}

const noHeaders: NonNullable<Reply['headers']> = []
