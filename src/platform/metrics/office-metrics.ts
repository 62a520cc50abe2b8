import { known, labelValues, labelValuesMax, type Value } from './labels.ts'
import type { Series } from './series.ts'
import { cutOffAfter, onCollect, unsourced } from './source.ts'

/** Receipts to the fiscal data operator that are not printed. */
export type FiscalCounts = { stages: Partial<Record<Value<'stage'>, number>>; oldestSeconds: number }
export type DatabaseState = { up: boolean; used: number; idle: number; waiting: number }

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const jobSeconds = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1800]

/** Fiscal receipts. */
export function fiscalMetrics(series: Series) {
  const fiscal = unsourced<FiscalCounts>()
  const fiscalReceipts = series.gauge(
    'tollgate_fiscal_receipts',
    'Fiscal receipts that are not printed: to be sent, sent, or refused.',
    ['stage'],
  )
  onCollect(fiscalReceipts, fiscal, ({ stages }) => {
    for (const stage of labelValues.stage) fiscalReceipts.set({ stage }, stages[stage] ?? 0)
  })
  const fiscalOldest = series.gauge(
    'tollgate_fiscal_oldest_seconds',
    'Age of the oldest fiscal receipt on its way.',
    [],
  )
  onCollect(fiscalOldest, fiscal, ({ oldestSeconds }) => fiscalOldest.set(oldestSeconds), false)
  const fiscalCalls = series.counter('tollgate_fiscal_calls_total', 'Calls of the fiscal data operator by its reply.', [
    'call',
    'reply',
  ])
  const fiscalTook = series.histogram(
    'tollgate_fiscal_call_seconds',
    'Time of one call of the fiscal data operator.',
    ['call'],
    requestSeconds,
  )

  return {
    fiscal: {
      /** Set `source` to the counts of the queue. */
      queue: fiscal,
      call(call: Value<'call'>, reply: string, seconds: number) {
        fiscalCalls.inc({ call: known('call', call), reply: known('reply', reply) })
        fiscalTook.observe({ call: known('call', call) }, seconds)
      },
    },
  }
}

/** Messages to clients. */
export function messageMetrics(series: Series) {
  const messages = series.counter(
    'tollgate_messages_total',
    'Attempts to tell a client something: sent, refused for good, postponed, or given up as too old.',
    ['channel', 'delivery'],
  )
  const messagesWaiting = series.sourcedGauge(
    'tollgate_messages_waiting',
    'Messages to clients that are neither sent nor given up.',
  )

  return {
    messages: {
      result(channel: Value<'channel'>, delivery: Value<'delivery'>) {
        messages.inc({ channel: known('channel', channel), delivery: known('delivery', delivery) })
      },
      waiting: messagesWaiting,
    },
  }
}

/** HTTP requests. */
export function httpMetrics(series: Series) {
  const routes = cutOffAfter(labelValuesMax.route)
  const requests = series.counter('tollgate_http_requests_total', 'HTTP requests by route.', [
    'method',
    'route',
    'status',
  ])
  const requestsTook = series.histogram(
    'tollgate_http_request_seconds',
    'Time from the head of an HTTP request to its answer.',
    ['method', 'route'],
    requestSeconds,
  )

  return {
    http: {
      /**
       * `route` is the pattern of the route (`/rest_api/v2/:model/:id`), null when none matched; `status` 499 the
       * client left.
       */
      request(method: string, route: string | null, status: number, seconds: number) {
        const labels = { method: known('method', method), route: route === null ? 'none' : routes(route) }
        requests.inc({ ...labels, status: statusOf(status) })
        requestsTook.observe(labels, seconds)
      },
    },
  }
}

/** WebSockets. */
export function liveMetrics(series: Series) {
  const sockets = unsourced<Partial<Record<Value<'door'>, number>>>()
  const liveSockets = series.gauge('tollgate_live_sockets', 'Open WebSockets.', ['door'])
  onCollect(liveSockets, sockets, (open) => {
    for (const door of labelValues.door) liveSockets.set({ door }, open[door] ?? 0)
  })
  const liveFrames = series.counter(
    'tollgate_live_frames_total',
    'WebSocket frames: sent, replaced by a newer one, or dropped for a slow client.',
    ['frames'],
  )
  const liveCuts = series.counter('tollgate_live_cuts_total', 'WebSockets closed by us, by reason.', ['cut'])

  return {
    live: {
      /** Open sockets per door. */
      sockets,
      frames(fate: Value<'frames'>, count = 1) {
        liveFrames.inc({ frames: known('frames', fate) }, count)
      },
      cut(reason: Value<'cut'>) {
        liveCuts.inc({ cut: known('cut', reason) })
      },
    },
  }
}

/** The connections of the database. */
export function databaseMetrics(series: Series) {
  const database = unsourced<DatabaseState>()
  const databaseUp = series.gauge('tollgate_database_up', '1 while PostgreSQL answers.', [])
  onCollect(databaseUp, database, ({ up }) => databaseUp.set(up ? 1 : 0), false)
  const connections = series.gauge('tollgate_database_connections', 'Connections of the pool.', ['state'])
  onCollect(connections, database, ({ used, idle }) => {
    connections.set({ state: 'used' }, used)
    connections.set({ state: 'idle' }, idle)
  })
  const databaseWaiting = series.gauge('tollgate_database_waiting', 'Statements that wait for a connection.', [])
  onCollect(databaseWaiting, database, ({ waiting }) => databaseWaiting.set(waiting), false)

  return {
    /** Set `source` to the state of the pool. */
    database,
  }
}

/** Background jobs. */
export function jobMetrics(series: Series) {
  const jobs = cutOffAfter(labelValuesMax.job)
  const jobRuns = series.counter('tollgate_job_runs_total', 'Runs of background jobs.', ['job', 'outcome'])
  const jobTook = series.histogram('tollgate_job_seconds', 'Time of one run of a background job.', ['job'], jobSeconds)
  const jobSuccess = series.gauge('tollgate_job_last_success_timestamp_seconds', 'When a job last ended well.', ['job'])

  return {
    jobs: {
      run(name: string, seconds: number, ok: boolean) {
        const job = jobs(name)
        jobRuns.inc({ job, outcome: ok ? 'ok' : 'failed' })
        jobTook.observe({ job }, seconds)
        if (ok) jobSuccess.set({ job }, Math.floor(Date.now() / 1000))
      },
    },
  }
}

const statusOf = (status: number): string => (status === 499 ? 'aborted' : known('status', String(status)))
