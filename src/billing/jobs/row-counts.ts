import type { Pool } from 'pg'
import type { Job } from './jobs.ts'

/**
 * Every statement that inserts or deletes rows of a counted table adds a line; here the lines of each bucket are merged
 * into one.
 */
const compact = `WITH gone AS (
    DELETE FROM row_counts WHERE (table_name, bucket) IN (
      SELECT table_name, bucket FROM row_counts GROUP BY table_name, bucket HAVING count(*) > 1 OR sum(rows) = 0)
    RETURNING table_name, bucket, rows),
  kept AS (
    INSERT INTO row_counts (table_name, bucket, rows)
    SELECT table_name, bucket, sum(rows) FROM gone GROUP BY table_name, bucket HAVING sum(rows) <> 0 RETURNING 1)
  SELECT (SELECT count(*) FROM gone) - (SELECT count(*) FROM kept) AS lines`

/**
 * compact_row_counts keeps the table short from which lists read their totals. A count that runs at the same time sees
 * either all lines from before or all from after.
 */
export const rowCountsCompaction = (pool: Pool): Job => ({
  name: 'compact_row_counts',
  async run() {
    const { rows } = await pool.query<{ lines: string }>(compact)
    return { lines: Number(rows[0]!.lines) }
  },
})
