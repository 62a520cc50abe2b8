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
  readonly #abortListeners: (() => void)[] = []

  /** Made before anything else is done with the response: without onAborted an unanswered one ends the process. */
  constructor(res: HttpResponse) {
    this.#res = res
    res.onAborted(() => {
      this.#res = null
      for (const listener of this.#abortListeners) listener()
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
    const headers = headersOf(reply, requestId)
    this.#res = null
    res.cork(() => {
      writeHead(res, reply.status, headers)
      if (isBodiless(reply.status)) res.endWithoutBody()
      else if (head) res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody()
      else res.end(body, close)
    })
    return undefined
  }

  async #stream(reply: Reply, pieces: Pieces, requestId: string, head: boolean, close: boolean): Promise<void> {
    try {
      const headers = headersOf(reply, requestId)
      if (head || isBodiless(reply.status)) {
        const res = this.take()
        res?.cork(() => void writeHead(res, reply.status, headers).endWithoutBody())
        return
      }
      this.onAborted(() => pieces.giveUp())
      let piece = await pieces.next()
      const res = this.#res
      if (!res) return
      this.#hasBegun = true
      const stream = new BodyStream(res)
      this.onAborted(() => stream.abandon())
      res.cork(() => void writeHead(res, reply.status, headers))
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

function writeHead(
  res: HttpResponse,
  status: number,
  headers: readonly (readonly [name: string, value: string])[],
): HttpResponse {
  res.writeStatus(statusLines.get(status) ?? String(status))
  for (const [name, value] of headers) res.writeHeader(name, value)
  return res
}

function headersOf(reply: Reply, requestId: string): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [
    ['X-Request-Id', requestId],
    ['X-Content-Type-Options', 'nosniff'],
  ]
  if (reply.contentType !== undefined) headers.push(['Content-Type', reply.contentType])
  let cached = false
  for (const header of reply.headers ?? []) {
    if (headerFault.test(header[1])) throw new Error(`The value of header ${header[0]} holds a line break.`)
    if (header[0].toLowerCase() === 'cache-control') cached = true
    headers.push(header)
  }
  // Nearly every answer is private and changes at any time; who means otherwise says so.
  if (!cached) headers.push(['Cache-Control', 'no-store'])
  return headers
}
