import { dayMs } from '../../domain/calendar.ts'
import type { Pool } from 'pg'
import type { Job } from './jobs.ts'
import { limited } from '../../platform/storage/sql.ts'

/**
 * Records of finished work, and how many days they are kept for operators. Money, audit and sessions are never deleted.
 */
const records = [
  { table: 'outbox', key: 'id', days: 30, since: 'done_at' },
  { table: 'coa_requests', key: 'id', days: 90, since: 'sent_at' },
  { table: 'job_runs', key: 'id', days: 90, since: 'started_at' },
  { table: 'nas_reboots', key: 'id', days: 90, since: 'at' },
  { table: 'staff_run_files', key: 'run_id', days: 14, since: 'kept_at' },
  { table: 'staff_runs', key: 'id', days: 90, since: 'started_at' },
  { table: 'webhook_deliveries', key: 'id', days: 30, since: 'created_at' },
] as const

const rowsAtOnce = 5_000
/** Partitions of the log of sign-ins that are made before their days come. */
const daysAhead = 3
const statementMs = 60_000

/**
 * Deletes old records a few thousand at a time, so that no table grows for ever and no lock is held for long. Of the
 * log of sign-ins whole days go, as old as RADIUS_LOG_DAYS says, and the next ones are made.
 */
export const retention = (pool: Pool, authLogDays: () => number): Job => ({
  name: 'retention',
  async run(now, signal) {
    const deleted: Record<string, number> = { radius_auth_log_days: await turnAuthLog(pool, now, authLogDays()) }
    for (const { table, key, days, since } of records) {
      deleted[table] = 0
      const text = `DELETE FROM ${table} WHERE ${key} IN
        (SELECT ${key} FROM ${table} WHERE ${since} < $1 ORDER BY ${key} LIMIT ${rowsAtOnce})`
      const query = limited({ text, values: [new Date(now.getTime() - days * dayMs)] }, statementMs)
      for (let count = rowsAtOnce; count === rowsAtOnce && !signal.aborted; ) {
        count = (await pool.query(query)).rowCount ?? 0
        deleted[table] += count
      }
    }
    return deleted
  },
})

async function turnAuthLog(pool: Pool, now: Date, days: number): Promise<number> {
  const text = `SELECT radius_auth_log_drop_before(day - $2::int4) AS dropped
      FROM (SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date AS day) AS today,
        LATERAL (SELECT count(radius_auth_log_add_day(day + ahead)) FROM generate_series(0, ${daysAhead}) AS ahead) AS made`
  const { rows } = await pool.query<{ dropped: number }>(limited({ text, values: [now, days] }, statementMs))
  return rows[0]!.dropped
}
