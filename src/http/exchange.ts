import { STATUS_CODES } from 'node:http'
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

  onAborted(listener: () => void): void {
    this.#abortListeners.push(listener)
  }

  /** Writes the whole answer in one go. `close` ends the connection after it. Throws before writing when a header is malformed. */
  send(reply: Reply, requestId: string, { head = false, close = false } = {}): void {
    const res = this.#res
    if (!res) return
    const headers = headersOf(reply, requestId)
    const body = reply.body ?? ''
    this.#res = null
    res.cork(() => {
      res.writeStatus(statusLines.get(reply.status) ?? String(reply.status))
      for (const [name, value] of headers) res.writeHeader(name, value)
      if (reply.status === 204 || reply.status === 304) res.endWithoutBody()
      else if (head) res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody()
      else res.end(body, close)
    })
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
