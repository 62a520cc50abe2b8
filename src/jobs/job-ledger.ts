import type { Pool } from 'pg'
import type { JobLedger } from './jobs.ts'

/** The first half of the two-number advisory locks that belong to jobs. */
const lockSpace = 7_001

/** Runs recorded in job_runs; an advisory lock of a session of its own says that a job is being run. */
export const jobLedger = (pool: Pool): JobLedger => ({
  async lastStart(name) {
    const { rows } = await pool.query('SELECT max(started_at) AS started_at FROM job_runs WHERE name = $1', [name])
    return (rows[0] as { started_at: Date | null }).started_at
  },

  async exclusively(name, deed) {
    const client = await pool.connect()
    // Until the lock is known to be given back, only the end of the session gives it back for certain.
    let holdsLock = true
    try {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', [lockSpace, name])
      if (!(rows[0] as { taken: boolean }).taken) {
        holdsLock = false
        return null
      }
      try {
        return await deed()
      } finally {
        await client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [lockSpace, name])
        holdsLock = false
      }
    } finally {
      client.release(holdsLock)
    }
  },

  async record({ name, startedAt, endedAt, ok, result }) {
    const text = 'INSERT INTO job_runs (name, started_at, ended_at, ok, result) VALUES ($1, $2, $3, $4, $5)'
    await pool.query(text, [name, startedAt, endedAt, ok, JSON.stringify(result)])
  },
})
