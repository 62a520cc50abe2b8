import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Money } from '../../domain/money.ts'
import { type Flow, flows, roughRubles } from './flows.ts'
import { cutOffAfter, type DurationCounts, durations, onCollect, type Sourced, unsourced } from './source.ts'

export type { DurationCounts } from './source.ts'

/**
 * Every metric of the program, declared once. Callers get plain functions (`metrics.http.request`) to call, or set a
 * `source` that is read when Prometheus asks; nobody else knows prom-client. Metrics live in the main thread only.
 *
 * Label values are unions. The four that cannot be (NAS name, route, fault, job) are cut off after `labelValuesMax`.
 */
export const labelValues = {
  port: ['auth', 'acct'],
  result: ['accept', 'reject', 'accounting', 'status', 'repeated', 'dropped'],
  record: ['start', 'interim', 'stop', 'on', 'off'],
  fate: ['stored', 'spooled', 'drained', 'unsaved', 'refused', 'ignored'],
  kind: ['account', 'subscriber'],
  outcome: ['ok', 'failed'],
  commit: ['committed', 'known', 'stale', 'locked', 'accountMissing', 'failed'],
  request: ['disconnect', 'coa'],
  answer: ['ack', 'nak', 'no_answer'],
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'],
  status: [
    ...['101', '200', '201', '202', '204', '302', '304', '400', '401', '403', '404', '405', '409', '413', '415', '429'],
    ...['500', '502', '503', '504', 'aborted'],
  ],
  gateway: ['gwa', 'gwb'],
  payment: [
    ...['credited', 'repeated', 'reconciled', 'forged', 'malformed', 'wrongShop', 'unknownOrder', 'unknownSubscriber'],
    ...['wrongAmount', 'doubled', 'notConfirmed', 'notPosted', 'orphaned', 'unavailable'],
  ],
  flow: flows,
  block: ['negbal', 'admin', 'own', 'sys'],
  channel: ['push', 'sms', 'email', 'none'],
  delivery: ['sent', 'refused', 'postponed', 'expired'],
  door: ['admin', 'mobile'],
  frames: ['sent', 'replaced', 'dropped'],
  cut: ['slow', 'noise', 'signedOut', 'tooMany'],
  state: ['used', 'idle'],
  stage: ['waiting', 'sent', 'refused'],
  call: ['token', 'send', 'report'],
  reply: ['accepted', 'done', 'waiting', 'refused', 'failed', 'unauthorized', 'unknown'],
} as const satisfies Record<string, readonly string[]>

export const labelValuesMax = { nas: 500, route: 300, fault: 60, job: 60 } as const

type LabelSet = typeof labelValues
type Value<Name extends keyof LabelSet> = LabelSet[Name][number]

export type RadiusResult = Value<'result'>
/** Requests since the start, as the workers count them in shared memory. */
export type RadiusCount = {
  port: Value<'port'>
  /** Null: the source address is not a known NAS. */
  nas: string | null
  result: RadiusResult
  /** Why a request was dropped; null for the others. */
  fault: string | null
  count: number
}
export type RadiusSnapshot = { counts: readonly RadiusCount[]; access?: DurationCounts }

/** Accounting since the start. */
export type AccountingCounts = Partial<Record<Value<'record'> | Value<'fate'>, number>>

export type ActorCounts = { kind: string; live: number; waiting: number }
/** Receipts to the fiscal data operator that are not printed. */
export type FiscalCounts = { stages: Partial<Record<Value<'stage'>, number>>; oldestSeconds: number }
/** What of money is not settled now. */
export type MoneyState = { promises: number; openOrders: number; problems: number }
export type BlockState = Record<Value<'block'>, number>
/** What verify_ledger found, and when; null before the first. */
export type LedgerState = { broken: number; at: Date }
export type DatabaseState = { up: boolean; used: number; idle: number; waiting: number }

const turnSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const batchTurns = [1, 2, 5, 10, 20, 50, 100, 200, 500]
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const coaSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2, 4, 8]
const jobSeconds = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 1800]

export type Metrics = ReturnType<typeof createMetrics>

/** `runtime: false` leaves out the event loop, garbage collection and process metrics. */
export function createMetrics({ version = '0.0.0', runtime = true } = {}) {
  const registry = new Registry()
  const registers = [registry]
  if (runtime) collectDefaultMetrics({ register: registry })

  function counter<const Names extends readonly string[]>(name: string, help: string, labelNames: Names) {
    return new Counter<Names[number]>({ name, help, labelNames, registers })
  }
  function gauge<const Names extends readonly string[]>(name: string, help: string, labelNames: Names) {
    return new Gauge<Names[number]>({ name, help, labelNames, registers })
  }
  function histogram<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
    buckets: number[],
  ) {
    return new Histogram<Names[number]>({ name, help, labelNames, buckets, registers })
  }
  /** A gauge without labels whose only value comes from its source. */
  function sourcedGauge(name: string, help: string): Sourced<number> {
    const sourced = unsourced<number>()
    const shown = gauge(name, help, [])
    onCollect(shown, sourced, (value) => shown.set(value), false)
    return sourced
  }

  showBuild(registry, version)

  // RADIUS, from the shared memory of the workers
  const radius = unsourced<RadiusSnapshot>()
  const radiusRequests = counter(
    'tollgate_radius_requests_total',
    'RADIUS requests by port, NAS, result and, when dropped, the fault.',
    ['port', 'nas', 'result', 'fault'],
  )
  onCollect(radiusRequests, radius, ({ counts }) => {
    const nasNames = cutOffAfter(labelValuesMax.nas)
    const faults = cutOffAfter(labelValuesMax.fault)
    for (const { port, nas, result, fault, count } of counts) {
      const labels = { port: known('port', port), nas: nas === null ? 'unknown' : nasNames(nas) }
      radiusRequests.inc(
        { ...labels, result: known('result', result), fault: fault === null ? 'none' : faults(fault) },
        count,
      )
    }
  })
  registry.registerMetric(
    durations(
      'tollgate_radius_access_seconds',
      'Time from an Access-Request to its answer, in the worker.',
      radius,
      ({ access }) => access,
    ),
  )

  // Accounting, sessions, access
  const accounting = unsourced<AccountingCounts>()
  const records = counter('tollgate_accounting_records_total', 'Accounting records by kind.', ['record'])
  onCollect(records, accounting, (counts) => {
    for (const record of labelValues.record) records.inc({ record }, counts[record] ?? 0)
  })
  const fates = counter(
    'tollgate_accounting_fates_total',
    'Entries of accounting by what became of them; unsaved and refused ones are not answered, so the NAS repeats.',
    ['fate'],
  )
  onCollect(fates, accounting, (counts) => {
    for (const fate of labelValues.fate) fates.inc({ fate }, counts[fate] ?? 0)
  })
  const spool = sourcedGauge('tollgate_accounting_spool_bytes', 'Accounting in the spool, not in the database.')
  const liveSessions = sourcedGauge('tollgate_sessions_live', 'Sessions that are open now.')
  const accessEntries = sourcedGauge('tollgate_access_table_entries', 'Logins in the access table in shared memory.')
  const accessBytes = sourcedGauge('tollgate_access_table_bytes', 'What the access table and its indexes use.')

  // Actors and commits
  const actors = unsourced<readonly ActorCounts[]>()
  const turns = histogram(
    'tollgate_actor_turn_seconds',
    'Time of one turn of an actor, its commit included.',
    ['kind', 'outcome'],
    turnSeconds,
  )
  const actorsLive = gauge('tollgate_actors_live', 'Actors in memory.', ['kind'])
  onCollect(actorsLive, actors, (all) => {
    for (const { kind, live } of all) actorsLive.inc({ kind: known('kind', kind) }, live)
  })
  const mailboxes = gauge('tollgate_actor_mailbox_depth', 'Turns that wait in all mailboxes together.', ['kind'])
  onCollect(mailboxes, actors, (all) => {
    for (const { kind, waiting } of all) mailboxes.inc({ kind: known('kind', kind) }, waiting)
  })
  const batches = histogram('tollgate_commit_batch_turns', 'Turns committed by one statement.', [], batchTurns)
  const commitSeconds = histogram('tollgate_commit_seconds', 'Time of one group commit.', ['outcome'], turnSeconds)
  const commits = counter('tollgate_commit_outcomes_total', 'Turns by what became of their commit.', ['commit'])

  // Money as the provider sees it
  const operations = counter('tollgate_money_operations_total', 'Movements of money by what they are.', ['flow'])
  const rubles = counter('tollgate_money_rubles_total', 'Rubles moved, without a sign, by what they are.', ['flow'])
  const payments = counter(
    'tollgate_payments_total',
    'Notices of payment gateways by what became of them; forged and refused ones credit nothing, unavailable ones come again.',
    ['gateway', 'payment'],
  )
  // From zero: Prometheus sees no increase in a series that begins with its first wrong payment.
  for (const gateway of labelValues.gateway)
    for (const payment of labelValues.payment) payments.inc({ gateway, payment }, 0)
  const money = unsourced<MoneyState>()
  const promises = gauge('tollgate_promises_active', 'Promise payments that are not over.', [])
  onCollect(promises, money, (state) => promises.set(state.promises), false)
  const openOrders = gauge('tollgate_payment_orders_open', 'Online payments begun and neither paid nor closed.', [])
  onCollect(openOrders, money, (state) => openOrders.set(state.openOrders), false)
  const problems = gauge(
    'tollgate_payment_problems_open',
    'Notices of gateways that were not credited and that nobody has resolved.',
    [],
  )
  onCollect(problems, money, (state) => problems.set(state.problems), false)
  const blocks = unsourced<BlockState>()
  const blocked = gauge('tollgate_subscribers_blocked', 'Subscribers by block; one may have several.', ['block'])
  onCollect(blocked, blocks, (counts) => {
    for (const block of labelValues.block) blocked.set({ block }, counts[block])
  })

  // CoA and outbox
  const coaAnswers = counter('tollgate_coa_answers_total', 'Disconnect and CoA requests by the answer of the NAS.', [
    'request',
    'answer',
  ])
  const coaTook = histogram(
    'tollgate_coa_seconds',
    'Time from the first Disconnect or CoA request to its answer.',
    ['request'],
    coaSeconds,
  )
  const outbox = sourcedGauge('tollgate_outbox_pending', 'Effects stored with a commit and not done yet.')

  // Fiscal receipts
  const fiscal = unsourced<FiscalCounts>()
  const fiscalReceipts = gauge(
    'tollgate_fiscal_receipts',
    'Fiscal receipts that are not printed: to be sent, sent, or refused.',
    ['stage'],
  )
  onCollect(fiscalReceipts, fiscal, ({ stages }) => {
    for (const stage of labelValues.stage) fiscalReceipts.set({ stage }, stages[stage] ?? 0)
  })
  const fiscalOldest = gauge('tollgate_fiscal_oldest_seconds', 'Age of the oldest fiscal receipt on its way.', [])
  onCollect(fiscalOldest, fiscal, ({ oldestSeconds }) => fiscalOldest.set(oldestSeconds), false)
  const fiscalCalls = counter('tollgate_fiscal_calls_total', 'Calls of the fiscal data operator by its reply.', [
    'call',
    'reply',
  ])
  const fiscalTook = histogram(
    'tollgate_fiscal_call_seconds',
    'Time of one call of the fiscal data operator.',
    ['call'],
    requestSeconds,
  )

  // Messages to clients
  const messages = counter(
    'tollgate_messages_total',
    'Attempts to tell a client something: sent, refused for good, postponed, or given up as too old.',
    ['channel', 'delivery'],
  )
  const messagesWaiting = sourcedGauge(
    'tollgate_messages_waiting',
    'Messages to clients that are neither sent nor given up.',
  )

  // HTTP and live
  const routes = cutOffAfter(labelValuesMax.route)
  const requests = counter('tollgate_http_requests_total', 'HTTP requests by route.', ['method', 'route', 'status'])
  const requestsTook = histogram(
    'tollgate_http_request_seconds',
    'Time from the head of an HTTP request to its answer.',
    ['method', 'route'],
    requestSeconds,
  )
  const sockets = unsourced<Partial<Record<Value<'door'>, number>>>()
  const liveSockets = gauge('tollgate_live_sockets', 'Open WebSockets.', ['door'])
  onCollect(liveSockets, sockets, (open) => {
    for (const door of labelValues.door) liveSockets.set({ door }, open[door] ?? 0)
  })
  const liveFrames = counter(
    'tollgate_live_frames_total',
    'WebSocket frames: sent, replaced by a newer one, or dropped for a slow client.',
    ['frames'],
  )
  const liveCuts = counter('tollgate_live_cuts_total', 'WebSockets closed by us, by reason.', ['cut'])

  // Database and jobs
  const database = unsourced<DatabaseState>()
  const databaseUp = gauge('tollgate_database_up', '1 while PostgreSQL answers.', [])
  onCollect(databaseUp, database, ({ up }) => databaseUp.set(up ? 1 : 0), false)
  const connections = gauge('tollgate_database_connections', 'Connections of the pool.', ['state'])
  onCollect(connections, database, ({ used, idle }) => {
    connections.set({ state: 'used' }, used)
    connections.set({ state: 'idle' }, idle)
  })
  const databaseWaiting = gauge('tollgate_database_waiting', 'Statements that wait for a connection.', [])
  onCollect(databaseWaiting, database, ({ waiting }) => databaseWaiting.set(waiting), false)
  const jobs = cutOffAfter(labelValuesMax.job)
  const jobRuns = counter('tollgate_job_runs_total', 'Runs of background jobs.', ['job', 'outcome'])
  const jobTook = histogram('tollgate_job_seconds', 'Time of one run of a background job.', ['job'], jobSeconds)
  const jobSuccess = gauge('tollgate_job_last_success_timestamp_seconds', 'When a job last ended well.', ['job'])
  const ledger = unsourced<LedgerState | null>()
  const ledgerBroken = gauge(
    'tollgate_ledger_broken_accounts',
    'Accounts that the last verify_ledger found broken.',
    [],
  )
  onCollect(ledgerBroken, ledger, (last) => (last ? ledgerBroken.set(last.broken) : ledgerBroken.remove()), false)
  const ledgerVerified = gauge(
    'tollgate_ledger_verified_timestamp_seconds',
    'When the whole ledger was verified last, whatever was found.',
    [],
  )
  onCollect(
    ledgerVerified,
    ledger,
    (last) => (last ? ledgerVerified.set(last.at.getTime() / 1000) : ledgerVerified.remove()),
    false,
  )

  return {
    /** Set `source` to a function that reads the counters of all workers. */
    radius,
    /** Set `counts.source` to the counts since the start, `spool.source` to the bytes that wait in the spool. */
    accounting: { counts: accounting, spool },
    sessions: { live: liveSessions },
    access: { entries: accessEntries, bytes: accessBytes },
    actors: {
      /** Live actors and depth of mailboxes per kind. */
      counts: actors,
      turn(kind: string, seconds: number, ok: boolean) {
        turns.observe({ kind: known('kind', kind), outcome: ok ? 'ok' : 'failed' }, seconds)
      },
    },
    commits: {
      batch({ turns: size, seconds, ok }: { turns: number; seconds: number; ok: boolean }) {
        batches.observe(size)
        commitSeconds.observe({ outcome: ok ? 'ok' : 'failed' }, seconds)
      },
      outcome(kind: Value<'commit'>) {
        commits.inc({ commit: known('commit', kind) })
      },
    },
    money: {
      /** Set `source` to the counts of the tables. */
      state: money,
      /** Set `source` to the counts of blocked subscribers. */
      blocks,
      moved(flow: Flow, amount: Money) {
        operations.inc({ flow: known('flow', flow) })
        rubles.inc({ flow: known('flow', flow) }, roughRubles(amount))
      },
      payment(gateway: Value<'gateway'>, payment: Value<'payment'>) {
        payments.inc({ gateway: known('gateway', gateway), payment: known('payment', payment) })
      },
    },
    coa: {
      answered(request: Value<'request'>, answer: Value<'answer'>, seconds: number) {
        coaAnswers.inc({ request: known('request', request), answer: known('answer', answer) })
        coaTook.observe({ request: known('request', request) }, seconds)
      },
    },
    outbox: { pending: outbox },
    messages: {
      result(channel: Value<'channel'>, delivery: Value<'delivery'>) {
        messages.inc({ channel: known('channel', channel), delivery: known('delivery', delivery) })
      },
      waiting: messagesWaiting,
    },
    fiscal: {
      /** Set `source` to the counts of the queue. */
      queue: fiscal,
      call(call: Value<'call'>, reply: string, seconds: number) {
        fiscalCalls.inc({ call: known('call', call), reply: known('reply', reply) })
        fiscalTook.observe({ call: known('call', call) }, seconds)
      },
    },
    http: {
      /** `route` is the pattern of the route (`/rest_api/v2/:model/:id`), null when none matched; `status` 499 the client left. */
      request(method: string, route: string | null, status: number, seconds: number) {
        const labels = { method: known('method', method), route: route === null ? 'none' : routes(route) }
        requests.inc({ ...labels, status: statusOf(status) })
        requestsTook.observe(labels, seconds)
      },
    },
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
    /** Set `source` to the state of the pool. */
    database,
    /** Set `source` to what the last verification of the ledger found. */
    ledger,
    jobs: {
      run(name: string, seconds: number, ok: boolean) {
        const job = jobs(name)
        jobRuns.inc({ job, outcome: ok ? 'ok' : 'failed' })
        jobTook.observe({ job }, seconds)
        if (ok) jobSuccess.set({ job }, Math.floor(Date.now() / 1000))
      },
    },
    registry,
    /** What Prometheus reads. */
    text: () => registry.metrics(),
  }
}

function showBuild(registry: Registry, version: string): void {
  const build = new Gauge({
    name: 'tollgate_build_info',
    help: 'Always 1; the labels tell what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version, node: process.version }, 1)
}

const known = (name: keyof LabelSet, value: string): string =>
  (labelValues[name] as readonly string[]).includes(value) ? value : 'other'

const statusOf = (status: number): string => (status === 499 ? 'aborted' : known('status', String(status)))
