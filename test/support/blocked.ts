import type { Pool } from 'pg'
import { until } from './until.ts'

/** Resolves when a statement of the program waits for a lock. */
export async function blocked(pool: Pick<Pool, 'query'>): Promise<void> {
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`
  await until(async () => (await pool.query(text)).rowCount! > 0)
}
