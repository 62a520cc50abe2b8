import { setTimeout as pause } from 'node:timers/promises'
import { StartRefusal } from '../start-refusal.ts'
import { advisoryLocks } from '../storage/advisory-locks.ts'
import { nodeConnections } from '../storage/connection.ts'
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
 * as PostgreSQL has noticed the end of its connection, or its lease is over; what it still has under way is ended
 * first. Throws StartRefusal when another program of this name shows that it is alive.
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
  const { rows } = await connection.query<KnownNode>(heldText, [newcomer.name, advisoryLocks.nodeLife])
  const [known] = rows
  if (known && (known.isHeld || (await endConnections(connection, known.number)) > 0)) return { heardAt: known.heardAt }
  const place = await writeNode(connection, newcomer)
  await connection.hold(`SELECT pg_advisory_lock_shared(${advisoryLocks.nodeLife}, ${place.number})`)
  return place
}

type KnownNode = { readonly number: number; readonly heardAt: Date; readonly isHeld: boolean }

/**
 * PostgreSQL carries a statement out to its end although the program that sent it was killed, and a commit may wait for
 * a standby for as long as that is silent. What it commits then is written by this node, which therefore does not read
 * it (platform/nodes/log-reading.ts). So the place is taken when none of the former connections is left. Answers how
 * many there were.
 */
async function endConnections(connection: LifeConnection, number: number): Promise<number> {
  const { rows } = await connection.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
    [nodeConnections(number)],
  )
  return rows.length
}

/** A lock that is held by a program whose heartbeat has stopped is of a machine that has gone without a word. */
const heldText = `SELECT number, heartbeat_at AS "heardAt",
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
