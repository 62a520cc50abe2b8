import { STATUS_CODES } from 'node:http'
import { BodyStream, isBodySource, Pieces } from './body-stream.ts'
import type { Reply } from './call.ts'
import type { HttpResponse } from './uws.ts'

/** For log and metrics only: the client went away before the answer (nginx's word for it). */
export const clientGoneStatus = 499

const headerFault = /[\r\n\0]/

const statusLines = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]))

/**
 * The answering side of one request. It knows whether uWebSockets.js still lends the response, so that a late or second
 * answer does nothing instead of ending the process.
 */
export class Exchange {
  #res: HttpResponse | null
  #hasBegun = false
  /** While the handler of uWebSockets.js runs, what is written is corked, and nobody can hear of a client that leaves. */
  #isInHandler = true
  #abortListeners: (() => void)[] | null = null

  constructor(res: HttpResponse) {
    this.#res = res
  }

  /** To be called before the handler of uWebSockets.js returns: without onAborted an unanswered response ends the process. */
  leaveHandler(): void {
    this.#isInHandler = false
    this.#res?.onAborted(() => {
      this.#res = null
      for (const listener of this.#abortListeners ?? []) listener()
    })
  }

  /** Neither answered nor given up by the client. */
  get isOpen(): boolean {
    return this.#res !== null
  }

  /** The status has gone out while the body is still being made: no other answer is possible any more. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  onAborted(listener: () => void): void {
    this.#abortListeners ??= []
    this.#abortListeners.push(listener)
  }

  /**
   * Writes the whole answer in one go; `close` ends the connection after it. Throws before writing when a header is malformed.
   * A body made while it is sent answers a promise instead, settled when the last of it was handed over or the client has gone. It
   * rejects with the error of the source: before `hasBegun` another answer can be sent, after it only `close` tells the client.
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
      if (isBodiless(reply.status)) res.endWithoutBody()
      else if (head) res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody()
      else res.end(body, close)
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
        res?.cork(() => void writeHead(res, reply, requestId).endWithoutBody())
        return
      }
      this.onAborted(() => pieces.giveUp())
      let piece = await pieces.next()
      const res = this.#res
      if (!res) return
      this.#hasBegun = true
      const stream = new BodyStream(res)
      this.onAborted(() => stream.abandon())
      res.cork(() => void writeHead(res, reply, requestId))
      for (; !piece.done && !stream.isGone; piece = await pieces.next()) await stream.write(piece.value)
      this.take()?.cork(() => void res.end('', close))
    } catch (error) {
      // A source that was given up may fail as it likes.
      if (this.#res) throw error
    } finally {
      pieces.giveUp()
    }
  }

  /** Hands the response over, once, for an upgrade. */
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

/** Throws for a value that would begin another header or answer. Nothing has been written yet, so 500 can still be answered. */
function checkHeaders({ headers = noHeaders }: Reply): void {
  for (const [name, value] of headers)
    if (headerFault.test(value)) throw new Error(`The value of header ${name} holds a line break.`)
}

function writeHead(res: HttpResponse, { status, contentType, headers = noHeaders }: Reply, id: string): HttpResponse {
  // 200 is what uWebSockets.js writes by itself.
  if (status !== 200) res.writeStatus(statusLines.get(status) ?? String(status))
  res.writeHeader('X-Request-Id', id).writeHeader('X-Content-Type-Options', 'nosniff')
  if (contentType !== undefined) res.writeHeader('Content-Type', contentType)
  let saysCaching = false
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'cache-control') saysCaching = true
    res.writeHeader(name, value)
  }
  // Nearly every answer is private and changes at any time; a handler that means otherwise sends its own Cache-Control.
  return saysCaching ? res : res.writeHeader('Cache-Control', 'no-store')
}

const noHeaders: NonNullable<Reply['headers']> = []
