import type { Pool } from 'pg'
import { binaryArrays, type Column, type ColumnType, unnested } from '../../../platform/storage/binary-arrays.ts'
import type { TrafficLate, TrafficMark, TrafficState } from '../../../platform/storage/entities/traffic.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
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
}

export type LateRow = {
  readonly id: number
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

/** The tables of traffic. Every method rejects when the database is unavailable. */
export class TrafficStore {
  readonly #pool: Pick<Pool, 'query'>

  constructor(pool: Pick<Pool, 'query'>) {
    this.#pool = pool
  }

  /** Writes all of it or nothing. Without `scannedFrom` that stays. */
  async write({ series, marks, late, scannedFrom }: Writing): Promise<void> {
    const byTable = Map.groupBy(series, ({ kind, day }) => tableOf(kind, day))
    const parts = [...byTable.keys()].map((table, at) => insertSeries(table, at * width))
    const values = binaryArrays((arrays) => {
      for (const rows of byTable.values()) arrays.columns(rows, Object.values(seriesColumns))
      arrays.columns(marks, Object.values(markColumns))
      arrays.column(late, idColumn)
    })
    const marksFrom = byTable.size * width
    parts.push(
      `INSERT INTO traffic_marks (block, next_id, sessions) SELECT * FROM ${arraysFrom(marksFrom, markColumns)}
        ON CONFLICT (block) DO UPDATE SET next_id = excluded.next_id, sessions = excluded.sessions`,
      `DELETE FROM traffic_late WHERE id = ANY ($${values.length}::int8[])`,
    )
    const all: unknown[] = values
    if (scannedFrom !== null) {
      all.push(scannedFrom)
      parts.push(`UPDATE traffic_state SET scanned_from = $${all.length}::int8`)
    }
    await this.#pool.query(limited(withAll(parts), all))
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
    await this.#pool.query(limited(withAll(parts), values))
  }

  async readState(): Promise<State> {
    const text = 'SELECT scanned_from, open_day, closing_block FROM traffic_state'
    const { rows } = await this.#pool.query<RowOf<typeof TrafficState>>(text)
    const { scanned_from, open_day, closing_block } = rows[0]!
    return { scannedFrom: Number(scanned_from), openDay: open_day, closingBlock: closing_block }
  }

  async openDay(day: number): Promise<void> {
    await this.#pool.query('UPDATE traffic_state SET open_day = $1, closing_block = 0', [day])
  }

  async marksAfter(block: number, count: number): Promise<MarkRow[]> {
    const text = `SELECT block, next_id, sessions FROM traffic_marks WHERE block > $1 ORDER BY block LIMIT $2`
    const { rows } = await this.#pool.query<RowOf<typeof TrafficMark>>(limited(text, [block, count]))
    return rows.map((row) => ({ block: row.block, nextId: Number(row.next_id), sessions: row.sessions }))
  }

  async late(): Promise<LateRow[]> {
    const text = 'SELECT * FROM traffic_late ORDER BY id'
    const { rows } = await this.#pool.query<RowOf<typeof TrafficLate>>(limited(text, []))
    return rows.map((row) => ({
      id: Number(row.id),
      sessionId: Number(row.session_id),
      loginId: Number(row.user_id),
      input: BigInt(row.input),
      output: BigInt(row.output),
      atMs: row.at.getTime(),
    }))
  }

  /** Sessions of logins with this id or a later one. */
  async sessionsFrom(id: number): Promise<SessionOctets[]> {
    return await this.#sessions('s.id >= $1', id)
  }

  async sessionsOf(ids: readonly number[]): Promise<SessionOctets[]> {
    return ids.length === 0 ? [] : await this.#sessions('s.id = ANY ($1::int8[])', ids)
  }

  /** The spans of one day from a block on, of as many blocks as may be held at once; null when there are none. */
  async spansFrom(day: number, block: number): Promise<{ block: number; octets: Uint8Array }[] | null> {
    const table = tableOf('steps', day)
    const text = `SELECT block, octets FROM ${table} WHERE day = $1 AND block >= $2
      AND block < (SELECT min(block) FROM ${table} WHERE day = $1 AND block >= $2) + ${blocksAtOnce}`
    const { rows } = await this.#pool.query<{ block: number; octets: Buffer }>(limited(text, [day, block]))
    return rows.length === 0 ? null : rows
  }

  /** Forgets what is before a day in one table. */
  async forget(table: string, before: number): Promise<void> {
    await this.#pool.query(limited('SELECT tollgate_forget_traffic($1, $2)', [table, before], forgettingMs))
  }

  async #sessions(where: string, value: unknown): Promise<SessionOctets[]> {
    const text = `SELECT s.id, s.user_id, s.input_octets, s.output_octets, extract(epoch FROM s.started_at)::float8 * 1000 AS started,
        extract(epoch FROM coalesce(s.ended_at, s.updated_at))::float8 * 1000 AS told
      FROM radius_sessions s WHERE s.user_id IS NOT NULL AND ${where}`
    const { rows } = await this.#pool.query<Record<'id' | 'user_id' | 'input_octets' | 'output_octets', string> & Told>(
      limited(text, [value]),
    )
    return rows.map((row) => ({
      id: Number(row.id),
      loginId: Number(row.user_id),
      input: BigInt(row.input_octets),
      output: BigInt(row.output_octets),
      startedAtMs: row.started,
      toldAtMs: row.told,
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

export type State = { readonly scannedFrom: number; readonly openDay: number | null; readonly closingBlock: number }

type Told = { readonly started: number; readonly told: number }

/** Four blocks of a busy day are some megabytes. */
const blocksAtOnce = 4
const queryMs = 30_000
/** It looks through a table of some gigabytes. */
const forgettingMs = 120_000

const width = Object.keys(seriesColumns).length

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

/** node-postgres supports `query_timeout` per query, but its types lack it. */
const limited = (text: string, values: unknown[], ms = queryMs): { text: string; values: unknown[] } =>
  ({ text, values, query_timeout: ms }) as { text: string; values: unknown[] }
