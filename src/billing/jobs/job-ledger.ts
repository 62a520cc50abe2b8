import type { Pool } from 'pg'
import type { JobRun as JobRunTable } from '../../platform/storage/entities/program.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { isLockedSql, JobLocks } from './job-locks.ts'

/**
 * When a job was started last, and whether that run must be repeated because it was interrupted or something it needs
 * was unavailable.
 */
export type LastRun = { readonly startedAt: Date; readonly again: boolean }

export type JobRun = LastRun & {
  readonly id: string
  readonly name: string
  /** Who started it by hand; null: the clock did, or the program itself. */
  readonly startedBy: string | null
  /** Null: the run is in progress, or it was killed. */
  readonly endedAt: Date | null
  /** Null: the run is in progress. */
  readonly ok: boolean | null
  readonly result: Readonly<Record<string, unknown>> | null
}

/** A run that ended in this program. */
export type EndedRun = JobRun & {
  readonly endedAt: Date
  readonly ok: boolean
  readonly result: Readonly<Record<string, unknown>>
}

const interrupted = { error: 'Interrupted: the program ended before the job did.' }

type Row = RowOf<typeof JobRunTable, 'id' | 'name' | 'started_at' | 'ended_at' | 'ok' | 'again' | 'user_name'> & {
  result: JobRun['result']
  running: boolean
}

const lastSql = `SELECT started_at, again OR ended_at IS NULL AS again FROM job_runs WHERE name = $1
  ORDER BY started_at DESC, id DESC LIMIT 1`

const beginSql = `WITH cut_off AS (UPDATE job_runs SET ok = false, result = $3, again = true WHERE name = $1 AND ok IS NULL)
  INSERT INTO job_runs (name, started_at, user_name) VALUES ($1, $2, $4) RETURNING id`

const runningNow = isLockedSql('job.name')

const columns = 'run.started_at, run.user_name, run.ended_at, run.ok, run.result, run.again'

/** The two newest runs of each job, since the newest may be in progress. */
const statesSql = `SELECT job.name, ${runningNow} AS running, run.id, ${columns}
  FROM unnest($1::text[]) AS job(name)
  LEFT JOIN LATERAL (SELECT * FROM job_runs WHERE name = job.name ORDER BY started_at DESC, id DESC LIMIT 2) AS run ON true
  ORDER BY job.name, run.started_at DESC, run.id DESC`

const runsSql = `SELECT run.id, run.name, ${columns}, run.ok IS NULL AND ${runningNow}
    AND run.id = (SELECT max(id) FROM job_runs WHERE name = job.name) AS running
  FROM (SELECT $1::text AS name) AS job JOIN job_runs AS run ON run.name = job.name
  ORDER BY run.started_at DESC, run.id DESC LIMIT $2 OFFSET $3`

const endsSql = 'SELECT id, ended_at, ok, result, again FROM job_runs WHERE id = ANY($1) AND ok IS NOT NULL'

/**
 * Where runs are recorded, in job_runs, and how one program keeps others on the same database from running the job at
 * the same time, by an advisory lock.
 */
export function jobLedger(pool: Pool) {
  const locks = new JobLocks(pool)
  return {
    async last(name: string): Promise<LastRun | null> {
      const { rows } = await pool.query<Row>(lastSql, [name])
      return rows[0] ? { startedAt: rows[0].started_at, again: rows[0].again } : null
    },

    /**
     * Runs `work` while no other program does; null when another one does. `lost` is aborted when that can no longer be
     * guaranteed.
     */
    exclusively: <T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null> =>
      locks.exclusively(name, work),

    /**
     * Records a start, under the lock, and returns the id of the run. Earlier runs without an end are marked as
     * interrupted.
     */
    async begin(name: string, startedAt: Date, startedBy: string | null): Promise<string> {
      const values = [name, startedAt, JSON.stringify(interrupted), startedBy]
      const { rows } = await pool.query<{ id: string }>(beginSql, values)
      return rows[0]!.id
    },

    async end({ id, endedAt, ok, result, again }: EndedRun): Promise<void> {
      await pool.query('UPDATE job_runs SET ended_at = $2, ok = $3, result = $4, again = $5 WHERE id = $1', [
        id,
        endedAt,
        ok,
        JSON.stringify(result),
        again,
      ])
    },

    /** By name: whether a program is running the job now, and the last run that has ended. */
    async states(names: readonly string[]): Promise<ReadonlyMap<string, { running: boolean; last: JobRun | null }>> {
      const rows = await settled(pool, (await pool.query<Row>(statesSql, [names])).rows)
      const states = new Map<string, { running: boolean; last: JobRun | null }>()
      for (const row of rows) {
        const isInProgress = row.running && row.id !== null && row.ok === null && !states.has(row.name)
        const state = states.get(row.name) ?? { running: isInProgress, last: null }
        states.set(row.name, state)
        if (row.id !== null && !isInProgress) state.last ??= runOf({ ...row, running: false })
      }
      return states
    },

    async runs(
      name: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ runs: JobRun[]; total: number }> {
      const rows = await settled(pool, (await pool.query<Row>(runsSql, [name, limit, offset])).rows)
      const counted = await pool.query<{ total: string }>('SELECT count(*) AS total FROM job_runs WHERE name = $1', [
        name,
      ])
      return { runs: rows.map(runOf), total: Number(counted.rows[0]!.total) }
    },
  }
}

export type JobLedger = ReturnType<typeof jobLedger>

/**
 * A statement sees rows as they were when it began, but locks as they are when it looks. A run that ended in between
 * has neither an end nor a lock there, like one that was killed, so its row is read once more.
 */
async function settled(pool: Pool, rows: Row[]): Promise<Row[]> {
  const unclear = rows.filter(({ id, ok, running }) => id !== null && ok === null && !running).map(({ id }) => id)
  if (unclear.length === 0) return rows
  const ended = await pool.query<Row>(endsSql, [unclear])
  const byId = new Map(ended.rows.map((row) => [row.id, row]))
  return rows.map((row) => ({ ...row, ...byId.get(row.id) }))
}

/** A run without an end that no program is running was killed, even if no later run has recorded that yet. */
function runOf({ id, name, started_at, user_name, ended_at, ok, result, again, running }: Row): JobRun {
  const run = { id, name, startedAt: started_at, startedBy: user_name, endedAt: ended_at, again }
  return ok === null && !running ? { ...run, ok: false, result: interrupted, again: true } : { ...run, ok, result }
}
