import { known, labelValues, labelValuesMax, type Value } from './labels.ts'
import type { Series } from './series.ts'
import { cutOffAfter, type DurationCounts, durations, onCollect, unsourced } from './source.ts'

type RadiusResult = Value<'result'>
/** Requests since the start, as the workers count them in shared memory. */
type RadiusCount = {
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

const coaSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2, 4, 8]

/** RADIUS, from the shared memory of the workers. */
export function radiusMetrics(series: Series) {
  const radius = unsourced<RadiusSnapshot>()
  const radiusRequests = series.counter(
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
  series.registry.registerMetric(
    durations(
      'tollgate_radius_access_seconds',
      'Time from an Access-Request to its answer, in the worker.',
      radius,
      ({ access }) => access,
    ),
  )

  return {
    /** Set `source` to a function that reads the counters of all workers. */
    radius,
  }
}

/** Accounting, sessions, and the access table. */
export function accessMetrics(series: Series) {
  const accounting = unsourced<AccountingCounts>()
  const records = series.counter('tollgate_accounting_records_total', 'Accounting records by kind.', ['record'])
  onCollect(records, accounting, (counts) => {
    for (const record of labelValues.record) records.inc({ record }, counts[record] ?? 0)
  })
  const fates = series.counter(
    'tollgate_accounting_fates_total',
    'Entries of accounting by what became of them; unsaved and refused ones are not answered, so the NAS repeats.',
    ['fate'],
  )
  onCollect(fates, accounting, (counts) => {
    for (const fate of labelValues.fate) fates.inc({ fate }, counts[fate] ?? 0)
  })
  const spool = series.sourcedGauge('tollgate_accounting_spool_bytes', 'Accounting in the spool, not in the database.')
  const liveSessions = series.sourcedGauge('tollgate_sessions_live', 'Sessions that are open now.')
  const accessEntries = series.sourcedGauge(
    'tollgate_access_table_entries',
    'Logins in the access table in shared memory.',
  )
  const accessBytes = series.sourcedGauge('tollgate_access_table_bytes', 'What the access table and its indexes use.')

  return {
    /** Set `counts.source` to the counts since the start, `spool.source` to the bytes that wait in the spool. */
    accounting: { counts: accounting, spool },
    sessions: { live: liveSessions },
    access: { entries: accessEntries, bytes: accessBytes },
  }
}

/** Disconnects and changes of speed. */
export function coaMetrics(series: Series) {
  const coaAnswers = series.counter(
    'tollgate_coa_answers_total',
    'Disconnect and CoA requests by the answer of the NAS.',
    ['request', 'answer'],
  )
  const coaTook = series.histogram(
    'tollgate_coa_seconds',
    'Time from the first Disconnect or CoA request to its answer.',
    ['request'],
    coaSeconds,
  )

  const unanswered = unsourced<readonly { nas: string; disconnects: number }[]>()
  const unansweredInRow = series.gauge(
    'tollgate_coa_unanswered_in_a_row',
    'Disconnects that a NAS has left unanswered since its last answer; a NAS that answers is left out.',
    ['nas'],
  )
  onCollect(unansweredInRow, unanswered, (list) => {
    const nasNames = cutOffAfter(labelValuesMax.nas)
    for (const { nas, disconnects } of list) unansweredInRow.inc({ nas: nasNames(nas) }, disconnects)
  })

  return {
    coa: {
      /** Set `source` to a function that names the NAS without an answer. */
      unanswered,
      answered(request: Value<'request'>, answer: Value<'answer'>, seconds: number) {
        coaAnswers.inc({ request: known('request', request), answer: known('answer', answer) })
        coaTook.observe({ request: known('request', request) }, seconds)
      },
    },
  }
}
