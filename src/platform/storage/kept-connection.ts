import type { Pool, PoolClient } from 'pg'

/**
 * A connection of a pool that is kept for one purpose from its first statement on. Who asks by it waits neither for
 * others, who have all that are open, nor until a new one is established and knows the tables, which takes a busy
 * machine hundreds of milliseconds. One statement at a time. One that fails costs the connection; the next statement
 * takes another.
 */
export class KeptConnection {
  readonly #pool: Pool
  #client: PoolClient | null = null

  constructor(pool: Pool) {
    this.#pool = pool
    // It is counted among those that stay when nobody asks, and as many as before are to stay besides.
    pool.options.min = (pool.options.min ?? 0) + 1
  }

  readonly query = (async (...order: Parameters<PoolClient['query']>) => {
    this.#client ??= await this.#take()
    const client = this.#client
    try {
      return await client.query(...order)
    } catch (error) {
      if (this.#client === client) this.#giveBack(true)
      throw error
    }
  }) as Pool['query']

  /** The pool has it again. */
  close(): void {
    this.#giveBack(false)
  }

  async #take(): Promise<PoolClient> {
    const client = await this.#pool.connect()
    client.on('end', this.#ended)
    return client
  }

  readonly #ended = (): void => this.#giveBack(true)

  #giveBack(isBroken: boolean): void {
    this.#client?.off('end', this.#ended)
    this.#client?.release(isBroken)
    this.#client = null
  }
}
