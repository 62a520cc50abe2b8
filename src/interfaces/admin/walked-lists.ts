import type { PoolClient } from 'pg'
import { readMoment } from '../../domain/iso-dates.ts'
import { type Place, cursorOf } from './cursors.ts'
import type { ListFilters } from './list-filters.ts'

/** A long list in the order of an index, the latest first or the earliest. */
export type WalkedList = {
  /** The table whose index is walked, and its alias. */
  readonly table: string
  readonly row: string
  /** The columns of the order: a moment, and an id, which decides between equal ones. */
  readonly order: readonly [moment: string, id: string]
  readonly descending: boolean
  /** The filters that the index serves, and those that are looked at row by row; null for none of these. */
  readonly indexed: string
  /** How many of the values are of `indexed`; they come first. */
  readonly indexedValues: number
  readonly others: string | null
  /** What `others` and `items` need besides the row. */
  readonly joins: string
  /** The expressions of an item, by what they are called. */
  readonly items: string
  readonly limit: number
}

/** So many rows are looked through for one page. */
const walkedRows = 5_000

type Row = Record<string, unknown> & { readonly place_at: string; readonly place_id: string }
type Batch = { readonly rows: readonly Record<string, unknown>[]; readonly next_cursor: string | null }

/**
 * One page. Where few rows fit what no index serves, the walk ends before the page is full: the page is short then,
 * even empty, and its `next_cursor` is where the walk goes on.
 */
export async function walkList(client: PoolClient, list: WalkedList, values: readonly unknown[]): Promise<Batch> {
  const { table, row, order, descending, indexed, indexedValues, others, joins, items, limit } = list
  const [moment, id] = order.map((column) => `${row}.${column}`) as [string, string]
  const direction = descending ? 'DESC' : 'ASC'
  const sorted = `ORDER BY ${moment} ${direction}, ${id} ${direction}`
  const walk = (columns: string) => `SELECT ${columns} FROM ${table} AS ${row} WHERE ${indexed} ${sorted}`
  const place = `${placeSql(moment)} AS place_at, ${id} AS place_id`
  const source = others === null ? `${table} AS ${row}` : `(${walk(`${row}.*`)} LIMIT ${walkedRows}) AS ${row}`
  const { rows } = await client.query<Row>(
    `SELECT ${items}, ${place} FROM ${source} ${joins} WHERE ${others ?? indexed} ${sorted} LIMIT ${limit + 1}`,
    [...values],
  )
  const shown = rows.slice(0, limit)
  const at = rows.length > limit ? shown.at(-1) : others === null ? undefined : await lastWalked()
  return { rows: shown, next_cursor: at ? cursorOf(placeOf(at)) : null }

  async function lastWalked(): Promise<Row | undefined> {
    const found = await client.query<Row>(
      `${walk(place)} LIMIT 1 OFFSET ${walkedRows - 1}`,
      values.slice(0, indexedValues),
    )
    return found.rows[0]
  }
}

/** The condition for what comes after the page before. */
export function whereAfter(
  filters: ListFilters,
  { row, order: [moment, id], descending }: Pick<WalkedList, 'row' | 'order' | 'descending'>,
  { value, id: lastId }: Place,
): void {
  // A cursor of another list or order may hold any text.
  const at = readMoment(value) ?? 'infinity'
  const last = `${filters.add(at, 'timestamptz')}, ${filters.add(lastId, 'int8')}`
  filters.where(`(${row}.${moment}, ${row}.${id}) ${descending ? '<' : '>'} (${last})`)
}

const placeOf = ({ place_at, place_id }: Row): Place => ({ value: place_at, id: Number(place_id) })

/** To the microsecond, which a Date would lose. */
const placeSql = (moment: string): string => `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
