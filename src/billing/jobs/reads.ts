import type { Pool } from 'pg'
import { limited } from '../../platform/storage/sql.ts'

const queryTimeoutMs = 30_000

/** Reads rows; 64-bit columns arrive as strings. */
export type Ask = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>

/**
 * Reads through the pool, with more patience than requests have. Rejects once `stopping` is aborted, because a job that
 * finds nothing to do may read for minutes.
 */
export const asking =
  (pool: Pool, stopping: AbortSignal): Ask =>
  async <Row>(text: string, values: readonly unknown[]) => {
    stopping.throwIfAborted()
    const query = limited({ text, values: [...values] }, queryTimeoutMs)
    return (await pool.query(query)).rows as Row[]
  }

/**
 * The ids of a table in ranges of `size` rows, so that one statement about a range takes a fraction of a second however
 * many rows there are. A range begins after the first id and ends with the second one.
 */
export async function* idRanges(
  ask: Ask,
  table: 'abonents' | 'admin_accounts',
  size: number,
): AsyncGenerator<readonly [after: number, last: number]> {
  const text = `SELECT max(id) AS last FROM (SELECT id FROM ${table} WHERE id > $1 ORDER BY id LIMIT $2) AS ids`
  for (let after = 0; ; ) {
    const [range] = await ask<{ last: string | null }>(text, [after, size])
    if (!range?.last) return
    const last = Number(range.last)
    yield [after, last]
    after = last
  }
}
