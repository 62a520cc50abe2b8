import type { Client } from 'pg'
import { withConnection } from './connection.ts'

/** Locks between programs on one database, by number; every number is given out here. */
export const advisoryLocks = {
  migrations: 7_000_001,
  /** Held while keys are compared with the database, and while they are rotated. */
  secretKeys: 7_000_002,
  /** With the key's id as second number: shared by the programs that seal with this key. */
  secretKeyUse: 7_000_003,
  /** Held while a node takes its name. */
  nodes: 7_000_004,
  /** With the number of a node as second number: shared by its connections for as long as it lives. */
  nodeLife: 7_000_005,
  /** Who is the first of a line of deliveries of webhooks is decided by one transaction at a time. */
  webhookLanes: 7_000_006,
  /** With a payment as second number: held while it is given back. */
  refunds: 7_000_007,
  /** Held while cash is taken below its limits. */
  cash: 7_000_008,
  /** Held while a node takes blocks of pool addresses. */
  poolBlocks: 7_000_009,
  /** Held while an operation gets a parent, so that two together cannot make a circle. */
  operationParents: 7_000_010,
} as const

/**
 * Runs `work` while no other program holds this lock; waits for it. The lock goes with its connection, so a crash frees
 * it. `work` may ask on that connection.
 */
export const withAdvisoryLock = <T>(
  url: string,
  lock: keyof typeof advisoryLocks,
  work: (client: Client) => Promise<T>,
): Promise<T> =>
  withConnection(url, async (client) => {
    await holdLock(client, lock)
    return await work(client)
  })

/** Waits until no other program holds the lock; the connection holds it until its end. */
export const holdLock = async (client: Client, lock: keyof typeof advisoryLocks): Promise<void> => {
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks[lock]])
}
