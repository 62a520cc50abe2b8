import type { Pool } from 'pg'
import type { Clock } from '../actors/clock.ts'
import { atMsSql, type LogReading, type Reading, type ReadRow, rowSql, serverSql } from './log-reading.ts'

export type StandbyReadingParts = {
  readonly pool: Pool
  /** The number of this node; 0 while it has none. */
  readonly node: () => number
  readonly clock: Clock
}

/** An id that was passed over, because it belongs to a transaction that is open or has failed. */
type Hole = {
  readonly sinceMs: number
  readonly xmax: bigint
  /** When all transactions before this one have ended, so has that of the hole; null: not known yet. */
  end: bigint | null
}

/**
 * Before the end of a hole is looked for: by then its transaction has long had a number, and others that began later
 * have ended.
 */
const settledMs = 60_000
/** A row that came late is deleted soon, as it is older than the others. */
const lateKeptMs = 20 * 60_000
/** A jump of the numbers is not holes: a server that crashed or was promoted leaves out 32. */
const holesMax = 10_000

/**
 * Reads by the ids of rows, for a standby: the snapshot there does not list which transactions are open. A row is found
 * when its id is above all that were seen, or is a hole among them: an id that was given to a transaction which had not
 * committed. One whose id is below all that there were at the beginning was committed since, too. So every row that
 * becomes visible is read, in whatever order, by the index of the primary key. A hole is given up when its transaction
 * must have ended without a row.
 */
export class StandbyReading implements LogReading {
  readonly #parts: StandbyReadingParts
  /** The ids of the beginning lie from here on; 0: there were none. */
  #first = 0
  #last = 0
  #holes = new Map<number, Hole>()
  /** Rows from below the beginning, and when they were read. */
  #late = new Map<number, number>()
  #server = ''
  /** Whether the server replays another one; null: it has not answered yet. */
  isStandby: boolean | null = null
  /** How old the newest heartbeat is that it has; null: there are no nodes. */
  behindMs: number | null = null

  constructor(parts: StandbyReadingParts) {
    this.#parts = parts
  }

  async open(): Promise<number> {
    const { pool, clock } = this.#parts
    const { rows } = await pool.query<Opening>(openText)
    const { first, last, missing, server, snapshot, atMs } = rows[0]!
    this.#first = first
    this.#last = last
    this.#server = server
    this.#late.clear()
    const hole = { sinceMs: clock.elapsedMs(), xmax: endsOf(snapshot).xmax }
    this.#holes = new Map(missing.map((id) => [id, { ...hole, end: null }]))
    return atMs
  }

  async read(most: number): Promise<Reading> {
    const { pool, node } = this.#parts
    const values = [this.#last, [...this.#holes.keys()], this.#first, [...this.#late.keys()], most]
    const { rows } = await pool.query<Answer>({ name: 'node-log-standby', text: readText, values })
    const { found, server, isStandby, behindMs, snapshot, atMs } = rows[0]!
    this.isStandby = isStandby
    this.behindMs = behindMs
    const all = found ?? []
    return {
      rows: all.filter((row) => row.node !== node()),
      isElsewhere: server !== this.#server || this.#isJump(all),
      atMs,
      keep: () =>
        this.#keep(
          all.map(({ id }) => id),
          snapshot,
        ),
    }
  }

  close(): void {}

  #isJump(rows: readonly { readonly id: number }[]): boolean {
    const last = rows.at(-1)?.id ?? 0
    return this.#last > 0 && last - this.#last - rows.length > holesMax
  }

  #keep(ids: readonly number[], snapshot: string): void {
    const nowMs = this.#parts.clock.elapsedMs()
    const { xmin, xmax } = endsOf(snapshot)
    if (this.#first === 0) this.#first = ids[0] ?? 0
    for (const id of ids) {
      if (id < this.#first) this.#late.set(id, nowMs)
      else if (id <= this.#last) this.#holes.delete(id)
      else {
        for (let hole = Math.max(this.#last + 1, this.#first); hole < id; hole++)
          this.#holes.set(hole, { sinceMs: nowMs, xmax, end: null })
        this.#last = id
      }
    }
    for (const [id, hole] of this.#holes) {
      if (hole.end === null && nowMs - hole.sinceMs > settledMs && xmax > hole.xmax) hole.end = xmax
      if (hole.end !== null && xmin >= hole.end) this.#holes.delete(id)
    }
    for (const [id, readMs] of this.#late) if (nowMs - readMs > lateKeptMs) this.#late.delete(id)
  }
}

/** Every transaction before `xmin` has ended, and none from `xmax` on has. */
function endsOf(snapshot: string): { xmin: bigint; xmax: bigint } {
  const [xmin, xmax] = snapshot.split(':')
  return { xmin: BigInt(xmin!), xmax: BigInt(xmax!) }
}

type Standing = { readonly server: string; readonly snapshot: string; readonly atMs: number }
type Opening = Standing & { readonly first: number; readonly last: number; readonly missing: number[] }
type Answer = Standing & {
  readonly isStandby: boolean
  readonly behindMs: number | null
  readonly found: (ReadRow & { readonly id: number; readonly node: number })[] | null
}

const standing = `pg_current_snapshot()::text AS snapshot, ${atMsSql} AS "atMs", ${serverSql} AS server`

const openText = `SELECT ${standing}, first::float8, last::float8,
    ARRAY(SELECT id::float8 FROM generate_series(first, last) AS id
      WHERE id > 0 AND id NOT IN (SELECT id FROM node_log)) AS missing
  FROM (SELECT coalesce(min(id), 0) AS first, coalesce(max(id), 0) AS last FROM node_log) AS ids`

const readText = `SELECT ${standing}, pg_is_in_recovery() AS "isStandby",
  (SELECT extract(epoch FROM clock_timestamp() - max(heartbeat_at)) * 1000 FROM nodes)::float8 AS "behindMs", (
    SELECT json_agg(${rowSql} ORDER BY id)
    FROM (
      SELECT * FROM node_log
      WHERE id > $1 OR id = ANY($2::int8[]) OR (id < $3 AND id <> ALL($4::int8[]))
      ORDER BY id LIMIT $5) AS unread
  ) AS found`
