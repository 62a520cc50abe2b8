import type { Socket } from 'node:net'
import pg from 'pg'
import type { Log } from '../log.ts'
import { connectingMs } from './patient-pool.ts'
import { identityOf, identityText, mayHaveLost, type ServerIdentity } from './server-identity.ts'
import { asUnavailable } from './unavailability.ts'

type ListenerParts = {
  readonly url: string
  /** Null: nothing is listened on, as a standby does not allow it. */
  readonly channel: string | null
  readonly stream: () => Socket
  readonly log: Log
  /** Runs on the first connection before anybody hears that there is one. A connection on which it fails is lost. */
  readonly first?: ((listener: NotificationListener) => Promise<void>) | undefined
}
type Listeners = {
  up: Set<() => void>
  down: Set<() => void>
  replaced: Set<() => void>
  notice: Set<(payload: string, channel: string) => void>
}

/** How often the server is checked. */
const probeMs = 1_000
/** A frozen server accepts the query and does not answer. */
const patienceMs = 2_000

/**
 * One connection that knows whether the database is there and hears its notices. It is asked every second while up, so
 * a frozen server shows as well as a stopped one; while down a new connection is tried every second.
 */
export class NotificationListener {
  readonly #parts: ListenerParts
  readonly #listeners: Listeners = { up: new Set(), down: new Set(), replaced: new Set(), notice: new Set() }
  /** Statements that hold for the connection, whichever it is. */
  readonly #held: string[] = []
  #client: pg.Client | null = null
  #connecting: pg.Client | null = null
  #timer: NodeJS.Timeout | null = null
  #closed = false
  #identity: ServerIdentity | null = null
  #isBegun = false
  #probing: Promise<void> = Promise.resolve()
  /** A connection takes one statement at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: ListenerParts) {
    this.#parts = parts
  }

  get isUp(): boolean {
    return this.#client !== null && this.#isBegun
  }

  /**
   * `up` is called after every reconnection, not for the first connection, and `replaced` before it when the server may
   * have lost what was committed, because it is another one or stands behind what was seen last. The returned function
   * removes the listener.
   */
  on<K extends keyof Listeners>(kind: K, listener: Listeners[K] extends Set<infer F> ? F : never): () => void {
    const listeners = this.#listeners[kind] as Set<typeof listener>
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Rejects when the database is unavailable. `patiently`: it is looked for every second then. */
  async open({ patiently = false } = {}): Promise<void> {
    try {
      await this.#begin(await this.#connect())
    } catch (error) {
      if (!patiently || !asUnavailable(error)) throw error
      this.#parts.log.warn('The database is away; looking for it every second.', { error })
    }
    this.#plan()
  }

  /** On the connection of the moment. Rejects while there is none. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<{ rows: Row[] }> {
    return await this.#inTurn((client) => {
      if (!client) throw new Error('The connection to the database is lost.')
      return client.query<Row & pg.QueryResultRow>(text, [...values])
    })
  }

  /** Runs a statement now and after every reconnection: a lock lasts as long as the connection. */
  async hold(sql: string): Promise<void> {
    this.#held.push(sql)
    await this.#inTurn((client) => client?.query(sql))
  }

  /** Tells the listeners of `up` as after a time without the database. */
  reread(): void {
    this.#notify('up')
  }

  /** Tells the listeners of `notice` what the server, a standby, has not notified of. */
  heard(payload: string, channel: string): void {
    this.#notify('notice', payload, channel)
  }

  /** Notifies everybody who listens on the channel. Resolves in any case: while the database is away, nobody hears. */
  async tell(channel: string, payload: string): Promise<void> {
    // A command without parameters costs PostgreSQL and the driver less than half of a SELECT of pg_notify.
    const text = `NOTIFY ${pg.escapeIdentifier(channel)}, ${pg.escapeLiteral(payload)}`
    await this.#inTurn((client) =>
      // Who does not answer this answers nothing else either, and whatever waits behind it need not wait as long again.
      client?.query(text).catch(() => this.#lose(client)),
    )
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#connecting) drop(this.#connecting)
    await this.#probing
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<pg.Client> {
    const { url, channel, stream } = this.#parts
    const limits = { connectionTimeoutMillis: connectingMs, query_timeout: patienceMs }
    const client = new pg.Client({ connectionString: url, ...limits, keepAlive: true, stream })
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    client.on('notification', ({ payload, channel }) => this.#notify('notice', payload, channel))
    this.#connecting = client
    try {
      await client.connect()
      const listening = channel === null ? [] : [`LISTEN ${channel}`]
      for (const sql of [...listening, ...this.#held]) await client.query(sql)
      this.#identity ??= await identify(client)
      return client
    } catch (error) {
      drop(client)
      throw error
    } finally {
      this.#connecting = null
    }
  }

  /** On the connection that is there when it is its turn. */
  #inTurn<T>(work: (client: pg.Client | null) => T): Promise<Awaited<T>> {
    const done = this.#last.then(() => work(this.#client))
    this.#last = done.catch(() => {})
    return done as Promise<Awaited<T>>
  }

  /** A listener that throws must affect neither the connection nor the other listeners. */
  #notify(kind: keyof Listeners, payload = '', channel = ''): void {
    for (const listener of this.#listeners[kind]) {
      try {
        listener(payload, channel)
      } catch (error) {
        this.#parts.log.error('a listener of the database failed', { kind, error })
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
      if (client) await this.#look(client)
      else if (this.#isBegun) await this.#regainFrom(await this.#connect())
      else {
        await this.#begin(await this.#connect())
        this.#notify('up')
      }
    } catch (error) {
      if (client) this.#lose(client)
      else if (!asUnavailable(error)) this.#parts.log.error('The database cannot be used.', { error })
    }
  }

  async #look(client: pg.Client): Promise<void> {
    await this.#inTurn(async (present) => {
      if (present === client) this.#identity = await identify(client)
    })
  }

  async #begin(client: pg.Client): Promise<void> {
    this.#client = client
    try {
      await this.#parts.first?.(this)
      this.#isBegun = true
    } catch (error) {
      this.#client = null
      drop(client)
      throw error
    }
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    drop(client)
    if (this.#closed || !this.#isBegun) return
    this.#parts.log.warn('database lost; looking for it every second')
    this.#notify('down')
  }

  async #regainFrom(client: pg.Client): Promise<void> {
    try {
      const now = await identify(client)
      const hasLost = this.#identity !== null && mayHaveLost(this.#identity, now)
      this.#identity = now
      this.#regain(client, hasLost)
    } catch (error) {
      drop(client)
      throw error
    }
  }

  #regain(client: pg.Client, hasLost: boolean): void {
    if (this.#closed) {
      drop(client)
      return
    }
    this.#client = client
    this.#parts.log.info('database is back')
    if (hasLost) {
      this.#parts.log.warn('This is another server, or one that has lost what was committed; everything is read anew.')
      this.#notify('replaced')
    }
    this.#notify('up')
  }
}

const identify = async (client: pg.Client): Promise<ServerIdentity> =>
  identityOf((await client.query(identityText)).rows[0])

/** Closes the socket without a Terminate message, which a frozen server would not accept. */
function drop(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
  stream.destroy()
}
