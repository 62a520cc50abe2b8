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

/** The connection that shows that a program is alive: it lasts as long as the program and is opened anew when lost. */
export type LifeConnection = {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>
  /** Runs the statement on this connection and on every one that follows it. */
  hold(text: string): Promise<void>
}

/**
 * Takes a name among the nodes, and holds it by the connection. The name of a program that was killed is free as soon
 * as PostgreSQL has noticed the end of its connection. Throws StartRefusal while another program of this name is alive.
 */
export async function joinNodes(
  connection: LifeConnection,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<NodePlace> {
  await connection.query('SELECT pg_advisory_lock($1)', [advisoryLocks.nodes])
  try {
    const known = await findNode(connection, name)
    if (known) await refuseWhileAlive(connection, known, name)
    const place = await writeNode(connection, name, version)
    await connection.hold(`SELECT pg_advisory_lock_shared(${advisoryLocks.nodeLife}, ${place.number})`)
    return place
  } finally {
    await connection.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.nodes])
  }
}

type KnownNode = { readonly number: number; readonly is_alive: boolean }

async function findNode(connection: LifeConnection, name: string): Promise<KnownNode | null> {
  const { rows } = await connection.query<KnownNode>(
    `SELECT number, ${isAliveSql} AS is_alive FROM nodes WHERE name = $1`,
    [name],
  )
  return rows[0] ?? null
}

/** A lock that is held by a program whose heartbeat has stopped is of a machine that has gone without a word. */
async function refuseWhileAlive(connection: LifeConnection, { number, is_alive }: KnownNode, name: string) {
  if (!is_alive) return
  const { rows } = await connection.query<{ is_free: boolean }>(
    `SELECT CASE WHEN pg_try_advisory_lock($1, $2) THEN pg_advisory_unlock($1, $2) ELSE false END AS is_free`,
    [advisoryLocks.nodeLife, number],
  )
  if (rows[0]!.is_free) return
  throw new StartRefusal(
    `A program with the name ${name} serves this database already. Stop it, or set TOLLGATE_NODE to a name that no other program on this database has.`,
  )
}

async function writeNode(connection: LifeConnection, name: string, version: string): Promise<NodePlace> {
  const { rows } = await connection.query<{ number: number; epoch: number }>(
    `INSERT INTO nodes (name, version) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET epoch = nodes.epoch + 1, version = excluded.version, started_at = now(),
        heartbeat_at = now(), stopped_at = NULL, is_draining = false, state = '{}'
      RETURNING number, epoch`,
    [name, version],
  )
  return { ...rows[0]!, name }
}
