import type { PoolClient } from 'pg'
import type { OperationFilters } from './filters.ts'
import { isOfFewClients } from './totals.ts'
import { limited } from '../../../platform/storage/sql.ts'

/**
 * So many operations are looked through in the order of the list before a search reads all of them: fewer where the
 * client of each has to be looked up.
 */
const walkedRows = { fewClients: 20_000, manyClients: 5_000 } as const
/** What a search for a common word is counted to. */
export const commonMax = 200

/** Where the walk begins: behind this row; null: with the newest. */
type After = { readonly after_date: string; readonly after_id: number } | null

/**
 * The keys of a page of a search for a word that many operations or many clients have, found among the next operations
 * along the index of dates. Null: these do not fill the page, so all have to be searched. There may be more keys than
 * the page wants: the search finds so many at least.
 */
export async function walkToPage(
  client: PoolClient,
  filters: OperationFilters,
  after: After,
  { limit, timeoutMs }: { readonly limit: number; readonly timeoutMs: number },
): Promise<string[] | null> {
  const { search, values, period } = filters
  if (search === null) return null
  const kind = (await isOfFewClients(client, search)) ? 'fewClients' : 'manyClients'
  const cursor = after === null ? [] : [after.after_date, after.after_id]
  const begins =
    after === null
      ? 'true'
      : `(operation.op_date, operation.op_id) < ($${values.length + 1}::timestamptz, $${values.length + 2}::int8)`
  const sorted = 'ORDER BY operation.op_date DESC, operation.op_id DESC'
  const walked = `SELECT * FROM finance_operations AS operation WHERE ${period} AND ${begins} ${sorted} LIMIT ${walkedRows[kind]}`
  const text = `SELECT operation.op_id FROM (${walked}) AS operation WHERE ${search.others} AND ${search.ofRow[kind]}
    ${sorted} LIMIT ${Math.max(limit, commonMax + 1)}`
  const query = limited({ text, values: [...values, ...cursor] }, timeoutMs)
  const { rows } = await client.query<{ op_id: string }>(query)
  return rows.length < limit ? null : rows.map(({ op_id }) => op_id)
}
