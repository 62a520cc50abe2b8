import { Piscina } from 'piscina'
import type { Secrets } from './secrets.ts'

/**
 * Opens many sealed values in a thread of its own while the main thread goes on: node:crypto takes microseconds for
 * each, and a start may have a million. The thread begins with the first values.
 */
export class SecretOpener {
  readonly #secrets: Secrets
  #pool: Piscina<readonly string[], (string | null)[]> | null = null

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  /** Null for a value that Secrets.open would throw for. */
  open(sealed: readonly string[]): Promise<(string | null)[]> {
    this.#pool ??= new Piscina({
      filename: new URL('./worker.ts', import.meta.url).href,
      maxThreads: 1,
      workerData: this.#secrets.keys,
    })
    return this.#pool.run(sealed)
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }
}
