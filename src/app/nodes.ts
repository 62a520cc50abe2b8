import type { Clock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { NodeChannel } from '../platform/nodes/channel.ts'
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
  /** After a commit of which the others are to hear. */
  readonly wakeOthers: () => void
  /** How the standby is doing that is read; null: the primary is. */
  readonly standby: Pick<StandbyReading, 'isStandby' | 'behindMs'> | null
}

/** A standby wakes nobody. */
const standbyPollMs = 100

/**
 * Opens the database. One of the operator's own may be served by several programs, each of which takes a place; that of
 * the data folder is served by this one alone, and nothing of nodes exists.
 */
export async function openAsNode(
  { databaseUrl, node: name, role }: Pick<Config, 'databaseUrl' | 'node' | 'role'>,
  order: Omit<Parameters<typeof openDatabase>[0], 'join'>,
): Promise<{ readonly database: Database; readonly place: NodePlace | null }> {
  if (databaseUrl === null) return { database: await openDatabase(order), place: null }
  let place: NodePlace | null = null
  const join = async (connection: LifeConnection) => {
    place = await joinNodes(connection, { name, version, role })
    return place.number
  }
  return { database: await openDatabase({ ...order, join }), place }
}

/** To be called before anything is read from the tables: what the others commit from here on is followed. */
export async function openNodes(
  {
    database,
    reads,
    clock,
    log,
  }: { readonly database: Database; readonly reads: Database; readonly clock: Clock; readonly log: Log },
  place: NodePlace,
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
