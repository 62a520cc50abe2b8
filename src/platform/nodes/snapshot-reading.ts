import type { Pool } from 'pg'
import { KeptConnection } from '../storage/kept-connection.ts'
import { atMsSql, type LogReading, type Reading, type ReadRow, rowSql, serverSql } from './log-reading.ts'

/**
 * Reads by snapshots: a row is found by the first statement whose snapshot sees the transaction that wrote it, which
 * was still open at the reading before, or has begun since. So no row is skipped because one with a higher id was
 * committed earlier, none is read twice, and a transaction that stays open for an hour costs nothing.
 *
 * Snapshots of two lives of a server cannot be compared. A transaction that wrote nothing but a NOTIFY is not flushed,
 * so a server that crashed, and a standby that was promoted, give its number again, to a row that an earlier snapshot
 * takes for seen.
 */
export class SnapshotReading implements LogReading {
  readonly #pool: Pool
  /** Jobs that begin in the same second take all open connections of the pool, and commits are not to wait for them. */
  readonly #kept: KeptConnection
  readonly #node: number
  /** Of the last reading, as PostgreSQL writes it. */
  #snapshot = ''
  #server = ''

  constructor(pool: Pool, node: number) {
    this.#pool = pool
    this.#kept = new KeptConnection(pool)
    this.#node = node
  }

  async open(): Promise<number> {
    const { rows } = await this.#pool.query<Opening>(`SELECT ${standing}`)
    const { snapshot, server, atMs } = rows[0]!
    this.#snapshot = snapshot
    this.#server = server
    return atMs
  }

  async read(most: number): Promise<Reading> {
    const values = [this.#snapshot, this.#node, most]
    const { rows } = await this.#kept.query<Answer>({ name: 'node-log', text: readText, values })
    const { snapshot, server, atMs, found } = rows[0]!
    const keep = () => {
      this.#snapshot = snapshot
    }
    return { rows: found ?? [], isElsewhere: server !== this.#server, atMs, keep }
  }

  close(): void {
    this.#kept.close()
  }
}

type Opening = { readonly snapshot: string; readonly server: string; readonly atMs: number }
type Answer = Opening & { readonly found: ReadRow[] | null }

const standing = `pg_current_snapshot()::text AS snapshot, ${serverSql} AS server, ${atMsSql} AS "atMs"`

/**
 * `$1` is the snapshot of the reading before: it did not see the transactions that it lists as open, nor those numbered
 * from its end on. The snapshot that is answered is the one by which this statement reads.
 */
const readText = `SELECT ${standing}, (
    SELECT json_agg(${rowSql} ORDER BY id)
    FROM (
      SELECT * FROM node_log
      WHERE (xid >= pg_snapshot_xmax($1::pg_snapshot) OR xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))) AND node <> $2
      LIMIT $3) AS unread
  ) AS found`
