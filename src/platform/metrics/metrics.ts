import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { help } from './help.ts'
import { actorMetrics, backupMetrics, ledgerMetrics, moneyMetrics, reportMetrics } from './ledger-metrics.ts'
import { accessMetrics, coaMetrics, nasMetrics, radiusMetrics } from './network-metrics.ts'
import {
  databaseMetrics,
  doctorMetrics,
  fiscalMetrics,
  httpMetrics,
  jobMetrics,
  liveMetrics,
  messageMetrics,
  nodeMetrics,
  passwordMetrics,
  refundMetrics,
  webhookMetrics,
} from './office-metrics.ts'
import { Series } from './series.ts'

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Every metric of the program, declared once. Callers get plain functions (`metrics.http.request`) to call, or set a
 * `source` that is read when Prometheus asks; nobody else knows prom-client. Metrics live in the main thread only.
 * `runtime: false` leaves out the event loop, garbage collection and process metrics.
 */
export function createMetrics({ version = '0.0.0', runtime = true } = {}) {
  const registry = new Registry()
  if (runtime) showRuntime(registry)
  showBuild(registry, version)
  const series = new Series(registry)
  return {
    ...radiusMetrics(series),
    ...accessMetrics(series),
    ...nasMetrics(series),
    ...coaMetrics(series),
    ...actorMetrics(series),
    ...moneyMetrics(series),
    ...ledgerMetrics(series),
    ...backupMetrics(series),
    ...reportMetrics(series),
    outbox: { pending: series.number('tollgate_outbox_pending') },
    ...nodeMetrics(series),
    ...doctorMetrics(series),
    ...fiscalMetrics(series),
    ...refundMetrics(series),
    ...messageMetrics(series),
    ...webhookMetrics(series),
    ...httpMetrics(series),
    ...passwordMetrics(series),
    ...liveMetrics(series),
    ...databaseMetrics(series),
    ...jobMetrics(series),
    registry,
    /** What Prometheus reads. */
    text: () => registry.metrics(),
  }
}

/** Gauges of the runtime that are named like counters; the same by kind, without `_total`, stay. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/**
 * Milliseconds between two samples of the event loop's delay; `nodejs_eventloop_lag_*` contain them beside the delay.
 * Each sample wakes the main thread, and at the default of 10 they cause most wake-ups of an idle program.
 */
const eventLoopMonitoringPrecision = 100

let runtime: Registry | null = null

/**
 * What is measured of the process and its runtime. It is measured once, however many programs a process opens, as tests
 * do: observers of garbage collection and of the event loop's delay are never let go.
 */
function runtimeRegistry(): Registry {
  if (runtime) return runtime
  runtime = new Registry()
  collectDefaultMetrics({ register: runtime, eventLoopMonitoringPrecision })
  for (const name of misnamed) runtime.removeSingleMetric(name)
  return runtime
}

function showRuntime(registry: Registry): void {
  const measured = runtimeRegistry()
  for (const { name } of measured.getMetricsAsArray()) registry.registerMetric(measured.getSingleMetric(name)!)
}

function showBuild(registry: Registry, version: string): void {
  const build = new Gauge({
    name: 'tollgate_build_info',
    help: help.tollgate_build_info,
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version, node: process.version }, 1)
}
