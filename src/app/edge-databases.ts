import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Clock, systemClock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { DatabaseClock } from '../platform/nodes/database-clock.ts'
import { joinNodes, notJoined } from '../platform/nodes/joining.ts'
import { version } from '../platform/release.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import { StartRefusal } from '../platform/start-refusal.ts'
import { withConnection } from '../platform/storage/connection.ts'
import { asUnavailable, type Database, type DatabaseOrder, openDatabase } from '../platform/storage/database.ts'
import { readKeySource } from '../platform/storage/key-source.ts'
import { isMigrationPending } from '../platform/storage/migrations.ts'
import { refuseNewerTables } from '../platform/storage/schema-release.ts'
import { fitOf, useLock } from '../platform/storage/secret-keys.ts'
import type { Config } from './config.ts'
import type { JoinedNode } from './nodes.ts'
import { edgeConnections, heedServer } from './own-server.ts'
import type { OnStop } from './stops.ts'

export type EdgeDatabases = {
  /** The database that the edge writes to. It may be away when there is a standby to read from. */
  readonly database: Database
  readonly reads: Database
  /** Its number is `notJoined` until it has reached the database that it writes to. */
  readonly node: JoinedNode
  readonly secrets: Secrets
}

type Order = {
  readonly config: Config
  readonly log: Log
  readonly databaseUrl: string
  readonly limits?: DatabaseOrder['limits']
  readonly onStop: OnStop
}

/**
 * The databases of an edge. It makes no tables: it waits until those of its release are there. Rejects when neither
 * database is available.
 */
export async function openEdgeDatabases(
  { config, log, databaseUrl, limits, onStop }: Order,
  machine: Clock = systemClock,
): Promise<EdgeDatabases> {
  const terms = { log, pool: edgeConnections, ...(limits && { limits }) }
  const standby = config.readUrl === null ? null : await openStandby({ ...terms, url: config.readUrl })
  if (standby) onStop(() => standby.close())
  await waitForTables(standby ? config.readUrl! : databaseUrl, log)
  await lookAtPrimary(databaseUrl, config, log, standby !== null)
  const newcomer = { name: config.node, version, role: config.role }
  const place = { ...newcomer, number: notJoined, epoch: 0, startedAt: '0' }
  const clock = new DatabaseClock(machine)
  const database = await openDatabase({
    ...terms,
    url: databaseUrl,
    mayBeAway: standby !== null,
    join: async (connection) => {
      Object.assign(place, await joinNodes(connection, newcomer))
      await clock.ask(connection)
      return place.number
    },
  })
  onStop(() => database.close())
  const reads = standby ?? database
  const secrets = await secretsOf(reads, config)
  await database.holdLock(`SELECT pg_advisory_lock_shared(${useLock(secrets.keyId)})`)
  return { database, reads, node: { place, clock }, secrets }
}

/** Opens the standby; null: it is away, and the primary is read until the next start. */
async function openStandby(order: DatabaseOrder): Promise<Database | null> {
  try {
    return await openDatabase({ ...order, isStandby: true })
  } catch (error) {
    if (!asUnavailable(error)) throw error
    order.log.warn('The standby at TOLLGATE_READ_URL is away, so DATABASE_URL is read until the next start.', { error })
    return null
  }
}

const lookMs = 1_000

async function waitForTables(url: string, log: Log): Promise<void> {
  const isMissing = (client: Client) => refuseNewerTables(client).then(() => isMigrationPending(client))
  for (let isTold = false; await withConnection(url, isMissing); isTold = true) {
    if (!isTold) log.info('waiting for the tables of this release, which a full node or `tollgate migrate` makes')
    await pause(lookMs)
  }
}

async function lookAtPrimary(url: string, config: Config, log: Log, mayBeAway: boolean): Promise<void> {
  try {
    await withConnection(url, (client) => heedServer(client, url, config, log))
  } catch (error) {
    if (!mayBeAway || !asUnavailable(error)) throw error
  }
}

/** An edge makes no key and writes none down. */
async function secretsOf({ pool }: Database, config: Config): Promise<Secrets> {
  const fit = await fitOf(pool, readKeySource(config))
  if (fit.kind === 'refused') throw new StartRefusal(fit.sentence)
  if (fit.secrets === null)
    throw new StartRefusal('An edge needs the key of the other nodes. Set TOLLGATE_SECRET_KEY to what they have.')
  return fit.secrets
}
