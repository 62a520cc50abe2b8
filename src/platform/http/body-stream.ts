import { setImmediate } from 'node:timers/promises'
import type { HttpResponse } from './transport.ts'

/**
 * A body that is produced while it is sent. The next piece is requested only when the client has taken the ones before.
 * When the rest is not needed, because the client has left or the request was a HEAD, the source is ended by `destroy`
 * (a Readable) or `return` (a generator).
 */
export type BodySource = AsyncIterable<string | Uint8Array>

export const isBodySource = (body: unknown): body is BodySource =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** Ends the source of a body that will not be sent after all. */
export function discardBody(body: unknown): void {
  if (isBodySource(body)) new Pieces(body).giveUp()
}

/** The size of one write, and therefore about how much uWebSockets.js buffers for a slow client. */
const portionBytes = 64 * 1024
/**
 * The size of the write that finds out whether a slow client has caught up. uWebSockets.js sends its buffer only on the
 * next write, so this write must be smaller than the space that a "writable" event reports; otherwise the buffer would
 * grow with every event.
 */
const probeBytes = 1024
/** Other requests get to run at least this often, even if neither the source nor the client ever makes us wait. */
const yieldEveryMs = 10

/**
 * Writes pieces to a response as fast as its client takes them. The owner of the response calls `abandon` when the
 * client has left. A client that takes nothing for ten seconds is disconnected by the transport.
 */
export class BodyStream {
  readonly #res: HttpResponse
  #isGone = false
  #keepsUp = true
  #wake: (() => void) | null = null
  #yieldAtMs = performance.now() + yieldEveryMs

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

  /** To be called when the client has left. The response must not be touched afterwards. */
  abandon(): void {
    this.#isGone = true
    this.#resume()
  }

  /** Resolves when the client can take more or has left. */
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
      else if (performance.now() > this.#yieldAtMs) {
        await setImmediate()
        this.#yieldAtMs = performance.now() + yieldEveryMs
      }
    }
  }

  #writable(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #resume(): void {
    const wake = this.#wake
    this.#wake = null
    this.#yieldAtMs = performance.now() + yieldEveryMs
    wake?.()
  }
}

/** The pieces of a source. `giveUp` ends the source early and never fails. */
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

  /**
   * Ends the source, because the rest is not needed. Errors while it closes are ignored, because nobody waits for it.
   */
  giveUp(): void {
    if (this.#isGivenUp) return
    this.#isGivenUp = true
    // `destroy` ends a Readable at once, whereas `return` of its iterator would wait for the read in progress.
    if ('destroy' in this.#source && typeof this.#source.destroy === 'function') this.#source.destroy()
    this.#iterator.return?.().catch(() => {})
  }
}
