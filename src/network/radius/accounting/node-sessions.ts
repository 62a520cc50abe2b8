import type { Pool } from 'pg'
import { isAliveSql } from '../../../platform/nodes/nodes-table.ts'
import { thisNodeSql } from '../../../platform/storage/columns.ts'
import { type CopiedFields, type CopiedRows, copiedRows } from '../../../platform/storage/copied-rows.ts'
import { limited } from '../../../platform/storage/sql.ts'
import { lastHeardSql } from './accounting-statement.ts'
import { type SessionRow, sessionOf, sessionSql } from './session-row.ts'
import type { Counters, NewSession } from './live-session.ts'

/** A session as its row is. */
export type ToldSession = {
  readonly session: NewSession
  /** Null: it lives. */
  readonly endedAtMs: number | null
  readonly endReason: string | null
  /** Rows of traffic_late that say how far this node counts it. */
  readonly lateIds: readonly number[]
}

/** For how many milliseconds no node has heard of a session, and since when by the clock of the database. */
export type Silence = { readonly forMs: number; readonly sinceMs: number }

/** What the row of a session counts, and when it was heard of last by the clock of its node. */
export type StoredCounters = Counters & { readonly id: number }

const queryMs = 30_000
/** The time limit of the statement that takes over all sessions; whoever starts beside the first node waits for it. */
const adoptionMs = 600_000
/**
 * A node whose heartbeat is missed may go on hearing its sessions, and keep in its spool what it hears. For so long
 * nobody calls them silent.
 */
const sparedMinutes = 60

/**
 * The sessions of all nodes in the database. Every method rejects when the database is unavailable or too slow.
 */
export class NodeSessions {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * To be called before ids are reserved: this node has marks of its own from now on. The first node of all counts what
   * was heard of before there were nodes, and goes on from the marks of that time.
   */
  async adopt(): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await client.query('BEGIN')
      const text = `SELECT EXISTS (SELECT FROM traffic_marks) OR NOT EXISTS (SELECT FROM traffic_nodes) AS "isFirst"
        FROM (SELECT FROM traffic_state FOR UPDATE) s`
      const { rows } = await client.query<{ isFirst: boolean }>(limited({ text }, adoptionMs))
      if (rows[0]?.isFirst) for (const one of adoption) await client.query(limited({ text: one }, adoptionMs))
      await client.query(`INSERT INTO traffic_nodes (node, scanned_from)
        SELECT ${thisNodeSql}, last_value + 1 FROM radius_sessions_id_seq ON CONFLICT DO NOTHING`)
      await client.query('COMMIT')
    } finally {
      // A transaction that failed is of no use to whoever gets the connection next.
      await client.query('ROLLBACK').catch(() => {})
      client.release()
    }
  }

  async read(ids: readonly number[]): Promise<ToldSession[]> {
    const text = `SELECT ${sessionSql}, extract(epoch FROM s.ended_at)::float8 * 1000 AS ended, s.end_reason,
        (SELECT array_agg(t.id) FROM traffic_late t WHERE t.session_id = s.id AND t.is_end AND t.node = ${thisNodeSql}) AS late
      FROM radius_sessions s LEFT JOIN users u ON u.id = s.user_id WHERE s.id = ANY ($1::int8[])`
    const { rows } = await this.#pool.query<ToldRow>(limited({ text, values: [ids] }, queryMs))
    return rows.map((row) => ({
      session: sessionOf(row),
      endedAtMs: row.ended,
      endReason: row.end_reason,
      lateIds: (row.late ?? []).map(Number),
    }))
  }

  async liveIds(): Promise<number[]> {
    const { rows } = await this.#pool.query<{ id: string }>(
      limited({ text: 'SELECT session_id AS id FROM radius_live_sessions ORDER BY session_id' }, queryMs),
    )
    return rows.map(({ id }) => Number(id))
  }

  /** Which live sessions no node has heard of for so many milliseconds. */
  async silentFor(ms: number): Promise<ReadonlyMap<number, Silence>> {
    const heard = lastHeardSql('s')
    const text = `SELECT s.id, extract(epoch FROM clock_timestamp() - ${heard})::float8 * 1000 AS silent,
        extract(epoch FROM ${heard})::float8 * 1000 AS since
      FROM radius_live_sessions l JOIN radius_sessions s ON s.id = l.session_id LEFT JOIN nodes n ON n.number = s.node
      WHERE s.ended_at IS NULL AND ${heard} < clock_timestamp() - $1 * interval '1 ms'
        AND (n.number IS NULL OR stopped_at IS NOT NULL OR ${isAliveSql}
          OR heartbeat_at < clock_timestamp() - interval '${sparedMinutes} minutes')`
    const { rows } = await this.#pool.query<{ id: string; silent: number; since: number }>(
      limited({ text, values: [ms] }, queryMs),
    )
    return new Map(rows.map(({ id, silent, since }) => [Number(id), { forMs: silent, sinceMs: since }]))
  }

  async countersOf(ids: readonly number[]): Promise<StoredCounters[]> {
    const text = `SELECT ${countersSql} FROM radius_sessions s WHERE s.id = ANY ($1::int8[])`
    const { rows } = await this.#pool.query<CountersRow>(limited({ text, values: [ids] }, queryMs))
    return rows.map((row) => ({
      id: Number(row.id),
      atMs: row.heard,
      sessionTime: Number(row.session_time),
      inputOctets: BigInt(row.input_octets),
      outputOctets: BigInt(row.output_octets),
    }))
  }

  /**
   * Of what other nodes have heard of since, by the clock of the database, page by page: hundreds of thousands of rows
   * as text would take the main thread for most of a second.
   */
  async *countersSince(ms: number, pageRows = countersAtOnce): AsyncGenerator<CopiedRows<StoredCounters>> {
    const text = `SELECT extract(epoch FROM clock_timestamp() - $1 * interval '1 ms')::float8 AS since`
    const { rows } = await this.#pool.query<{ since: number }>(limited({ text, values: [ms] }, queryMs))
    const { since } = rows[0]!
    for (let after: number | null = 0; after !== null; ) {
      const select = `SELECT ${countersSql} FROM radius_live_sessions l JOIN radius_sessions s ON s.id = l.session_id
        WHERE l.session_id > ${after} AND s.node <> ${thisNodeSql} AND s.heard_at > to_timestamp(${since})
        ORDER BY l.session_id LIMIT ${pageRows}`
      const page: CopiedRows<StoredCounters> = await copiedRows(this.#pool, select, copiedCounters, queryMs)
      yield page
      after = page.length < pageRows ? null : page.last()!.id
    }
  }
}

const countersAtOnce = 10_000
const countersSql = `s.id, s.session_time, s.input_octets, s.output_octets, extract(epoch FROM s.updated_at)::float8 * 1000 AS heard`

/** A row of countersSql, its columns in their order. */
const copiedCounters = (fields: CopiedFields): StoredCounters => ({
  id: fields.int()!,
  sessionTime: fields.int()!,
  inputOctets: fields.bigint()!,
  outputOctets: fields.bigint()!,
  atMs: fields.float()!,
})

const adoption = [
  `UPDATE radius_sessions s SET node = ${thisNodeSql}, first_node = ${thisNodeSql}, heard_at = clock_timestamp()
    FROM radius_live_sessions l WHERE l.session_id = s.id AND s.node IS NULL`,
  `UPDATE radius_sessions SET node = ${thisNodeSql}, first_node = ${thisNodeSql} WHERE node IS NULL AND id >= (SELECT scanned_from FROM traffic_state)`,
  `UPDATE traffic_late SET node = ${thisNodeSql} WHERE node IS NULL`,
  `INSERT INTO traffic_nodes (node, scanned_from) SELECT ${thisNodeSql}, scanned_from FROM traffic_state
    ON CONFLICT (node) DO UPDATE SET scanned_from = least(traffic_nodes.scanned_from, excluded.scanned_from)`,
  `WITH moved AS (DELETE FROM traffic_marks RETURNING block, next_id, sessions)
    INSERT INTO traffic_node_marks (node, block, next_id, sessions) SELECT ${thisNodeSql}, m.* FROM moved m
    ON CONFLICT DO NOTHING`,
]

type ToldRow = SessionRow & {
  readonly ended: number | null
  readonly end_reason: string | null
  readonly late: string[] | null
}

type CountersRow = Record<'id' | 'session_time' | 'input_octets' | 'output_octets', string> & { readonly heard: number }
