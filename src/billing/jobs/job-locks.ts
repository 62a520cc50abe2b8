import type { Pool, PoolClient } from 'pg'
import { Unavailable } from '../../platform/unavailable.ts'

/** The first half of the two-number advisory locks that belong to jobs; the second is the hash of the name. */
const lockSpace = 7_001

/** SQL: a session holds the lock of this name, which distinguishes work in progress from work that was killed. */
export const isLockedSql = (name: string): string =>
  `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockSpace} AND objsubid = 2 AND granted
  AND objid = (hashtext(${name})::int8 & 4294967295)::oid
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

/**
 * The advisory locks of running jobs. One database session holds all of them, so that the other connections of the pool
 * are free for the jobs themselves. When the session is lost, PostgreSQL releases its locks.
 */
export class JobLocks {
  readonly #pool: Pool
  readonly #held = new Set<string>()
  #session: LockSession | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Runs `work` under the lock; `lost` is aborted when the lock is lost before the work has ended. Null: somebody else
   * holds it.
   */
  async exclusively<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null> {
    // PostgreSQL would grant a session its own lock a second time.
    if (this.#held.has(name)) return null
    this.#held.add(name)
    const session = this.#join()
    try {
      if (!(await session.take(name))) return null
      try {
        return await work(session.lost.signal)
      } finally {
        await session.release(name)
      }
    } finally {
      this.#held.delete(name)
      this.#leave(session)
    }
  }

  #join(): LockSession {
    if (!this.#session || this.#session.lost.signal.aborted) this.#session = new LockSession(this.#pool)
    this.#session.users++
    return this.#session
  }

  #leave(session: LockSession): void {
    session.users--
    if (session.users > 0) return
    if (this.#session === session) this.#session = null
    session.end()
  }
}

class LockSession {
  users = 0
  readonly lost = new AbortController()
  readonly #client: Promise<PoolClient>
  #before: Promise<unknown> = Promise.resolve()

  constructor(pool: Pool) {
    this.#client = pool.connect().then((client) => client.once('error', this.#lose).once('end', this.#lose))
    this.#client.catch(this.#lose)
  }

  async take(name: string): Promise<boolean> {
    try {
      return await this.#ask('SELECT pg_try_advisory_lock($1, hashtext($2)) AS done', name)
    } catch (error) {
      // Nobody knows whether we hold the lock, so the session is ended, which releases it.
      this.#lose()
      throw error
    }
  }

  /** Never rejects: a lock that cannot be released is released with the session. */
  async release(name: string): Promise<void> {
    if (this.lost.signal.aborted) return
    await this.#ask('SELECT pg_advisory_unlock($1, hashtext($2)) AS done', name).catch(this.#lose)
  }

  /** Runs queries one after another, because a connection executes only one at a time. */
  #ask(text: string, name: string): Promise<boolean> {
    const answer = this.#before.then(async () => {
      const client = await this.#client
      return (await client.query<{ done: boolean }>(text, [lockSpace, name])).rows[0]!.done
    })
    this.#before = answer.catch(() => {})
    return answer
  }

  end(): void {
    this.#client.then(
      (client) => {
        client.off('error', this.#lose).off('end', this.#lose)
        client.release(this.lost.signal.aborted)
      },
      () => {},
    )
  }

  readonly #lose = (): void => {
    this.lost.abort(new Unavailable('database', 'The connection that held the lock of the job was lost.'))
  }
}
