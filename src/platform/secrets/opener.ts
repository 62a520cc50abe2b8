import { Piscina } from 'piscina'
import type { Secrets } from './secrets.ts'
import { siblingModule } from '../sibling-module.ts'

const idleMs = 1000

/**
 * Opens many sealed values in a thread of its own while the main thread goes on: node:crypto takes microseconds for
 * each, and there may be a million. The thread lives while there are some.
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
      filename: siblingModule(import.meta.url, 'worker').href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      workerData: this.#secrets.keys,
    })
    return this.#pool.run(sealed)
  }

  async close(): Promise<void> {
    await this.#pool?.destroy()
  }
}
