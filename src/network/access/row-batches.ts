import { ahead } from '../../platform/storage/ahead.ts'
import { type CopiedRows, copiedRows } from '../../platform/storage/copied-rows.ts'
import type { Database } from '../../platform/storage/database.ts'
import {
  type AccessRow,
  allRowsSql,
  copiedRow,
  filteredRowsSql,
  firstPlace,
  type RowFilter,
  type RowPlace,
} from './rows.ts'

/** Rows by the ids of what they come from; `*` for any. */
export type Ids = readonly number[] | '*'

/** `isFull`: that many rows that opening their passwords would hold up the main thread. */
export type RowBatch = { readonly rows: Iterable<AccessRow>; readonly isFull: boolean }

const batchRows = 5000
const readTimeoutMs = 60_000

/**
 * The rows that a filter selects, or those of all logins without one. While a batch is used the database reads the
 * next.
 */
export const rowBatches = (database: Database, filter: RowFilter | null, ids: Ids): AsyncGenerator<RowBatch> =>
  ahead(filter === null ? allBatches(database) : filteredBatches(database, filter, ids))

async function* allBatches({ pool }: Database): AsyncGenerator<RowBatch> {
  let place: RowPlace | null = firstPlace
  while (place !== null) {
    const rows: CopiedRows<AccessRow> = await copiedRows(pool, allRowsSql(place, batchRows), copiedRow, readTimeoutMs)
    const isFull = rows.length === batchRows
    yield { rows, isFull }
    place = isFull ? rows.last() : null
  }
}

/** In the order of their ids. A named statement is prepared once per connection. */
async function* filteredBatches({ pool }: Database, filter: RowFilter, ids: Ids): AsyncGenerator<RowBatch> {
  const query = { name: `access-${filter}`, text: filteredRowsSql(filter), query_timeout: readTimeoutMs }
  let rows: AccessRow[] = []
  do {
    const last = rows.at(-1)?.id ?? 0
    rows = (await pool.query<AccessRow>({ ...query, values: [last, batchRows, ids] })).rows
    yield { rows, isFull: rows.length === batchRows }
  } while (rows.length === batchRows)
}
