import type { Clock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { NodeChannel } from '../platform/nodes/channel.ts'
import { joinNodes, type LifeConnection, type NodePlace } from '../platform/nodes/joining.ts'
import { Membership } from '../platform/nodes/membership.ts'
import { NodeLog } from '../platform/nodes/node-log.ts'
import { type Database, openDatabase } from '../platform/storage/database.ts'
import type { Config } from './config.ts'
import { version } from './version.ts'

/** This program among others on one database. */
export type Nodes = {
  readonly membership: Membership
  readonly log: NodeLog
  /** After a commit of which the others are to hear. */
  readonly wakeOthers: () => void
}

/**
 * Opens the database. One of the operator's own may be served by several programs, each of which takes a place; that of
 * the data folder is served by this one alone, and nothing of nodes exists.
 */
export async function openAsNode(
  { databaseUrl, node: name }: Pick<Config, 'databaseUrl' | 'node'>,
  order: Omit<Parameters<typeof openDatabase>[0], 'join'>,
): Promise<{ readonly database: Database; readonly place: NodePlace | null }> {
  if (databaseUrl === null) return { database: await openDatabase(order), place: null }
  let place: NodePlace | null = null
  const join = async (connection: LifeConnection) => {
    place = await joinNodes(connection, { name, version })
    return place.number
  }
  return { database: await openDatabase({ ...order, join }), place }
}

/** To be called before anything is read from the tables: what the others commit from here on is followed. */
export async function openNodes(
  { database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Log },
  place: NodePlace,
): Promise<Nodes> {
  const { pool } = database
  const channel = new NodeChannel(database, place.number, clock)
  await channel.open()
  const membership = new Membership({ pool, place, clock, log })
  const isAlone = () => membership.others === 0
  const nodeLog = new NodeLog({ pool, channel, node: place.number, isAlone, clock, log })
  await nodeLog.open()
  membership.start()
  const wakeOthers = () => {
    if (membership.others > 0) channel.call()
  }
  return { membership, log: nodeLog, wakeOthers }
}
