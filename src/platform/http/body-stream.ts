import type { HttpResponse } from './uws.ts'

/**
 * A body made while it is sent. It is asked for the next piece only when the client has taken the ones before, and ended by
 * `destroy` (a Readable) or `return` (a generator) when nobody wants the rest: the client left, or the request was a HEAD.
 */
export type BodySource = AsyncIterable<string | Uint8Array>

export const isBodySource = (body: unknown): body is BodySource =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** For an answer that is not sent after all. */
export function discardBody(body: unknown): void {
  if (isBodySource(body)) new Pieces(body).giveUp()
}

/** What goes to the socket in one write, and so about what uWebSockets.js holds of a slow client's answer. */
const portionBytes = 64 * 1024
/**
 * The write that finds out whether a slow client has caught up. uWebSockets.js sends what it holds only on the next write, so this
 * one has to be smaller than the room a "writable" event promises; otherwise what it holds would grow with every event.
 */
const probeBytes = 1024
/** Other requests get a turn at least so often, also when source and client never make us wait. */
const turnMs = 10

/**
 * Writes pieces to one response as fast as its client takes them. The owner of the response tells when it is gone; a client that
 * takes nothing for ten seconds is cut by uWebSockets.js.
 */
export class BodyStream {
  readonly #res: HttpResponse
  #isGone = false
  #keepsUp = true
  #wake: (() => void) | null = null
  #turnEndsMs = performance.now() + turnMs

  constructor(res: HttpResponse) {
    this.#res = res
    res.onWritable(() => {
      this.#resume()
      return true
    })
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** The client left; nothing of the response may be touched from here on. */
  abandon(): void {
    this.#isGone = true
    this.#resume()
  }

  /** Settles when the client may be sent more, or has gone. */
  async write(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    let at = 0
    while (at < bytes.length && !this.#isGone) {
      const portion = bytes.subarray(at, at + (this.#keepsUp ? portionBytes : probeBytes))
      at += portion.length
      this.#res.cork(() => {
        this.#keepsUp = this.#res.write(portion)
      })
      if (!this.#keepsUp) await this.#writable()
      else if (performance.now() > this.#turnEndsMs) await this.#turn()
    }
  }

  #writable(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#turnEndsMs = performance.now() + turnMs
        resolve()
      })
    })
  }

  #resume(): void {
    const wake = this.#wake
    this.#wake = null
    this.#turnEndsMs = performance.now() + turnMs
    wake?.()
  }
}

/**
 * The pieces of a source with the first one already there, so that a source that fails at once can still be answered with an
 * error of the door. `giveUp` ends the source early and never fails.
 */
export class Pieces {
  readonly #source: BodySource
  readonly #iterator: AsyncIterator<string | Uint8Array>
  #isGivenUp = false

  constructor(source: BodySource) {
    this.#source = source
    this.#iterator = source[Symbol.asyncIterator]()
  }

  next(): Promise<IteratorResult<string | Uint8Array, unknown>> {
    return this.#iterator.next()
  }

  /** Nobody wants the rest. A source that fails while it closes has nobody left to tell. */
  giveUp(): void {
    if (this.#isGivenUp) return
    this.#isGivenUp = true
    // A Readable is destroyed at once; the `return` of its iterator would wait for the read under way.
    if ('destroy' in this.#source && typeof this.#source.destroy === 'function') this.#source.destroy()
    this.#iterator.return?.().catch(() => {})
  }
}
