import type { Client } from '../../platform/storage/sql.ts'
import { patientFor } from '../../platform/storage/transactions.ts'

/** How long one statement over some buckets may take. */
export const partMs = 60_000
export const patient = patientFor(partMs)

/** `stale`: how many buckets there are whose sums do not count. */
export type Part = { readonly bucket: string; readonly rows: string; readonly stale: number }

/** SQL: how many operations each bucket has. The triggers of row_counts keep it exact in any snapshot. */
export const keptRows = `SELECT bucket, sum(rows) AS rows FROM row_counts WHERE table_name = 'finance_operations'
  GROUP BY bucket HAVING sum(rows) <> 0`

/**
 * The buckets whose sums do not count, with how many operations they have now: there are more operations than when they
 * were summed up, one was changed or deleted, or days began at another time. `zone` is TIME_ZONE.
 */
export async function staleParts(client: Client, zone: string, most: number): Promise<readonly Part[]> {
  const text = `SELECT bucket, coalesce(kept.rows, 0)::int8 AS rows, (count(*) OVER ())::int4 AS stale
    FROM (${keptRows}) AS kept FULL JOIN report_parts AS part USING (bucket)
    WHERE kept.rows IS DISTINCT FROM part.rows OR part.zone <> $1 OR bucket IN (SELECT bucket FROM report_marks)
    ORDER BY bucket LIMIT $2`
  return (await client.query<Part>(patient({ text, values: [zone, most] }))).rows
}
