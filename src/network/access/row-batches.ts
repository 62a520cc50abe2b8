import { ahead } from '../../platform/storage/ahead.ts'
import { copiedRows } from '../../platform/storage/copied-rows.ts'
import type { Database } from '../../platform/storage/database.ts'
import { SecretOpener } from '../../platform/secrets/opener.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { type AccessRow, allRowsSql, copiedRow, filteredRowsSql, type RowFilter } from './rows.ts'

/** Rows by the ids of what they come from; `*` for any. */
export type Ids = readonly number[] | '*'

type RowSource = { readonly database: Database; readonly secrets: Secrets }

const batchRows = 5000
const readTimeoutMs = 60_000

/**
 * Rows in the order of their ids; of all logins without a filter. While a batch is used the database reads the next
 * one, and of all logins the passwords between them are opened.
 */
export async function* rowBatches(
  source: RowSource,
  filter: RowFilter | null,
  ids: Ids,
): AsyncGenerator<readonly AccessRow[]> {
  const batches = ahead(batchesOf(source.database, filter, ids))
  yield* filter === null ? ahead(withPasswords(batches, source.secrets)) : batches
}

async function* batchesOf({ pool }: Database, filter: RowFilter | null, ids: Ids): AsyncGenerator<AccessRow[]> {
  let rows: AccessRow[] = []
  do {
    const last = rows.at(-1)?.id ?? 0
    if (filter === null) rows = await copiedRows(pool, allRowsSql(last, batchRows), copiedRow, readTimeoutMs)
    else {
      // A named statement is prepared once per connection.
      const query = { name: `access-${filter}`, text: filteredRowsSql(filter), query_timeout: readTimeoutMs }
      rows = (await pool.query<AccessRow>({ ...query, values: [last, batchRows, ids] })).rows
    }
    yield rows
  } while (rows.length === batchRows)
}

/** Few passwords are opened where their rows are applied, without a thread. */
async function* withPasswords(batches: AsyncIterable<AccessRow[]>, secrets: Secrets): AsyncGenerator<AccessRow[]> {
  const opener = new SecretOpener(secrets)
  try {
    for await (const rows of batches) {
      if (rows.length === batchRows) {
        const opened = await opener.open(rows.map(({ password }) => password))
        for (const [index, row] of rows.entries()) row.opened = opened[index]!
      }
      yield rows
    }
  } finally {
    await opener.close()
  }
}
