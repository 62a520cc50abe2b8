import { type Clock, systemClock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { NodeChannel } from '../platform/nodes/channel.ts'
import { DatabaseClock } from '../platform/nodes/database-clock.ts'
import { joinNodes, type LifeConnection, type NodePlace } from '../platform/nodes/joining.ts'
import { Membership } from '../platform/nodes/membership.ts'
import { NodeLog } from '../platform/nodes/node-log.ts'
import { SnapshotReading } from '../platform/nodes/snapshot-reading.ts'
import { StandbyReading } from '../platform/nodes/standby-reading.ts'
import { type Database, openDatabase } from '../platform/storage/database.ts'
import type { Config } from './config.ts'
import { version } from '../platform/release.ts'

/** This program among others on one database. */
export type Nodes = {
  readonly membership: Membership
  readonly log: NodeLog
  /** To be called after a commit that the other nodes have to follow. */
  readonly wakeOthers: () => void
  /** How far behind the standby is that this program reads; null: it reads the primary. */
  readonly standby: Pick<StandbyReading, 'isStandby' | 'behindMs'> | null
}

/** A program that has a place, and the time of day of all that have one. */
export type JoinedNode = { readonly place: NodePlace; readonly clock: DatabaseClock }

/** How often a standby is asked, because it sends no notifications. */
const standbyPollMs = 100

/**
 * Opens the database. One of the operator's own may be served by several programs, each of which takes a place; that of
 * the data folder is served by this one alone, and nothing of nodes exists.
 */
export async function openAsNode(
  { databaseUrl, node: name, role }: Pick<Config, 'databaseUrl' | 'node' | 'role'>,
  order: Omit<Parameters<typeof openDatabase>[0], 'join'>,
  machine: Clock = systemClock,
): Promise<{ readonly database: Database; readonly node: JoinedNode | null }> {
  if (databaseUrl === null) return { database: await openDatabase(order), node: null }
  const clock = new DatabaseClock(machine)
  let node: JoinedNode | null = null
  const join = async (connection: LifeConnection) => {
    node = { place: await joinNodes(connection, { name, version, role }), clock }
    await clock.ask(connection)
    return node.place.number
  }
  return { database: await openDatabase({ ...order, join }), node }
}

/** To be called before anything is read from the tables: what the others commit from here on is followed. */
export async function openNodes(
  { database, reads, log }: { readonly database: Database; readonly reads: Database; readonly log: Log },
  { place, clock }: JoinedNode,
): Promise<Nodes> {
  const { pool } = database
  const standby = reads === database ? null : new StandbyReading({ pool: reads.pool, node: () => place.number, clock })
  const channel = new NodeChannel(database, place, clock)
  await channel.open()
  const membership = new Membership({ pool, place, clock, log })
  const nodeLog = new NodeLog({
    ...(standby
      ? { reading: standby, purged: null, pollMs: standbyPollMs, isAlone: () => false }
      : { reading: new SnapshotReading(pool, place.number), purged: pool, isAlone: () => membership.others === 0 }),
    channel,
    node: place.number,
    clock,
    log,
  })
  await nodeLog.open()
  membership.start()
  const wakeOthers = () => {
    if (membership.others > 0) channel.call()
  }
  return { membership, log: nodeLog, wakeOthers, standby }
}
