import t from 'tap'
import { type Job, JobFailure, Jobs, UnknownJob } from '../../../src/billing/jobs/jobs.ts'
import type { Schedule } from '../../../src/billing/jobs/schedule.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { capturedLog } from '../../platform/http/parts.ts'
import { driver, minute, noon, settle } from './fixture.ts'

const before = (ms: number) => ({ startedAt: new Date(noon.getTime() - ms), again: false })

t.test('a job that never ran starts at once and then after every period', async (t) => {
  const { jobs, pass, recorded, records } = driver({})
  await jobs.start()
  await pass(0)
  await recorded(1)
  await pass(5 * minute)
  await recorded(2)
  t.same(records[0]?.result, { done: 1 })
  t.ok(records.every(({ ok }) => ok))
})

t.test('a run missed in an outage is made up once', async (t) => {
  const { jobs, pass, recorded, records } = driver({}, { last: before(60 * minute) })
  await jobs.start()
  await pass(0)
  await recorded(1)
  await pass(minute)
  t.equal(records.length, 1)
})

t.test('a job that ran a minute ago waits for the rest of its period', async (t) => {
  const { jobs, pass, recorded, records } = driver({}, { last: before(minute) })
  await jobs.start()
  await pass(4 * minute - 1)
  t.equal(records.length, 0)
  await pass(1)
  await recorded(1)
})

t.test('a daily job runs once a day at its hour, and a night that was missed is made up once', async (t) => {
  const schedule = (): Schedule => ({ kind: 'daily', at: '00:05', timeZone: 'Europe/Moscow' })
  const { jobs, pass, recorded, records } = driver({}, { schedule, last: before(3 * 24 * 60 * minute) })
  await jobs.start()
  await pass(0)
  await recorded(1)
  // 12:00 UTC is 15:00 in Moscow.
  await pass(9 * 60 * minute + 4 * minute)
  t.equal(records.length, 1)
  await pass(minute)
  await recorded(2)
  t.same(records[1]?.startedAt, new Date('2026-11-21T21:05:00Z'))
  await pass(24 * 60 * minute)
  await recorded(3)
  t.equal(records.length, 3)
})

t.test('a run that was cut off is made up when the program is back', async (t) => {
  const { jobs, pass, recorded, records } = driver({}, { last: { ...before(minute), again: true } })
  await jobs.start()
  await pass(0)
  await recorded(1)
  await pass(minute)
  t.equal(records.length, 1)
})

t.test('a changed period counts at once', async (t) => {
  let seconds = 3600
  const { jobs, pass, recorded, records } = driver(
    {},
    { schedule: () => ({ kind: 'every', seconds }), last: before(10 * minute) },
  )
  await jobs.start()
  await pass(minute)
  t.equal(records.length, 0)
  seconds = 660
  jobs.replan()
  await pass(0)
  await recorded(1)
  t.same(records[0]?.startedAt, new Date(noon.getTime() + minute))
})

t.test('a failed run is recorded as failed and comes again after its period', async (t) => {
  const run = async () => {
    throw new Error('the disk is full')
  }
  const { jobs, pass, recorded, records } = driver({ run })
  await jobs.start()
  await pass(0)
  await recorded(1)
  t.match(records[0], { ok: false, again: false, result: { error: 'the disk is full' } })
  await pass(5 * minute - 1)
  t.equal(records.length, 1)
  await pass(1)
  await recorded(2)
})

t.test('a run that failed because the database was away is tried again soon', async (t) => {
  let runs = 0
  const run = async () => {
    if (++runs === 1) throw new AggregateError([new Unavailable('database', 'The database is away.')], 'one of two')
    return { runs }
  }
  const schedule = (): Schedule => ({ kind: 'daily', at: '00:05', timeZone: 'Europe/Moscow' })
  const { log, lines } = capturedLog()
  const { jobs, pass, recorded, records } = driver({ run }, { schedule, log })
  await jobs.start()
  await pass(0)
  await recorded(1)
  t.match(records[0], { ok: false, again: true })
  t.match(lines, [{ level: 'warn', message: 'a job failed' }], 'nobody has to look at it')
  await pass(10_000)
  await recorded(2)
  t.match(records[1], { ok: true, again: false, result: { runs: 2 } })
  await pass(60 * minute)
  t.equal(records.length, 2, 'and then at its time')
})

t.test('while not even the ledger can be reached a job waits, and runs once when it can', async (t) => {
  let error: Error | null = new Unavailable('database', 'The database is away.')
  const { jobs, pass, recorded, records } = driver({}, { away: () => error })
  await jobs.start()
  for (let minutes = 0; minutes < 60; minutes++) await pass(minute)
  t.equal(records.length, 0)
  error = null
  await pass(minute)
  await recorded(1)
  await pass(minute)
  t.equal(records.length, 1)
})

t.test('a run that could not be recorded is made up', async (t) => {
  const { jobs, pass, recorded, records, failToRecord } = driver({})
  failToRecord(1)
  await jobs.start()
  await pass(0)
  t.equal(records.length, 0)
  await pass(10_000)
  await recorded(1)
  await pass(minute)
  t.equal(records.length, 1)
})

t.test('a job that finds something bad keeps what it found', async (t) => {
  const run = async () => {
    throw new JobFailure('2 accounts are broken', { broken: 2 })
  }
  const { jobs } = driver({ run })
  t.match(await jobs.run('deed', null), {
    ok: false,
    again: false,
    result: { broken: 2, error: '2 accounts are broken' },
  })
})

t.test('a run started by hand joins the one that is under way', async (t) => {
  let runs = 0
  let finish = () => {}
  const run = () =>
    new Promise<Record<string, unknown>>((resolve) => {
      runs++
      finish = () => resolve({ runs })
    })
  const { jobs } = driver({ run })
  const both = [jobs.run('deed', null), jobs.run('deed', null)]
  await settle()
  finish()
  const [one, other] = await Promise.all(both)
  t.equal(one, other)
  t.equal(runs, 1)
})

t.test('by hand a job runs though it is not due, also while the clock just looks', async (t) => {
  const { jobs, clock, records, table } = driver({}, { last: before(5 * minute) })
  await jobs.start()
  // Another program has run it meanwhile, so that the clock finds nothing to do.
  table.last = before(minute)
  clock.advance(0)
  t.match(await jobs.run('deed', null), { ok: true })
  t.equal(records.length, 1)
})

t.test('what another program has run meanwhile is not run again', async (t) => {
  const { jobs, pass, records, recorded, table } = driver({}, { last: before(5 * minute) })
  await jobs.start()
  table.last = before(minute)
  await pass(0)
  await pass(3 * minute)
  t.equal(records.length, 0)
  await pass(minute)
  await recorded(1)
})

t.test(
  'while another program runs the job this one leaves it alone and takes over when that one has died',
  async (t) => {
    let isTaken = true
    const { jobs, pass, records, recorded } = driver({}, { isTaken: () => isTaken, last: before(60 * minute) })
    await jobs.start()
    await pass(0)
    t.equal(await jobs.run('deed', null), null)
    t.equal(records.length, 0)
    isTaken = false
    await pass(10_000)
    await recorded(1)
  },
)

t.test('a stop asks the run under way to end early, waits for it and leaves it to be made up', async (t) => {
  const run: Job['run'] = (_, stopping) =>
    new Promise((_resolve, reject) => stopping.addEventListener('abort', () => reject(stopping.reason)))
  const { jobs, records } = driver({ run })
  const running = jobs.run('deed', null)
  await settle()
  await jobs.stop()
  t.match(await running, { ok: false, again: true, result: { error: 'The program is stopping.' } })
  t.equal(records.length, 1)
})

t.test('an operator reads when a job runs and how it went', async (t) => {
  const { jobs, pass, recorded } = driver({})
  await jobs.start()
  await pass(0)
  await recorded(1)
  t.match(await jobs.list(), [
    {
      name: 'deed',
      title: 'Дело',
      schedule: 'каждые 5 мин',
      setting: null,
      running: false,
      last: { ok: true, startedAt: noon },
      nextAt: new Date(noon.getTime() + 5 * minute),
    },
  ])
})

t.test('an unknown job is refused with the names there are', async (t) => {
  const { jobs } = driver({})
  await t.rejects(jobs.run('nothing', null), new UnknownJob('There is no job "nothing"; there are deed.'))
})

t.test('a job without a line in the timetable is noticed when the program starts', async (t) => {
  const parts = { ledger: {} as never, clock: new ManualClock(noon), log: silentLog }
  t.throws(() => new Jobs({ ...parts, jobs: [{ name: 'x', run: async () => ({}) }], timetable: {} }), /timetable/)
})

t.test('how far a run is can be seen, and is told at most twice a second', async (t) => {
  const clock = new ManualClock(noon)
  const told: unknown[] = []
  const half = Promise.withResolvers<void>()
  const { jobs } = driver(
    {
      run: async (_, __, tell) => {
        tell?.(1, 10)
        clock.advance(500)
        tell?.(5, 10)
        tell?.(6, 10)
        await half.promise
        return {}
      },
    },
    { clock, changed: (change) => told.push(change) },
  )
  const run = jobs.run('deed', null)
  await settle()
  t.match(await jobs.list(), [{ progress: { done: 6, total: 10 } }])
  half.resolve()
  await run
  t.match(await jobs.list(), [{ progress: null, everySeconds: 300, dailyAt: null }])
  t.same(told, [
    { name: 'deed', done: 0, total: null, ok: null },
    { name: 'deed', done: 5, total: 10, ok: null },
    { name: 'deed', done: 6, total: 10, ok: true },
  ])
})

t.test('a job that another program runs tells nothing here', async (t) => {
  const told: unknown[] = []
  const { jobs } = driver({}, { isTaken: () => true, changed: (change) => told.push(change) })
  t.equal(await jobs.run('deed', null), null)
  t.same(told, [])
})
