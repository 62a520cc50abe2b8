import { byLabel, outcomeOf, type Value } from './labels.ts'
import type { Series } from './series.ts'
import { unsourced } from './source.ts'

/** Receipts to the fiscal data operator that are not printed. */
type FiscalCounts = { stages: Partial<Record<Value<'stage'>, number>>; oldestSeconds: number }
type RefundCounts = { stages: Partial<Record<Value<'refund'>, number>>; oldestSeconds: number }
type DatabaseState = { up: boolean; used: number; idle: number; waiting: number }

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const jobSeconds = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1800]

/** Fiscal receipts. */
export function fiscalMetrics(series: Series) {
  const queue = unsourced<FiscalCounts>()
  series.sourcedGauge('tollgate_fiscal_receipts', ['stage'], queue, ({ stages }) => byLabel('stage', stages))
  series.sourcedNumber('tollgate_fiscal_oldest_seconds', queue, ({ oldestSeconds }) => oldestSeconds)
  const calls = series.counter('tollgate_fiscal_calls_total', ['call', 'reply'])
  const took = series.histogram('tollgate_fiscal_call_seconds', ['call'], requestSeconds)
  return {
    fiscal: {
      /** Set `source` to the counts of the queue. */
      queue,
      call(call: Value<'call'>, reply: string, seconds: number) {
        calls({ call, reply })
        took({ call }, seconds)
      },
    },
  }
}

type NodeState = { isFenced: boolean; others: number; lagSeconds: number; foreignCommits: number }

/** This program among others on one database; without a source they are left out. */
export function nodeMetrics(series: Series) {
  const node = unsourced<NodeState>()
  series.sourcedNumber('tollgate_node_fenced', node, ({ isFenced }) => Number(isFenced))
  series.sourcedNumber('tollgate_node_others', node, ({ others }) => others)
  series.sourcedNumber('tollgate_node_log_lag_seconds', node, ({ lagSeconds }) => lagSeconds)
  series.sourcedCounter('tollgate_node_foreign_commits_total', [], node, ({ foreignCommits }) => [[{}, foreignCommits]])
  const standby = unsourced<number>()
  series.sourcedNumber('tollgate_node_standby_behind_seconds', standby, (seconds) => seconds)
  return { node, standby }
}

/** What is set up wrongly. */
export function doctorMetrics(series: Series) {
  const findings = unsourced<Record<Value<'finding'>, number>>()
  series.sourcedGauge('tollgate_doctor_findings', ['finding'], findings, (counts) => byLabel('finding', counts))
  /** Set `source` to the counts of the last round. */
  return { doctor: { findings } }
}

/** Money that gateways return to payers and have not returned. */
export function refundMetrics(series: Series) {
  const queue = unsourced<RefundCounts>()
  series.sourcedGauge('tollgate_refunds', ['refund'], queue, ({ stages }) => byLabel('refund', stages))
  series.sourcedNumber('tollgate_refunds_oldest_seconds', queue, ({ oldestSeconds }) => oldestSeconds)
  /** Set `source` to the counts of the queue. */
  return { refunds: { queue } }
}

/** Messages to clients. */
export function messageMetrics(series: Series) {
  const messages = series.counter('tollgate_messages_total', ['channel', 'delivery'])
  return {
    messages: {
      result: (channel: Value<'channel'>, delivery: Value<'delivery'>) => messages({ channel, delivery }),
      waiting: series.number('tollgate_messages_waiting'),
    },
  }
}

/** Webhooks that wait, and the endpoints by state. */
type WebhookCounts = { waiting: number; oldestSeconds: number; endpoints: Partial<Record<Value<'endpoint'>, number>> }

/** Webhooks to programs of the provider. */
export function webhookMetrics(series: Series) {
  const attempts = series.counter('tollgate_webhook_attempts_total', ['webhook'])
  const state = unsourced<WebhookCounts>()
  series.sourcedNumber('tollgate_webhooks_waiting', state, ({ waiting }) => waiting)
  series.sourcedNumber('tollgate_webhooks_oldest_seconds', state, ({ oldestSeconds }) => oldestSeconds)
  series.sourcedGauge('tollgate_webhook_endpoints', ['endpoint'], state, ({ endpoints }) =>
    byLabel('endpoint', endpoints),
  )
  return { webhooks: { attempt: (fate: Value<'webhook'>) => attempts({ webhook: fate }), state } }
}

/** HTTP requests. */
export function httpMetrics(series: Series) {
  const requests = series.counter('tollgate_http_requests_total', ['method', 'route', 'status'])
  const took = series.histogram('tollgate_http_request_seconds', ['method', 'route'], requestSeconds)
  return {
    http: {
      /**
       * `route` is the pattern of the route (`/rest_api/v2/:model/:id`), null when none matched; `status` 499 the
       * client left.
       */
      request(method: string, route: string | null, status: number, seconds: number) {
        const labels = { method, route: route ?? 'none' }
        requests({ ...labels, status: status === 499 ? 'aborted' : String(status) })
        took(labels, seconds)
      },
    },
  }
}

/** Passwords that somebody tries, at every place that asks for one. */
export function passwordMetrics(series: Series) {
  const tries = series.counter('tollgate_password_tries_total', ['entrance', 'attempt'])
  return {
    passwords: {
      tried: (entrance: Value<'entrance'>, outcome: Value<'attempt'>) => tries({ entrance, attempt: outcome }),
      locked: series.number('tollgate_password_locks'),
    },
  }
}

/** WebSockets. */
export function liveMetrics(series: Series) {
  const sockets = unsourced<Partial<Record<Value<'door'>, number>>>()
  series.sourcedGauge('tollgate_live_sockets', ['door'], sockets, (open) => byLabel('door', open))
  const frames = series.counter('tollgate_live_frames_total', ['frames'])
  const cuts = series.counter('tollgate_live_cuts_total', ['cut'])
  return {
    live: {
      /** Open sockets per door. */
      sockets,
      frames: (fate: Value<'frames'>, count = 1) => frames({ frames: fate }, count),
      cut: (reason: Value<'cut'>) => cuts({ cut: reason }),
    },
  }
}

/** The connections of the database: set `source` to the state of the pool. */
export function databaseMetrics(series: Series) {
  const database = unsourced<DatabaseState>()
  series.sourcedNumber('tollgate_database_up', database, ({ up }) => (up ? 1 : 0))
  series.sourcedGauge('tollgate_database_connections', ['state'], database, (state) => byLabel('state', state))
  series.sourcedNumber('tollgate_database_waiting', database, ({ waiting }) => waiting)
  return { database }
}

/** Background jobs. */
export function jobMetrics(series: Series) {
  const runs = series.counter('tollgate_job_runs_total', ['job', 'outcome'])
  const took = series.histogram('tollgate_job_seconds', ['job'], jobSeconds)
  const success = series.gauge('tollgate_job_last_success_timestamp_seconds', ['job'])
  return {
    jobs: {
      run(job: string, seconds: number, ok: boolean) {
        runs({ job, outcome: outcomeOf(ok) })
        took({ job }, seconds)
        if (ok) success({ job }, Math.floor(Date.now() / 1000))
      },
    },
  }
}
