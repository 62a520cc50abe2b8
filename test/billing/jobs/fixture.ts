import type { EndedRun, JobLedger, LastRun } from '../../../src/billing/jobs/job-ledger.ts'
import type { JobChange } from '../../../src/billing/jobs/job-progress.ts'
import { type Job, Jobs } from '../../../src/billing/jobs/jobs.ts'
import type { Schedule } from '../../../src/billing/jobs/schedule.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { type Log, silentLog } from '../../../src/platform/log.ts'

export const noon = new Date('2026-11-21T12:00:00Z')
export const minute = 60_000

/** Lets finished promises tell their followers. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

export const everyFive: Schedule = { kind: 'every', seconds: 300 }

/**
 * A driver with one job over a ledger in memory; `isTaken` says that another program runs the job, `away` that the
 * database is away.
 */
export function driver(
  job: Partial<Job>,
  {
    last = null,
    schedule = () => everyFive,
    isTaken = () => false,
    away = () => null,
    clock = new ManualClock(noon),
    log = silentLog,
    changed = () => {},
  }: {
    last?: LastRun | null
    schedule?: () => Schedule
    isTaken?: () => boolean
    away?: () => Error | null
    clock?: ManualClock
    log?: Log
    changed?: (change: JobChange) => void
  } = {},
) {
  const records: EndedRun[] = []
  const waiting: (() => void)[] = []
  let lost = 0
  const table: { last: LastRun | null; started: number } = { last, started: 0 }
  const ledger: JobLedger = {
    last: async () => table.last,
    exclusively: async (_, deed) => {
      const error = away()
      if (error) throw error
      return isTaken() ? null : deed(new AbortController().signal)
    },
    begin: async (_, startedAt) => {
      table.last = { startedAt, again: true }
      return String(++table.started)
    },
    end: async (run) => {
      if (lost-- > 0) throw new Error('the connection was lost')
      table.last = run
      records.push(run)
      for (const tell of waiting.splice(0)) tell()
    },
    states: async () => new Map([['deed', { running: false, last: records.at(-1) ?? null }]]),
    runs: async () => ({ runs: records, total: records.length }),
  }
  const recorded = (count: number): Promise<void> =>
    records.length >= count ? settle() : new Promise<void>((tell) => waiting.push(tell)).then(() => recorded(count))
  const timetable = { deed: { title: 'Дело', setting: null, schedule } }
  const whole: Job = { name: 'deed', run: async () => ({ done: 1 }), ...job }
  return {
    clock,
    records,
    recorded,
    table,
    failToRecord: (times: number) => {
      lost = times
    },
    jobs: new Jobs({ jobs: [whole], timetable, ledger, clock, log, changed }),
    /** Moves the clock on and lets what it started come to its end. */
    pass: async (ms: number) => {
      clock.advance(ms)
      await settle()
      await settle()
    },
  }
}
