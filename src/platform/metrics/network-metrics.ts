import { byLabel, type Value } from './labels.ts'
import type { Series } from './series.ts'
import { type DurationCounts, durations, unsourced } from './source.ts'

/** Requests since the start, as the threads that answer count them in shared memory. */
type RadiusCount = {
  port: Value<'port'>
  /** Null: the source address is not a known NAS. */
  nas: string | null
  result: Value<'result'>
  /** Why a request was dropped; null for the others. */
  fault: string | null
  count: number
}
type RadiusSnapshot = { counts: readonly RadiusCount[]; access?: DurationCounts }

/** Accounting since the start. */
type AccountingCounts = Partial<Record<Value<'record'> | Value<'fate'>, number>>

const coaSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2, 4, 8]

/**
 * RADIUS, from the shared memory of the threads that answer: set `radius.source` to a function that reads their
 * counters, and `authLog.source` to one for the log of sign-ins.
 */
export function radiusMetrics(series: Series) {
  const radius = unsourced<RadiusSnapshot>()
  series.sourcedCounter('tollgate_radius_requests_total', ['port', 'nas', 'result', 'fault'], radius, ({ counts }) =>
    counts.map(({ port, nas, result, fault, count }) => [
      { port, nas: nas ?? 'unknown', result, fault: fault ?? 'none' },
      count,
    ]),
  )
  series.registry.registerMetric(durations('tollgate_radius_access_seconds', radius, ({ access }) => access))
  const authLog = unsourced<{ rows: number } & Record<Value<'left_out'>, number>>()
  series.sourcedCounter('tollgate_radius_log_rows_total', [], authLog, ({ rows }) => [[{}, rows]])
  series.sourcedCounter('tollgate_radius_log_left_out_total', ['left_out'], authLog, ({ flooded, lost }) =>
    byLabel('left_out', { flooded, lost }),
  )
  return { radius, authLog }
}

/** Accounting, sessions, and the access table. */
export function accessMetrics(series: Series) {
  const counts = unsourced<AccountingCounts>()
  series.sourcedCounter('tollgate_accounting_records_total', ['record'], counts, (all) => byLabel('record', all))
  series.sourcedCounter('tollgate_accounting_fates_total', ['fate'], counts, (all) => byLabel('fate', all))
  return {
    /** Set `counts.source` to the counts since the start, `spool.source` to the bytes that wait in the spool. */
    accounting: { counts, spool: series.number('tollgate_accounting_spool_bytes') },
    sessions: { live: series.number('tollgate_sessions_live') },
    access: {
      entries: series.number('tollgate_access_table_entries'),
      bytes: series.number('tollgate_access_table_bytes'),
    },
  }
}

/** How NAS are doing. */
export function nasMetrics(series: Series) {
  const health = unsourced<{ readonly [V in Value<'health'>]?: number }>()
  series.sourcedGauge('tollgate_nas', ['health'], health, (counts) => byLabel('health', counts))
  /** Set `source` to the number of enabled NAS by their health, and of those whose clock is wrong. */
  return { nas: { health, wrongClocks: series.number('tollgate_nas_wrong_clocks') } }
}

/** Disconnects and changes of speed. */
export function coaMetrics(series: Series) {
  const answers = series.counter('tollgate_coa_answers_total', ['request', 'answer'])
  const took = series.histogram('tollgate_coa_seconds', ['request'], coaSeconds)
  const unanswered = unsourced<readonly { nas: string; disconnects: number }[]>()
  series.sourcedGauge('tollgate_coa_unanswered_in_a_row', ['nas'], unanswered, (list) =>
    list.map(({ nas, disconnects }) => [{ nas }, disconnects]),
  )
  return {
    coa: {
      /** Set `source` to a function that names the NAS without an answer. */
      unanswered,
      answered(request: Value<'request'>, answer: Value<'answer'>, seconds: number) {
        answers({ request, answer })
        took({ request }, seconds)
      },
    },
  }
}
