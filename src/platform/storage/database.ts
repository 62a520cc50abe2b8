import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { boundedMoment } from '../../domain/moments.ts'
import type { Log } from '../log.ts'
import { asNode, withSettings } from './connection.ts'
import { NotificationListener } from './notification-listener.ts'
import type { EntityManager } from './orm.ts'
import { connectingMs, PatientPool } from './patient-pool.ts'
import { DatabaseSockets } from './sockets.ts'
import type { Client } from './sql.ts'

export { asUnavailable } from './unavailability.ts'

/** Milliseconds: how long somebody waits for a connection, and then for the answer to a query. */
export type DatabaseLimits = { connectionTimeoutMillis: number; query_timeout: number }

/** How many connections SQL of all kinds and the ledger have at most. */
export type DatabaseConnections = { general?: number; ledger?: number }
const defaultConnections = { general: 10, ledger: 4 }

/** Together less than the 5 s within which everybody gets an answer, even when PostgreSQL is stopped or frozen. */
const defaultLimits: DatabaseLimits = { connectionTimeoutMillis: 1_400, query_timeout: 3_500 }
/** One stores groups, and one is left for ids and for what a NAS has taught. */
const accountingConnections = 2

/** All connections that a database of these sizes has at most, with the one that lasts. */
export const connectionsOf = ({ general, ledger }: Required<DatabaseConnections> = defaultConnections): number =>
  general + ledger + accountingConnections + 1

/**
 * Of each pool two stay when nobody asks: the first statements of a new connection, which knows no table and has
 * planned nothing, cost three times as much, and where a payment comes once a minute every one would pay that.
 */
const upkeep = { keepAlive: true, idleTimeoutMillis: 30_000, min: 2 }

const closeMs = 3_000

/** The channel on which triggers notify of rows that others than the ledger wrote. */
export const changesChannel = 'tollgate_changes'

export type Database = {
  readonly url: string
  /**
   * For all SQL but that of the ledger and of accounting. A query that may take long sets its own `query_timeout`. int8
   * is text, see int8.ts.
   */
  readonly pool: pg.Pool
  /** For the ledger: exempt from the triggers that watch everybody else. */
  readonly ledger: pg.Pool
  /**
   * For accounting, exempt likewise. Its statements are planned once: they find rows by keys, so the lengths of their
   * arrays change nothing about the best plan, and planning one costs more than executing it for a few records.
   */
  readonly accounting: pg.Pool
  /**
   * MikroORM's, for records that are not hot. What it writes belongs to the transaction that `client` of `pool` is in.
   * MikroORM is loaded and opened at the first call in the process, because that takes 0.4 s of CPU.
   */
  manager(client: Client): Promise<EntityManager>
  isUp(): boolean
  /** Calls the listener each time the database is available again; the returned function removes it. */
  onUp(listener: () => void): () => void
  onDown(listener: () => void): () => void
  /** Called before `onUp` when the server may have lost commits: nothing in memory is newer than its tables then. */
  onReplaced(listener: () => void): () => void
  /** Calls the listeners of `onUp`, because changes were missed although the database was there. */
  reread(): void
  /** Calls the listeners of `onNotice` for what the server has not notified of itself. */
  heard(payload: string): void
  /** Notifications of the triggers, which storage/changes.ts reads, or on another channel that is listened on. */
  onNotice(listener: (payload: string) => void, channel?: string): () => void
  /** Notifies everybody who listens on the channel, in a transaction of its own. Never rejects. */
  tell(channel: string, payload: string): Promise<void>
  /** Takes a lock for as long as the database is open. */
  holdLock(sql: string): Promise<void>
  /** The program has started: who asks from now on waits no longer for a connection than the limits say. */
  serves(): void
  /**
   * For the stop of the program: waits for the database are rejected, at once when it is unavailable, else after
   * `patienceMs`.
   */
  limitWaits(patienceMs: number): void
  close(): Promise<void>
}

export type DatabaseOrder = {
  readonly url: string
  /**
   * Takes a place among the programs that serve the database, on the connection that lasts, and resolves with its
   * number, which comes with every connection of the pools.
   */
  readonly join?: (connection: Pick<NotificationListener, 'query' | 'hold'>) => Promise<number>
  readonly log: Log
  readonly pool?: DatabaseConnections
  readonly limits?: DatabaseLimits
  /**
   * Until `serves` is called nobody outside waits for an answer, so a connection is waited for as long as it may take.
   * Where everything starts at once, a busy machine is no reason to give the start up.
   */
  readonly isStarting?: boolean
  /** It may be away now: it is looked for, and nobody hears that it is up before it has been joined. */
  readonly mayBeAway?: boolean
  /** A standby, which notifies of nothing: `heard` tells what it would have. */
  readonly isStandby?: boolean
}

/** No start needs it. */
export const lateOrm = () => import('./orm.ts')

/** Rejects when the database is unavailable, unless it may be away. Does not migrate. */
export async function openDatabase(order: DatabaseOrder): Promise<Database> {
  const { log, limits = defaultLimits, join, isStarting = false, mayBeAway = false, isStandby = false } = order
  const sockets = new DatabaseSockets()
  const stream = sockets.open
  const { general, ledger: ofLedger } = { ...defaultConnections, ...order.pool }
  const open = (max: number) => newPool({ max, stream, ...limits }, log)
  const wait = (ms: number) => {
    for (const pool of Object.values(pools)) pool.patienceMs = ms
  }
  const pools = { pool: open(general), ledger: open(ofLedger), accounting: open(accountingConnections) }
  if (isStarting) wait(Math.max(connectingMs, limits.connectionTimeoutMillis))
  let url = withSettings(order.url, [noJit])
  addressPools(pools, url)
  const first = async (connection: NotificationListener) => {
    if (!join) return
    url = asNode(url, await join(connection))
    addressPools(pools, url)
  }
  const channel = isStandby ? null : changesChannel
  const listener = new NotificationListener({ url: order.url, channel, stream, log, first })
  await listener.open({ patiently: mayBeAway })
  const closed = () => Promise.allSettled(Object.values(pools).map((pool) => pool.end()))
  return {
    get url() {
      return url
    },
    ...pools,
    manager: async (client) => (await lateOrm()).managerOf(client),
    isUp: () => listener.isUp,
    onUp: (handler) => listener.on('up', handler),
    onDown: (handler) => listener.on('down', handler),
    onReplaced: (handler) => listener.on('replaced', handler),
    reread: () => listener.reread(),
    heard: (payload) => listener.heard(payload, changesChannel),
    onNotice: (handler, channel = changesChannel) =>
      listener.on('notice', (payload, from) => from === channel && handler(payload)),
    tell: (channel, payload) => listener.tell(channel, payload),
    holdLock: (sql) => listener.hold(sql),
    serves: () => wait(limits.connectionTimeoutMillis),
    limitWaits: (patienceMs) => {
      if (!listener.isUp) sockets.cut()
      listener.on('down', () => sockets.cut())
      setTimeout(() => sockets.cut(), patienceMs).unref()
    },
    close: async () => {
      await listener.close()
      // A connection that is still in use must not keep the program from ending.
      await Promise.race([closed(), pause(closeMs, null, { ref: false })])
    },
  }
}

/** What comes with the connections that the pools open from now on. */
function addressPools({ pool, ledger, accounting }: Pick<Database, 'pool' | 'ledger' | 'accounting'>, url: string) {
  pool.options.connectionString = url
  ledger.options.connectionString = asWriter(url)
  accounting.options.connectionString = asWriter(url, ['plan_cache_mode=force_generic_plan'])
}

function newPool(
  { connectionTimeoutMillis, ...of }: Pick<pg.PoolConfig, 'max' | 'stream'> & DatabaseLimits,
  log: Log,
): PatientPool {
  const pool = new PatientPool({ ...of, patienceMs: connectionTimeoutMillis, types: textTypes, ...upkeep })
  // An idle connection that breaks is replaced by the pool; whoever asks next learns whether the server is there.
  pool.on('error', (error) => log.debug('idle database connection lost', { reason: error.message }))
  // One that breaks while somebody holds it between two queries has no listener of the pool's: the program would end.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug('database connection lost', { reason: error.message }))
    takeTurns(client)
  })
  return pool
}

/** So many rows of an answer are read in one turn of the event loop, a few milliseconds. */
const rowsAtOnce = 1_000

/**
 * Node reads up to 2 MB from a socket before anybody else has a turn, some 20,000 rows: packets and requests would wait
 * a tenth of a second for a large answer.
 */
function takeTurns(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Duplex } }
  let rows = 0
  connection.on('dataRow', () => {
    if (++rows < rowsAtOnce) return
    rows = 0
    connection.stream.pause()
    setImmediate(() => connection.stream.resume())
  })
}

/**
 * Dates without a time stay text: pg would make them midnight of the machine's time zone. Moments are Dates, always.
 */
const textTypes = new pg.TypeOverrides()
textTypes.setTypeParser(1082, (text) => text)
const readTimestamptz = pg.types.getTypeParser(1184)
textTypes.setTypeParser(1184, (text) => boundedMoment(readTimestamptz(text)))

/** Compiling our short statements would cost more than running them. */
const noJit = 'jit=off'

/** The ledger waits no longer for a lock that somebody else holds, and knows then that nothing was written. */
const lockTimeoutMs = 1_000

/** The setting comes with the connection, so that no query needs to remember it. */
const asWriter = (url: string, more: readonly string[] = []): string =>
  withSettings(url, ['tollgate.writer=on', `lock_timeout=${lockTimeoutMs}`, ...more])

/** As the connections of the ledger are opened. */
export const ledgerUrlOf = (url: string): string => asWriter(withSettings(url, [noJit]))
