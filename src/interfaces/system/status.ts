import type { Reply } from '../../platform/http/call.ts'
import type { SystemParts } from './parts.ts'
import { done } from './reply.ts'

/** `GET status/`. Also answers while the database is unavailable; values that only the database knows are null then. */
export async function showStatus(parts: SystemParts): Promise<Reply> {
  const { notReady, databaseUp, radius, spoolBytes, version, startedAt } = parts.state()
  const stored = databaseUp ? await askDatabase(parts) : unknown
  return done({
    ready: notReady === null,
    reason: notReady,
    started_at: startedAt,
    uptime: Math.floor((Date.now() - startedAt.getTime()) / 1000),
    read_only: parts.settings.get('READ_ONLY_MODE'),
    database: { up: databaseUp, outbox_waiting: stored.outboxWaiting },
    radius: { ready: radius.ready, workers: radius.workers, auth_port: radius.authPort, acct_port: radius.acctPort },
    sessions: { live: parts.sessions.size },
    spool: { bytes: spoolBytes },
    unanswered_nas: parts.disconnects.unanswered,
    jobs: parts.jobs.names.map((name) => ({ name, last_run: stored.lastRuns?.get(name) ?? null })),
    versions: { tollgate: version, node: process.versions.node, postgresql: stored.postgresql },
  })
}

type LastRun = { readonly started_at: Date; readonly ended_at: Date | null; readonly ok: boolean | null }
type StoredStatus = {
  readonly postgresql: string | null
  readonly outboxWaiting: number | null
  readonly lastRuns: ReadonlyMap<string, LastRun> | null
}

const unknown: StoredStatus = { postgresql: null, outboxWaiting: null, lastRuns: null }

const serverSql = `SELECT current_setting('server_version') AS version,
  (SELECT count(*) FROM outbox WHERE done_at IS NULL) AS outbox_waiting`

const lastRunsSql = `SELECT job.name, run.started_at, run.ended_at, run.ok FROM unnest($1::text[]) AS job(name)
  CROSS JOIN LATERAL (SELECT started_at, ended_at, ok FROM job_runs WHERE name = job.name ORDER BY started_at DESC LIMIT 1) AS run`

/** Never fails, because the status must be available especially when the database is not. */
async function askDatabase({ database, jobs, log }: SystemParts): Promise<StoredStatus> {
  try {
    const [server, runs] = await Promise.all([
      database.pool.query<{ version: string; outbox_waiting: string }>(serverSql),
      database.pool.query<LastRun & { name: string }>(lastRunsSql, [jobs.names]),
    ])
    return {
      postgresql: server.rows[0]!.version,
      outboxWaiting: Number(server.rows[0]!.outbox_waiting),
      lastRuns: new Map(runs.rows.map(({ name, ...run }) => [name, run])),
    }
  } catch (error) {
    log.warn('the database could not be asked for the status', { error })
    return unknown
  }
}
