import type { Pool } from 'pg'
import type { Job } from './jobs.ts'

/**
 * Records of finished work, and how many days they are kept for operators. Money, audit and sessions are never deleted.
 */
const records = [
  { table: 'outbox', days: 30, since: 'done_at' },
  { table: 'coa_requests', days: 90, since: 'sent_at' },
  { table: 'job_runs', days: 90, since: 'started_at' },
] as const

const dayMs = 86_400_000
const rowsAtOnce = 5_000

/** Deletes old records a few thousand at a time, so that no table grows for ever and no lock is held for long. */
export const retention = (pool: Pool): Job => ({
  name: 'retention',
  async run(now, signal) {
    const deleted: Record<string, number> = {}
    for (const { table, days, since } of records) {
      deleted[table] = 0
      const query = {
        query_timeout: 60_000,
        values: [new Date(now.getTime() - days * dayMs)],
        text: `DELETE FROM ${table} WHERE id IN
        (SELECT id FROM ${table} WHERE ${since} < $1 ORDER BY id LIMIT ${rowsAtOnce})`,
      }
      for (let count = rowsAtOnce; count === rowsAtOnce && !signal.aborted; ) {
        count = (await pool.query(query as { text: string })).rowCount ?? 0
        deleted[table] += count
      }
    }
    return deleted
  },
})
