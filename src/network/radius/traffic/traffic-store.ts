import type { Pool } from 'pg'
import { binaryArrays, type Column, type ColumnType, unnested } from '../../../platform/storage/binary-arrays.ts'
import { thisNodeSql } from '../../../platform/storage/columns.ts'
import type { TrafficLate, TrafficMark, TrafficState } from '../../../platform/storage/entities/traffic.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { limited } from '../../../platform/storage/sql.ts'
import { type Kind, tableOf } from './tables.ts'

/** What one writing tells of a block and a day. */
export type SeriesRow = {
  readonly kind: Kind
  readonly block: number
  readonly day: number
  readonly part: number
  readonly octets: Uint8Array
}

export type MarkRow = { readonly block: number; readonly nextId: number; readonly sessions: Uint8Array }

/** A session as its row is. Moments are milliseconds since 1970. */
export type SessionOctets = {
  readonly id: number
  readonly loginId: number
  readonly input: bigint
  readonly output: bigint
  readonly startedAtMs: number
  readonly toldAtMs: number
  /** This node counts it; always so where there is only one program. */
  readonly isOurs: boolean
}

/** How far a session had been counted when that began to change; see the entity. */
export type LateRow = {
  readonly id: number
  /** Another node counts from here on. */
  readonly isEnd: boolean
  /** Another node has counted what was before. */
  readonly isTaken: boolean
  /** The session began at this node, so its id compares with that of the marks. */
  readonly isBegunHere: boolean
  readonly sessionId: number
  readonly loginId: number
  readonly input: bigint
  readonly output: bigint
  readonly atMs: number
}

type Columns<Row> = Readonly<Record<string, Column<Row>>>

const seriesColumns = {
  block: { type: 'int4', of: ({ block }) => block },
  day: { type: 'int4', of: ({ day }) => day },
  part: { type: 'int8', of: ({ part }) => part },
  octets: { type: 'bytea', of: ({ octets }) => octets },
} as const satisfies Columns<SeriesRow>

const markColumns = {
  block: { type: 'int4', of: ({ block }) => block },
  next_id: { type: 'int8', of: ({ nextId }) => nextId },
  sessions: { type: 'bytea', of: ({ sessions }) => sessions },
} as const satisfies Columns<MarkRow>

const idColumn: Column<number> = { type: 'int8', of: (id) => id }

/**
 * The tables of traffic; where there are several nodes, the marks of this one. Every method rejects when the database
 * is unavailable.
 */
export class TrafficStore {
  readonly #pool: Pick<Pool, 'query'>
  readonly #isNode: boolean

  constructor(pool: Pick<Pool, 'query'>, { isNode = false }: { isNode?: boolean } = {}) {
    this.#pool = pool
    this.#isNode = isNode
  }

  /**
   * Writes all of it or nothing, and nothing when another node closes one of the days. Without `scannedFrom` that
   * stays.
   */
  async write({ series, marks, late, scannedFrom }: Writing): Promise<void> {
    const byTable = Map.groupBy(series, ({ kind, day }) => tableOf(kind, day))
    const parts = [...byTable.keys()].map((table, at) => insertSeries(table, at * width))
    const values = binaryArrays((arrays) => {
      for (const rows of byTable.values()) arrays.columns(rows, Object.values(seriesColumns))
      arrays.columns(marks, Object.values(markColumns))
      arrays.column(late, idColumn)
    })
    const marksFrom = byTable.size * width
    const all: unknown[] = values
    parts.push(
      this.#isNode ? ofNode.marks(marksFrom, firstDay(series), all) : insertMarks(marksFrom),
      `DELETE FROM traffic_late WHERE id = ANY ($${marksFrom + markWidth + 1}::int8[])`,
    )
    if (scannedFrom !== null) {
      all.push(scannedFrom)
      parts.push(
        this.#isNode ? ofNode.scanned(all.length) : `UPDATE traffic_state SET scanned_from = $${all.length}::int8`,
      )
    }
    await this.#pool.query(limited({ text: withAll(parts), values: all }, queryMs))
  }

  /** Writes hours and days of blocks before `closingBlock`, which are no longer in steps by that. */
  async writeClosed(series: readonly SeriesRow[], closingBlock: number): Promise<void> {
    const byTable = Map.groupBy(series, ({ kind, day }) => tableOf(kind, day))
    const parts = [...byTable.keys()].map((table, at) => insertSeries(table, at * width))
    const values: unknown[] = binaryArrays((arrays) => {
      for (const rows of byTable.values()) arrays.columns(rows, Object.values(seriesColumns))
    })
    values.push(closingBlock)
    parts.push(`UPDATE traffic_state SET closing_block = $${values.length}::int4`)
    await this.#pool.query(limited({ text: withAll(parts), values }, queryMs))
  }

  async readState(): Promise<State> {
    const scanned = this.#isNode ? ofNode.scannedFrom : 'scanned_from'
    const text = `SELECT ${scanned}, open_day, closing_block, writable_from FROM traffic_state`
    const { rows } = await this.#pool.query<RowOf<typeof TrafficState>>(text)
    const { scanned_from, open_day, closing_block, writable_from } = rows[0]!
    return {
      scannedFrom: Number(scanned_from),
      openDay: open_day,
      closingBlock: closing_block,
      writableFrom: writable_from ?? 0,
    }
  }

  /** No node writes steps of days before this one any more. */
  async writeFrom(day: number): Promise<void> {
    await this.#pool.query('UPDATE traffic_state SET writable_from = greatest(writable_from, $1::int4)', [day])
  }

  async openDay(day: number): Promise<void> {
    await this.#pool.query('UPDATE traffic_state SET open_day = $1, closing_block = 0', [day])
  }

  async marksAfter(block: number, count: number): Promise<MarkRow[]> {
    const from = this.#isNode ? ofNode.marked : 'traffic_marks WHERE'
    const text = `SELECT block, next_id, sessions FROM ${from} block > $1 ORDER BY block LIMIT $2`
    const { rows } = await this.#pool.query<RowOf<typeof TrafficMark>>(
      limited({ text, values: [block, count] }, queryMs),
    )
    return rows.map((row) => ({ block: row.block, nextId: Number(row.next_id), sessions: row.sessions }))
  }

  /** The marks of all nodes; null: there are no nodes. */
  async nodeMarks(): Promise<MarkRow[] | null> {
    const { rows: nodes } = await this.#pool.query('SELECT FROM traffic_nodes LIMIT 1')
    if (nodes.length === 0) return null
    const { rows } = await this.#pool.query<RowOf<typeof TrafficMark>>('SELECT * FROM traffic_node_marks')
    return rows.map((row) => ({ block: row.block, nextId: Number(row.next_id), sessions: row.sessions }))
  }

  /** These are the marks from now on, and there are no nodes. */
  async replaceNodes(marks: readonly MarkRow[]): Promise<void> {
    const values = binaryArrays((arrays) => arrays.columns(marks, Object.values(markColumns)))
    const parts = [
      insertMarks(0),
      'DELETE FROM traffic_node_marks',
      `UPDATE traffic_state SET scanned_from = (SELECT min(n.scanned_from) FROM traffic_nodes n)`,
      'DELETE FROM traffic_late WHERE is_end',
      'UPDATE traffic_late SET node = NULL, is_taken = false WHERE NOT is_end',
      'UPDATE radius_sessions s SET node = NULL FROM radius_live_sessions l WHERE l.session_id = s.id AND s.node IS NOT NULL',
      'DELETE FROM traffic_nodes',
    ]
    await this.#pool.query(limited({ text: withAll(parts), values }, queryMs))
  }

  async late(): Promise<LateRow[]> {
    const text = this.#isNode ? ofNode.late : 'SELECT *, true AS is_begun_here FROM traffic_late ORDER BY id'
    const { rows } = await this.#pool.query<RowOf<typeof TrafficLate> & { is_begun_here: boolean }>(
      limited({ text }, queryMs),
    )
    return rows.map((row) => ({
      id: Number(row.id),
      isEnd: row.is_end,
      isTaken: row.is_taken,
      isBegunHere: row.is_begun_here,
      sessionId: Number(row.session_id),
      loginId: Number(row.user_id),
      input: BigInt(row.input),
      output: BigInt(row.output),
      atMs: row.at.getTime(),
    }))
  }

  /** Sessions of logins with this id or a later one; those that began at this node. */
  async sessionsFrom(id: number): Promise<SessionOctets[]> {
    return await this.#sessions(
      this.#isNode ? `s.id >= $1 AND ${ofNode.isOurs} AND ${ofNode.isBegunHere}` : 's.id >= $1',
      id,
    )
  }

  async sessionsOf(ids: readonly number[]): Promise<SessionOctets[]> {
    return ids.length === 0 ? [] : await this.#sessions('s.id = ANY ($1::int8[])', ids)
  }

  /** The spans of one day from a block on, of as many blocks as may be held at once; null when there are none. */
  async spansFrom(day: number, block: number): Promise<{ block: number; octets: Uint8Array }[] | null> {
    const table = tableOf('steps', day)
    const text = `SELECT block, octets FROM ${table} WHERE day = $1 AND block >= $2
      AND block < (SELECT min(block) FROM ${table} WHERE day = $1 AND block >= $2) + ${blocksAtOnce}`
    const { rows } = await this.#pool.query<{ block: number; octets: Buffer }>(
      limited({ text, values: [day, block] }, queryMs),
    )
    return rows.length === 0 ? null : rows
  }

  /** Forgets what is before a day in one table. */
  async forget(table: string, before: number): Promise<void> {
    await this.#pool.query(
      limited({ text: 'SELECT tollgate_forget_traffic($1, $2)', values: [table, before] }, forgettingMs),
    )
  }

  async #sessions(where: string, value: unknown): Promise<SessionOctets[]> {
    const text = `SELECT s.id, s.user_id, s.input_octets, s.output_octets, extract(epoch FROM s.started_at)::float8 * 1000 AS started,
        extract(epoch FROM coalesce(s.ended_at, s.updated_at))::float8 * 1000 AS told,
        ${this.#isNode ? ofNode.isOurs : 'true'} AS ours
      FROM radius_sessions s WHERE s.user_id IS NOT NULL AND ${where}`
    const { rows } = await this.#pool.query<Record<'id' | 'user_id' | 'input_octets' | 'output_octets', string> & Told>(
      limited({ text, values: [value] }, queryMs),
    )
    return rows.map((row) => ({
      id: Number(row.id),
      loginId: Number(row.user_id),
      input: BigInt(row.input_octets),
      output: BigInt(row.output_octets),
      startedAtMs: row.started,
      toldAtMs: row.told,
      isOurs: row.ours,
    }))
  }
}

export type Writing = {
  readonly series: readonly SeriesRow[]
  readonly marks: readonly MarkRow[]
  /** Ids of rows of traffic_late. */
  readonly late: readonly number[]
  readonly scannedFrom: number | null
}

export type State = {
  readonly scannedFrom: number
  readonly openDay: number | null
  readonly closingBlock: number
  /** Days before this one are closed, or about to be. */
  readonly writableFrom: number
}

type Told = { readonly started: number; readonly told: number; readonly ours: boolean }

/** Four blocks of a busy day are some megabytes. */
const blocksAtOnce = 4
const queryMs = 30_000
/** It looks through a table of some gigabytes. */
const forgettingMs = 120_000

const width = Object.keys(seriesColumns).length

const markWidth = Object.keys(markColumns).length

const insertMarks = (before: number): string =>
  `INSERT INTO traffic_marks (block, next_id, sessions) SELECT * FROM ${arraysFrom(before, markColumns)}
    ON CONFLICT (block) DO UPDATE SET next_id = excluded.next_id, sessions = excluded.sessions`

/** The same where there are several nodes. */
const ofNode = {
  /** The division fails while another node closes the first of the days, and with it the whole statement. */
  marks(before: number, firstDay: number, values: unknown[]): string {
    values.push(firstDay)
    return `INSERT INTO traffic_node_marks (node, block, next_id, sessions) SELECT ${thisNodeSql}, m.*
      FROM ${arraysFrom(before, markColumns)} AS m,
        (SELECT 1 / (coalesce(writable_from, 0) <= $${values.length}::int4)::int4 AS is_open FROM traffic_state FOR SHARE) AS s
      WHERE s.is_open = 1
      ON CONFLICT (node, block) DO UPDATE SET next_id = excluded.next_id, sessions = excluded.sessions`
  },
  scanned: (parameter: number): string =>
    `INSERT INTO traffic_nodes (node, scanned_from) VALUES (${thisNodeSql}, $${parameter}::int8)
      ON CONFLICT (node) DO UPDATE SET scanned_from = excluded.scanned_from`,
  scannedFrom: `coalesce((SELECT n.scanned_from FROM traffic_nodes n WHERE n.node = ${thisNodeSql}), 0) AS scanned_from`,
  marked: `traffic_node_marks WHERE node = ${thisNodeSql} AND`,
  late: `SELECT t.*, coalesce(s.first_node = t.node, false) AS is_begun_here
    FROM traffic_late t LEFT JOIN radius_sessions s ON s.id = t.session_id WHERE t.node = ${thisNodeSql} ORDER BY t.id`,
  isOurs: `s.node IS NOT DISTINCT FROM ${thisNodeSql}`,
  isBegunHere: `s.first_node = ${thisNodeSql}`,
}

const firstDay = (series: readonly SeriesRow[]): number =>
  series.reduce((first, { day }) => Math.min(first, day), intMax)
const intMax = 2 ** 31 - 1

const insertSeries = (table: string, before: number): string =>
  `INSERT INTO ${table} (block, day, part, octets) SELECT * FROM ${arraysFrom(before, seriesColumns)}`

/** The arrays after the first `before` parameters, as rows. */
const arraysFrom = (before: number, columns: Readonly<Record<string, { readonly type: ColumnType }>>): string =>
  unnested(columns).replace(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`)

/** Several statements as one, which is committed or not. */
const withAll = (parts: readonly string[]): string =>
  `WITH ${parts
    .slice(0, -1)
    .map((part, at) => `part_${at} AS (${part})`)
    .join(',\n')}\n${parts.at(-1)}`.replace(/^WITH \n/, '')
