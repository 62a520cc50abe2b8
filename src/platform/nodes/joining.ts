import { setTimeout as pause } from 'node:timers/promises'
import { StartRefusal } from '../start-refusal.ts'
import { advisoryLocks } from '../storage/advisory-locks.ts'
import { nodeConnections } from '../storage/connection.ts'
import { isAliveSql } from './nodes-table.ts'

/** The place of this program among those that serve one database. */
export type NodePlace = Newcomer & {
  readonly number: number
  /** Grows with every start under this name. */
  readonly epoch: number
  /**
   * Seconds since 1970, to the microsecond. A server that has lost a start gives its epoch out again, and no two starts
   * are of one microsecond.
   */
  readonly startedAt: string
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

async function writeNode(connection: LifeConnection, newcomer: Newcomer): Promise<NodePlace> {
  const { name, version, role } = newcomer
  const { rows } = await connection.query<{ number: number; epoch: number; startedAt: string }>(
    `INSERT INTO nodes (name, version, role) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET epoch = nodes.epoch + 1, version = excluded.version, role = excluded.role, started_at = now(),
        heartbeat_at = now(), stopped_at = NULL, is_draining = false, state = '{}'
      RETURNING number, epoch, ${startedAtSql}::text AS "startedAt"`,
    [name, version, role],
  )
  return { ...newcomer, ...rows[0]! }
}

/** SQL: NodePlace.startedAt of a row of nodes. */
export const startedAtSql = 'extract(epoch FROM nodes.started_at)'

/** `held`: by this program. `lost`: it may be regained later. `taken`: another program has it. */
export type Standing = 'held' | 'lost' | 'taken'

/**
 * For a program whose start the database does not know; `next` is its place from now on, with an epoch that nobody had.
 * An older start under its name and number is what a server has that lost the last commits. Then it takes the place
 * again, unless somebody shows by heartbeats that he has it. A newer start is that of another program, and so is one of
 * the same epoch. What was carried out without an answer is found to be held by the next try.
 */
export async function regainPlace(
  pool: Pick<LifeConnection, 'query'>,
  { number, name, epoch }: NodePlace,
  next: NodePlace,
): Promise<Standing> {
  const values = [number, name, next.version, next.role, epoch, next.startedAt, advisoryLocks.nodes]
  const { rows } = await pool.query<{ isHeld: boolean }>(regainText, values)
  if (rows[0]!.isHeld) return 'held'
  const { rows: others } = await pool.query<{ isOlder: boolean }>(
    'SELECT number = $1 AND name = $2 AND epoch < $3 AS "isOlder" FROM nodes WHERE number = $1 OR name = $2',
    [number, name, epoch],
  )
  return others.every(({ isOlder }) => isOlder) ? 'lost' : 'taken'
}

/**
 * Not while another program takes a name. Where the row is lost, the server may have forgotten that it has given the
 * number out, and gives out those up to it in vain.
 */
const regainText = `WITH RECURSIVE turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($7) AS is_ours),
  known AS (UPDATE nodes SET epoch = $5 + 1, version = $3, role = $4, started_at = to_timestamp($6::float8),
      heartbeat_at = clock_timestamp(), stopped_at = NULL
    FROM turn WHERE is_ours AND number = $1 AND name = $2
      AND (epoch < $5 AND NOT ${isAliveSql} OR epoch = $5 + 1 AND ${startedAtSql} = $6::numeric)
    RETURNING number),
  forgotten AS (INSERT INTO nodes (number, name, version, role, epoch, started_at)
    SELECT $1, $2, $3, $4, $5 + 1, to_timestamp($6::float8) FROM turn
      WHERE is_ours AND NOT EXISTS (SELECT FROM nodes WHERE number = $1 OR name = $2)
    RETURNING number),
  skipped AS (SELECT nextval(pg_get_serial_sequence('nodes', 'number')) AS given FROM forgotten
    UNION ALL SELECT nextval(pg_get_serial_sequence('nodes', 'number')) FROM skipped WHERE given < $1)
  SELECT EXISTS (SELECT FROM known) OR (SELECT count(*) FROM skipped) > 0 AS "isHeld"`
