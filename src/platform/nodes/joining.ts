import { setTimeout as pause } from 'node:timers/promises'
import { StartRefusal } from '../start-refusal.ts'
import { advisoryLocks } from '../storage/advisory-locks.ts'
import { isAliveSql } from './nodes-table.ts'

/** The place of this program among those that serve one database. */
export type NodePlace = {
  readonly number: number
  readonly name: string
  /** Grows with every start under this name. */
  readonly epoch: number
}

/** The number of a program that has not reached the database since its start. */
export const notJoined = 0

/** Who wants a place. */
export type Newcomer = { readonly name: string; readonly version: string; readonly role: 'full' | 'edge' }

/** The connection that shows that a program is alive: it lasts as long as the program and is opened anew when lost. */
export type LifeConnection = {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>
  /** Runs the statement on this connection and on every one that follows it. */
  hold(text: string): Promise<void>
}

/** Between two looks at a name that is still held. */
const lookMs = 100

/**
 * Takes a name among the nodes, and holds it by the connection. The name of a program that was killed is free as soon
 * as PostgreSQL has noticed the end of its connection, or its lease is over. Throws StartRefusal when another program
 * of this name shows that it is alive.
 */
export async function joinNodes(connection: LifeConnection, node: Newcomer): Promise<NodePlace> {
  let heard: Date | null = null
  for (;;) {
    const tried = await oneAtATime(connection, () => tryToJoin(connection, node))
    if (tried && 'number' in tried) return tried
    if (tried && heard && tried.heardAt > heard) throw refusalOf(node.name)
    heard ??= tried?.heardAt ?? null
    await pause(lookMs)
  }
}

/** Null: another program is joining just now. */
async function oneAtATime<T>(connection: LifeConnection, work: () => Promise<T>): Promise<T | null> {
  const { rows } = await connection.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
    advisoryLocks.nodes,
  ])
  if (!rows[0]!.taken) return null
  try {
    return await work()
  } finally {
    await connection.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.nodes])
  }
}

/** The place, or when the program that still seems to hold the name was heard of last. */
async function tryToJoin(
  connection: LifeConnection,
  newcomer: Newcomer,
): Promise<NodePlace | { readonly heardAt: Date }> {
  const { rows } = await connection.query<{ heardAt: Date; isHeld: boolean }>(heldText, [
    newcomer.name,
    advisoryLocks.nodeLife,
  ])
  const [known] = rows
  if (known?.isHeld) return known
  const place = await writeNode(connection, newcomer)
  await connection.hold(`SELECT pg_advisory_lock_shared(${advisoryLocks.nodeLife}, ${place.number})`)
  return place
}

/** A lock that is held by a program whose heartbeat has stopped is of a machine that has gone without a word. */
const heldText = `SELECT heartbeat_at AS "heardAt",
    ${isAliveSql} AND NOT CASE WHEN pg_try_advisory_lock($2, number) THEN pg_advisory_unlock($2, number) ELSE false END AS "isHeld"
  FROM nodes WHERE name = $1`

const refusalOf = (name: string) =>
  new StartRefusal(
    `A program with the name ${name} serves this database already. Stop it, or set TOLLGATE_NODE to a name that no other program on this database has.`,
  )

async function writeNode(connection: LifeConnection, { name, version, role }: Newcomer): Promise<NodePlace> {
  const { rows } = await connection.query<{ number: number; epoch: number }>(
    `INSERT INTO nodes (name, version, role) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET epoch = nodes.epoch + 1, version = excluded.version, role = excluded.role, started_at = now(),
        heartbeat_at = now(), stopped_at = NULL, is_draining = false, state = '{}'
      RETURNING number, epoch`,
    [name, version, role],
  )
  return { ...rows[0]!, name }
}
