import { ahead, inTurn } from '../../platform/storage/ahead.ts'
import { type CopiedRows, copiedRows } from '../../platform/storage/copied-rows.ts'
import type { Database } from '../../platform/storage/database.ts'
import { limited, startReadMs } from '../../platform/storage/sql.ts'
import {
  type AccessRow,
  allRowsSql,
  copiedRow,
  filteredRowsSql,
  firstPlace,
  type RowFilter,
  type RowPlace,
} from './rows.ts'

/** The ids by which rows are selected; `*` stands for all. */
export type Ids = readonly number[] | '*'

/** Some rows. `isFull`: they are so many that decrypting their passwords would hold up the main thread. */
export type RowBatch = { readonly rows: Iterable<AccessRow>; readonly isFull: boolean }

const batchRows = 5000

/**
 * The rows that a filter selects; without a filter, those of all logins. While a batch is used the database reads the
 * next one. `isStart`: nobody is served yet, so two connections read one half of all logins each.
 */
export async function* rowBatches(
  database: Database,
  filter: RowFilter | null,
  ids: Ids,
  isStart = false,
): AsyncGenerator<RowBatch> {
  if (filter !== null) return yield* ahead(filteredBatches(database, filter, ids))
  const middle = isStart ? await middleSubscriber(database) : null
  if (middle === null) return yield* ahead(allBatches(database, firstPlace))
  const lower = ahead(allBatches(database, firstPlace, middle))
  const upper = ahead(allBatches(database, { id: 0, abonent_id: middle }))
  yield* inTurn(lower, upper)
}

/**
 * A subscriber in the middle of all logins, by a sample of them; null where there are too few to be worth two
 * connections.
 */
async function middleSubscriber({ pool }: Database): Promise<number | null> {
  const text = `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY abonent_id)::float8 AS middle
    FROM users TABLESAMPLE SYSTEM (1) REPEATABLE (1) HAVING count(*) > ${batchRows / 100}`
  const { rows } = await pool.query<{ middle: number | null }>(limited({ text }, startReadMs))
  return rows[0]?.middle ?? null
}

async function* allBatches({ pool }: Database, from: RowPlace, below: number | null = null): AsyncGenerator<RowBatch> {
  for (let place: RowPlace | null = from; place !== null; ) {
    const text = allRowsSql(place, batchRows, below)
    const rows: CopiedRows<AccessRow> = await copiedRows(pool, text, copiedRow, startReadMs)
    const isFull = rows.length === batchRows
    yield { rows, isFull }
    place = isFull ? rows.last() : null
  }
}

/** The rows that a filter selects, in the order of their ids. A named statement is prepared once per connection. */
async function* filteredBatches({ pool }: Database, filter: RowFilter, ids: Ids): AsyncGenerator<RowBatch> {
  const query = limited({ name: `access-${filter}`, text: filteredRowsSql(filter) }, startReadMs)
  let rows: AccessRow[] = []
  do {
    const last = rows.at(-1)?.id ?? 0
    rows = (await pool.query<AccessRow>({ ...query, values: [last, batchRows, ids] })).rows
    yield { rows, isFull: rows.length === batchRows }
  } while (rows.length === batchRows)
}
