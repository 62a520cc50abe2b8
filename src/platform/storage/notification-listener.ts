import type { Socket } from 'node:net'
import pg from 'pg'
import type { Log } from '../log.ts'
import { advisoryLocks } from './advisory-locks.ts'

type Listeners = { up: Set<() => void>; down: Set<() => void>; notice: Set<(payload: string) => void> }

/** How often the server is asked whether it is there. */
const probeMs = 1_000
/** A server that is frozen takes the question and does not answer. */
const patienceMs = 2_000
/** What a program says in the channel when it comes; the others count the programs anew. */
const arrival = '{"program":"arrived"}'

/** Programs on this database: each holds this lock together with the others for as long as it lives. */
const countPrograms = `SELECT count(*)::int4 AS programs FROM pg_locks
  WHERE locktype = 'advisory' AND classid = 0 AND objid = ${advisoryLocks.programs} AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * One connection that knows whether the database is there and hears its notices. It is asked every second while up, so a
 * frozen server shows as well as a stopped one; while down a new connection is tried every second. The question asked is how many
 * programs there are.
 */
export class NotificationListener {
  readonly #url: string
  readonly #channel: string
  readonly #stream: () => Socket
  readonly #log: Log
  readonly #listeners: Listeners = { up: new Set(), down: new Set(), notice: new Set() }
  #client: pg.Client | null = null
  #isAlone = false
  /** Times in which everything is heard, by number. */
  #era = 0
  #timer: NodeJS.Timeout | null = null
  #closed = false
  #probing: Promise<void> = Promise.resolve()

  constructor(parts: { url: string; channel: string; stream: () => Socket; log: Log }) {
    this.#url = parts.url
    this.#channel = parts.channel
    this.#stream = parts.stream
    this.#log = parts.log
  }

  get isUp(): boolean {
    return this.#client !== null
  }

  /** See `hearing` of storage/database.ts. */
  get hearing(): number | null {
    return this.#client !== null && this.#isAlone ? this.#era : null
  }

  /** Resolves when all notices of commits that are over now have been told: they come before the answer to a question put after them. */
  async hear(): Promise<void> {
    const client = this.#client
    try {
      await client?.query('SELECT')
    } catch {
      if (client) this.#lose(client)
    }
  }

  /** `up` is called after every return, not for the first connection; the answer takes the listener away. */
  on<K extends keyof Listeners>(kind: K, listener: Listeners[K] extends Set<infer F> ? F : never): () => void {
    const listeners = this.#listeners[kind] as Set<typeof listener>
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Rejects when the database is not there. */
  async open(): Promise<void> {
    this.#client = await this.#connect()
    await this.#count(this.#client)
    this.#plan()
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#probing
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      keepAlive: true,
      stream: this.#stream,
    })
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    client.on('notification', ({ payload }) => {
      if (payload === arrival) this.#isAlone = false
      else this.#tell('notice', payload ?? '')
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${this.#channel}`)
      // First the lock, then the word: who hears it finds the lock.
      await client.query('SELECT pg_advisory_lock_shared($1)', [advisoryLocks.programs])
      await client.query('SELECT pg_notify($1, $2)', [this.#channel, arrival])
      return client
    } catch (error) {
      drop(client)
      throw error
    }
  }

  /** A listener that fails must not cost the connection, nor the others their turn. */
  #tell(kind: keyof Listeners, payload = ''): void {
    for (const listener of this.#listeners[kind]) {
      try {
        listener(payload)
      } catch (error) {
        this.#log.error('a listener of the database failed', { kind, error })
      }
    }
  }

  #plan(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#probing = this.#probe().finally(() => this.#plan())
    }, probeMs)
  }

  async #probe(): Promise<void> {
    const client = this.#client
    try {
      if (client) await this.#count(client)
      else this.#regain(await this.#connect())
    } catch {
      if (client) this.#lose(client)
    }
  }

  async #count(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ programs: number }>(countPrograms)
    const isAlone = rows[0]?.programs === 1
    if (isAlone && !this.#isAlone) this.#era++
    this.#isAlone = isAlone
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    this.#isAlone = false
    drop(client)
    if (this.#closed) return
    this.#log.warn('database lost; looking for it every second')
    this.#tell('down')
  }

  #regain(client: pg.Client): void {
    if (this.#closed) {
      drop(client)
      return
    }
    this.#client = client
    this.#log.info('database is back')
    this.#tell('up')
  }
}

/** Without a farewell: a frozen server would not take it. */
function drop(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
  stream.destroy()
}
