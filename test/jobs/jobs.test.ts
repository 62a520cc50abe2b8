import t from 'tap'
import { ManualClock } from '../../src/actors/clock.ts'
import { type Job, type JobLedger, type JobRun, Jobs, UnknownJob } from '../../src/jobs/jobs.ts'
import { silentLog } from '../../src/log.ts'

const noon = new Date('2026-11-21T12:00:00Z')
const minute = 60_000

function driver(job: Partial<Job>, last: Date | null = null, taken = () => false) {
  const clock = new ManualClock(noon)
  const records: JobRun[] = []
  const waiting: (() => void)[] = []
  const ledger: JobLedger = {
    lastStart: async () => last,
    exclusively: async (_, deed) => (taken() ? null : deed()),
    record: async (run) => {
      records.push(run)
      for (const tell of waiting.splice(0)) tell()
    },
  }
  const recorded = (count: number): Promise<void> =>
    records.length >= count
      ? Promise.resolve()
      : new Promise<void>((tell) => waiting.push(tell)).then(() => recorded(count))
  const whole: Job = { name: 'deed', periodMs: 5 * minute, run: async () => ({ done: 1 }), ...job }
  return { clock, records, recorded, jobs: new Jobs({ jobs: [whole], ledger, clock, log: silentLog }) }
}

/** Lets finished promises tell their followers. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('a job that never ran starts at once and then after every period', async (t) => {
  const { clock, jobs, recorded, records } = driver({})
  await jobs.start()
  clock.advance(0)
  await recorded(1)
  await settle()
  clock.advance(5 * minute)
  await recorded(2)
  t.same(records[0]?.result, { done: 1 })
  t.ok(records.every(({ ok }) => ok))
})

t.test('a run missed in an outage is made up once', async (t) => {
  const { clock, jobs, recorded, records } = driver({}, new Date(noon.getTime() - 60 * minute))
  await jobs.start()
  clock.advance(0)
  await recorded(1)
  await settle()
  clock.advance(minute)
  await settle()
  t.equal(records.length, 1)
})

t.test('a job that ran a minute ago waits for the rest of its period', async (t) => {
  const { clock, jobs, recorded, records } = driver({}, new Date(noon.getTime() - minute))
  await jobs.start()
  clock.advance(4 * minute - 1)
  await settle()
  t.equal(records.length, 0)
  clock.advance(1)
  await recorded(1)
})

t.test('a failed run is recorded as failed and tried again after its period', async (t) => {
  const run = async () => {
    throw new Error('the disk is full')
  }
  const { clock, jobs, recorded, records } = driver({ run })
  await jobs.start()
  clock.advance(0)
  await recorded(1)
  t.match(records[0], { ok: false, result: { error: 'the disk is full' } })
  await settle()
  clock.advance(5 * minute)
  await recorded(2)
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
  const both = [jobs.run('deed'), jobs.run('deed')]
  await settle()
  finish()
  const [one, other] = await Promise.all(both)
  t.equal(one, other)
  t.equal(runs, 1)
})

t.test('a stop asks the run under way to end early and waits for it', async (t) => {
  const run: Job['run'] = (_, stopping) =>
    new Promise((_resolve, reject) => stopping.addEventListener('abort', () => reject(stopping.reason)))
  const { jobs, records } = driver({ run })
  const running = jobs.run('deed')
  await settle()
  await jobs.stop()
  t.match(await running, { ok: false, result: { error: 'The program is stopping.' } })
  t.equal(records.length, 1)
})

t.test('while another program runs the job this one leaves it alone', async (t) => {
  const { jobs, records } = driver({}, null, () => true)
  t.equal(await jobs.run('deed'), null)
  t.equal(records.length, 0)
})

t.test('an unknown job is refused with the names there are', async (t) => {
  const { jobs } = driver({})
  await t.rejects(jobs.run('nothing'), new UnknownJob('There is no job "nothing"; there are deed.'))
})
