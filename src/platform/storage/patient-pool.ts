import pg from 'pg'

/** How long a connection may take until it can be used. */
export const connectingMs = 10_000

type Take = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void

type PatientPoolConfig = Omit<pg.PoolConfig, 'connectionTimeoutMillis'> & {
  readonly patienceMs: number
  /** Tests give a connection up sooner. */
  readonly longestMs?: number
}

/**
 * A pool in which nobody waits longer than `patienceMs` for a connection, while connections go on being established for
 * those who ask next. Were they given up together with the first who wanted them, a server that is busy right after its
 * return, when everybody connects at once, would work for nobody and never come to an end with it.
 */
export class PatientPool extends pg.Pool {
  #patienceMs: number

  constructor({ patienceMs, longestMs = connectingMs, ...config }: PatientPoolConfig) {
    super({ ...config, connectionTimeoutMillis: Math.max(longestMs, patienceMs) })
    this.#patienceMs = patienceMs
  }

  /** For those who ask from now on. */
  set patienceMs(ms: number) {
    this.#patienceMs = ms
  }

  override connect(): Promise<pg.PoolClient>
  override connect(take: Take): void
  override connect(take?: Take): Promise<pg.PoolClient> | undefined {
    if (!take)
      return new Promise((resolve, reject) => {
        this.#connect((error, client) => (client ? resolve(client) : reject(error)))
      })
    this.#connect(take)
    return undefined
  }

  #connect(take: Take): void {
    let isGivenUp = false
    const patience = setTimeout(() => {
      isGivenUp = true
      take(new Error('timeout exceeded when trying to connect'), undefined, () => {})
    }, this.#patienceMs)
    super.connect((error, client, done) => {
      if (isGivenUp) {
        // Not at once: the pool would hand it to the next who has given up, and so on, one stack frame above the other.
        if (client) process.nextTick(done)
        return
      }
      clearTimeout(patience)
      take(error, client, done)
    })
  }
}
