import { Piscina } from 'piscina'
import { Semaphore } from '../../platform/actors/semaphore.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import type { PrintedDocument } from './document.ts'
import { siblingModule } from '../../platform/sibling-module.ts'

export type PrinterParts = {
  readonly threads?: number
  /** How many documents may wait for a thread. One more is rejected with Unavailable. */
  readonly waitingMax?: number
}

/** A page takes tens of milliseconds. A document that takes this long is stuck, and its thread is terminated. */
const documentMs = 20_000
const idleMs = 60_000

/**
 * Draws PDF documents outside the main thread. The threads start with the first document and end when they have been
 * idle for a while.
 */
export class Printer {
  readonly #threads: number
  readonly #semaphore: Semaphore
  #pool: Piscina<PrintedDocument, Uint8Array> | null = null
  #isStopped = false

  constructor({ threads = 2, waitingMax = 50 }: PrinterParts = {}) {
    this.#threads = threads
    const full = () => new Unavailable('mailboxFull', 'Too many documents wait to be printed.')
    this.#semaphore = new Semaphore({ insideMax: threads, waitingMax, full })
  }

  get waiting(): number {
    return this.#semaphore.waiting
  }

  /**
   * Returns the PDF. Rejects with Unavailable when too many documents wait, one takes too long, or the program stops.
   */
  draw(document: PrintedDocument): Promise<Buffer> {
    return this.#semaphore.through(async () => {
      if (this.#isStopped) throw new Unavailable('stopping', 'The program is stopping.')
      try {
        const bytes = await this.#open().run(document, { signal: AbortSignal.timeout(documentMs) })
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      } catch (error) {
        if (this.#isStopped) throw new Unavailable('stopping', 'The program is stopping.')
        if ((error as Error).name === 'AbortError') throw new Unavailable('deadline', 'The document took too long.')
        throw error
      }
    })
  }

  /** Ends the threads. Documents being drawn are abandoned. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#pool?.destroy()
  }

  #open(): Piscina<PrintedDocument, Uint8Array> {
    this.#pool ??= new Piscina<PrintedDocument, Uint8Array>({
      filename: siblingModule(import.meta.url, 'worker').href,
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    return this.#pool
  }
}
