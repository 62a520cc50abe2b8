import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { silentLog } from '../../../src/platform/log.ts'
import { labelValues, labelValuesMax } from '../../../src/platform/metrics/labels.ts'
import { createMetrics, type Metrics } from '../../../src/platform/metrics/metrics.ts'
import { startMetricsServer } from '../../../src/platform/metrics/server.ts'
import { fillEveryMetric, seriesOf } from './filled.ts'

const read = async (metrics: Metrics, series: string) => (await seriesOf(metrics)).get(series)

t.test('every subsystem is counted under its own name', async (t) => {
  const metrics = createMetrics({ runtime: false, version: '1.2.3' })
  fillEveryMetric(metrics)
  const series = await seriesOf(metrics)
  const expected: Record<string, number> = {
    [`tollgate_build_info{version="1.2.3",node="${process.version}"}`]: 1,
    'tollgate_radius_requests_total{port="auth",nas="bras",result="accept",fault="none"}': 5,
    'tollgate_radius_requests_total{port="auth",nas="unknown",result="dropped",fault="unknownNas"}': 2,
    'tollgate_radius_access_seconds_bucket{le="0.001"}': 4,
    'tollgate_radius_access_seconds_bucket{le="+Inf"}': 5,
    tollgate_radius_access_seconds_sum: 0.5,
    tollgate_radius_access_seconds_count: 5,
    'tollgate_accounting_records_total{record="interim"}': 7,
    'tollgate_accounting_fates_total{fate="stored"}': 8,
    tollgate_accounting_spool_bytes: 100,
    tollgate_sessions_live: 3,
    tollgate_access_table_entries: 4,
    'tollgate_actors_live{kind="account"}': 10,
    'tollgate_actor_mailbox_depth{kind="account"}': 2,
    'tollgate_actor_turn_seconds_count{kind="account",outcome="ok"}': 1,
    tollgate_commit_batch_turns_sum: 12,
    'tollgate_commit_seconds_count{outcome="ok"}': 1,
    'tollgate_commit_outcomes_total{commit="committed"}': 1,
    'tollgate_commit_outcomes_total{commit="locked"}': 1,
    'tollgate_money_operations_total{flow="receipt"}': 1,
    'tollgate_money_rubles_total{flow="charge"}': 600,
    'tollgate_payments_total{gateway="gwa",payment="credited"}': 1,
    'tollgate_payments_total{gateway="gwb",payment="forged"}': 1,
    tollgate_promises_active: 3,
    tollgate_payment_orders_open: 2,
    tollgate_payment_problems_open: 1,
    'tollgate_subscribers_blocked{block="negbal"}': 9,
    'tollgate_coa_answers_total{request="disconnect",answer="ack"}': 1,
    'tollgate_coa_seconds_count{request="disconnect"}': 1,
    'tollgate_coa_unanswered_in_a_row{nas="ocserv"}': 21,
    tollgate_outbox_pending: 6,
    'tollgate_refunds{refund="failed"}': 2,
    'tollgate_refunds{refund="sent"}': 0,
    tollgate_refunds_oldest_seconds: 80,
    'tollgate_fiscal_receipts{stage="waiting"}': 2,
    'tollgate_fiscal_receipts{stage="sent"}': 0,
    tollgate_fiscal_oldest_seconds: 90,
    'tollgate_fiscal_calls_total{call="send",reply="accepted"}': 1,
    'tollgate_fiscal_call_seconds_count{call="send"}': 1,
    'tollgate_http_requests_total{method="GET",route="/rest_api/v2/:model",status="200"}': 1,
    'tollgate_http_request_seconds_count{method="GET",route="/rest_api/v2/:model"}': 1,
    'tollgate_live_sockets{door="admin"}': 2,
    'tollgate_live_sockets{door="mobile"}': 0,
    'tollgate_live_frames_total{frames="sent"}': 1,
    'tollgate_live_cuts_total{cut="slow"}': 1,
    tollgate_database_up: 1,
    'tollgate_database_connections{state="used"}': 1,
    tollgate_database_waiting: 3,
    'tollgate_job_runs_total{job="process_blocks",outcome="ok"}': 1,
    'tollgate_job_seconds_count{job="process_blocks"}': 1,
  }
  for (const [name, value] of Object.entries(expected)) t.equal(series.get(name), value, name)
})

t.test('two scrapes at once and two in a row show the same', async (t) => {
  const metrics = createMetrics({ runtime: false })
  fillEveryMetric(metrics)
  const [one, other] = await Promise.all([metrics.text(), metrics.text()])
  t.equal(one, other)
  t.equal(await metrics.text(), one)
})

t.test('a source that is missing, fails or hangs leaves out its own metric and no other', async (t) => {
  const metrics = createMetrics({ runtime: false })
  t.equal(await read(metrics, 'tollgate_sessions_live'), undefined)
  metrics.sessions.live.source = () => {
    throw new Error('broken')
  }
  metrics.outbox.pending.source = () => Promise.reject(new Error('the database is away'))
  metrics.access.entries.source = () => 9
  t.equal(await read(metrics, 'tollgate_sessions_live'), undefined)
  t.equal(await read(metrics, 'tollgate_outbox_pending'), undefined)
  t.equal(await read(metrics, 'tollgate_access_table_entries'), 9)
  metrics.outbox.pending.source = async () => 1
  t.equal(await read(metrics, 'tollgate_outbox_pending'), 1, 'it comes back with its source')
})

t.test('an exported metric stays bounded, whatever a caller passes as a label', async (t) => {
  const metrics = createMetrics({ runtime: false })
  fillEveryMetric(metrics)
  const counts = Array.from({ length: 5000 }, (_, n) => ({
    ...{ port: `p${n}`, nas: `nas ${n}`, result: `r${n}`, fault: `f${n}`, count: 1 },
  }))
  metrics.radius.source = () => ({ counts: counts as never })
  for (let n = 0; n < 5000; n++) {
    const word = `x${n}` as never
    metrics.http.request(word, word, n, 0.1)
    metrics.actors.turn(word, 0.1, true)
    metrics.commits.outcome(word)
    metrics.money.moved(word, 1n as never)
    metrics.money.payment(word, word)
    metrics.coa.answered(word, word, 0.1)
    metrics.live.frames(word)
    metrics.live.cut(word)
    metrics.jobs.run(word, 0.1, n % 2 === 0)
  }
  const bounds: Record<string, number> = Object.fromEntries([
    ...Object.entries(labelValues).map(([name, values]) => [name, values.length + 1]),
    ...Object.entries(labelValuesMax).map(([name, max]) => [name, max + 2]),
    ...['fault', 'version', 'node'].map((name) => [name, labelValuesMax.fault + 2]),
    ['le', 40],
  ])
  const seen = new Map<string, Set<string>>()
  for (const series of (await seriesOf(metrics)).keys()) {
    for (const [, name, value] of series.matchAll(/[{,](\w+)="([^"]*)"/g)) {
      seen.set(name!, (seen.get(name!) ?? new Set()).add(value!))
    }
  }
  for (const [name, values] of seen) {
    t.ok(name in bounds, `the label ${name} is declared in labelValues`)
    t.ok(values.size <= (bounds[name] ?? 0), `${name} has ${values.size} values`)
  }
})

t.test('two sets of metrics do not share anything', async (t) => {
  const [one, other] = [createMetrics({ runtime: false }), createMetrics({ runtime: false })]
  one.commits.outcome('committed')
  t.equal(await read(other, 'tollgate_commit_outcomes_total{commit="committed"}'), undefined)
})

t.test('the server answers /metrics and nothing else, and stops at once', async (t) => {
  const metrics = createMetrics()
  const server = await startMetricsServer({ port: 0, metrics, log: silentLog })
  const url = `http://127.0.0.1:${server.port}`
  t.equal(server.host, '127.0.0.1')
  const reply = await fetch(`${url}/metrics`)
  t.equal(reply.status, 200)
  t.match(reply.headers.get('content-type'), /text\/plain.*version=0\.0\.4/)
  t.match(await reply.text(), /^nodejs_eventloop_lag_p99_seconds /m)
  t.equal((await fetch(`${url}/metrics/?a=1`)).status, 200, 'with the slash that other addresses have')
  const head = await fetch(`${url}/metrics`, { method: 'HEAD' })
  t.equal(head.status, 200)
  t.ok(Number(head.headers.get('content-length')) > 1000)
  t.equal(await head.text(), '')
  t.equal((await fetch(`${url}/`)).status, 404)
  t.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 404)
  await server.stop()
  await t.rejects(fetch(`${url}/metrics`))
})

t.test('the event loop is looked at ten times a second, and no oftener', async (t) => {
  const metrics = createMetrics()
  const beside = monitorEventLoopDelay({ resolution: 100 })
  beside.enable()
  while (beside.count < 3) await nextTurn()
  beside.disable()
  const shortest = Number(await read(metrics, 'nodejs_eventloop_lag_min_seconds'))
  t.ok(shortest > 0.09 && shortest < 60, 'what dashboard and alert subtract')
})

t.test('a port that is in use is reported as such', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo
  await t.rejects(startMetricsServer({ port, metrics: createMetrics({ runtime: false }), log: silentLog }), {
    message: /port .* in use|TOLLGATE_METRICS_PORT/,
  })
})
