import { Piscina } from 'piscina'
import { Semaphore } from '../../platform/actors/semaphore.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import type { PrintedDocument } from './document.ts'

export type PrinterParts = {
  readonly threads?: number
  /** Documents that wait for a thread; one more is answered with Unavailable. */
  readonly waitingMax?: number
}

/** A page takes some tens of milliseconds; what takes this long is broken, and its thread is ended. */
const documentMs = 20_000
const idleMs = 60_000

/**
 * Draws PDF off the main thread. Its threads start with the first document and end when there has been none for a
 * while.
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

  /** Rejects with Unavailable when too many documents wait, or the program is stopping. */
  async draw(document: PrintedDocument): Promise<Buffer> {
    return this.#semaphore.through(() => this.#draw(document))
  }

  async #draw(document: PrintedDocument): Promise<Buffer> {
    if (this.#isStopped) throw new Unavailable('stopping', 'The program is stopping.')
    try {
      const bytes = await this.#open().run(document, { signal: AbortSignal.timeout(documentMs) })
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    } catch (error) {
      if (this.#isStopped) throw new Unavailable('stopping', 'The program is stopping.')
      if ((error as Error).name === 'AbortError') throw new Unavailable('deadline', 'The document took too long.')
      throw error
    }
  }

  /** Ends the threads; documents in work are given up. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#pool?.destroy()
  }

  #open(): Piscina<PrintedDocument, Uint8Array> {
    this.#pool ??= new Piscina<PrintedDocument, Uint8Array>({
      filename: new URL('./worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: this.#threads,
      idleTimeout: idleMs,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    return this.#pool
  }
}
