import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { jobLedger } from '../../../src/billing/jobs/job-ledger.ts'
import { type Job, Jobs } from '../../../src/billing/jobs/jobs.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import type { Database } from '../../../src/platform/storage/database.ts'
import { SharedDatabase } from '../../support/database.ts'
import { everyFive, minute, noon } from './fixture.ts'

const shared = await SharedDatabase.open(t)

/** One program on the database. */
function program(t: Test, database: Database, run: Job['run'], clock: ManualClock): Jobs {
  const jobs = new Jobs({
    jobs: [{ name: 'deed', run }],
    timetable: { deed: { title: 'Дело', setting: null, schedule: () => everyFive } },
    ledger: jobLedger(database.pool),
    clock,
    log: silentLog,
  })
  t.teardown(() => jobs.stop())
  return jobs
}

/** A deed that goes on until it is let go. */
function longDeed() {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let lost: unknown = null
  const run: Job['run'] = async (_, stopping) => {
    stopping.addEventListener('abort', () => {
      lost = stopping.reason
      released.resolve()
    })
    begun.resolve()
    await released.promise
    stopping.throwIfAborted()
    return { done: 1 }
  }
  return { run, begun: begun.promise, release: released.resolve, lost: () => lost }
}

t.test('two programs on one database run a job once at a time and once when it is due', async (t) => {
  const database = await shared.anew()
  const clock = new ManualClock(noon)
  const deed = longDeed()
  let runs = 0
  const one = program(t, database, deed.run, clock)
  const other = program(t, database, async () => ({ runs: ++runs }), clock)

  const running = one.run('deed', null)
  await deed.begun
  t.equal(await other.run('deed', null), null, 'not even by hand')
  t.match(await other.list(), [{ running: true, last: null }], 'who else runs it is seen')
  t.match(await other.runs('deed', { limit: 10, offset: 0 }), { total: 1, runs: [{ ok: null, endedAt: null }] })
  deed.release()
  t.match(await running, { ok: true, result: { done: 1 } })
  t.match(await other.list(), [{ running: false, last: { ok: true, startedAt: noon } }])

  await other.start()
  clock.advance(4 * minute)
  t.match(await other.list(), [{ nextAt: new Date(noon.getTime() + 5 * minute) }])
  t.match(await other.run('deed', 'olga'), { ok: true }, 'by hand it runs, due or not')
  const kept = await other.runs('deed', { limit: 10, offset: 0 })
  t.match(kept.runs, [{ startedBy: 'olga' }, { startedBy: null }], 'and whose hand it was is kept')
  t.equal(runs, 1)
})

t.test('a killed run is shown as interrupted and made up', async (t) => {
  const database = await shared.anew()
  const clock = new ManualClock(noon)
  await database.pool.query(`INSERT INTO job_runs (name, started_at) VALUES ('deed', $1)`, [noon])
  const made = Promise.withResolvers<void>()
  const jobs = program(
    t,
    database,
    async () => {
      made.resolve()
      return { done: 2 }
    },
    clock,
  )
  const interrupted = { ok: false, endedAt: null, result: { error: /^Interrupted/ } }
  t.match(await jobs.list(), [{ running: false, last: interrupted }])
  t.match((await jobs.runs('deed', { limit: 10, offset: 0 })).runs, [interrupted])

  await jobs.start()
  clock.advance(0)
  await made.promise
  await jobs.run('deed', null)
  const { runs } = await jobs.runs('deed', { limit: 10, offset: 0 })
  t.match(runs.at(-1), interrupted, 'and stays so')
  t.match(runs[0], { ok: true })
})

t.test('a run that ends while it is looked at is not shown as interrupted', async (t) => {
  const database = await shared.anew()
  const ledger = jobLedger(database.pool)
  const look = await database.pool.connect()
  await ledger.exclusively('deed', async () => {
    const run = { id: await ledger.begin('deed', noon, null), name: 'deed', startedAt: noon, startedBy: null }
    await look.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await look.query('SELECT FROM job_runs')
    await ledger.end({ ...run, endedAt: noon, ok: true, again: false, result: {} })
  })
  // From here on `look` sees the row as it was before the end, and the lock as it is now, after it.
  const late = {
    query: (sql: string, values: unknown[]) => (sql.includes('pg_locks') ? look : database.pool).query(sql, values),
  }
  const slow = jobLedger(late as unknown as Pool)
  const ended = { ok: true, endedAt: noon }
  t.match((await slow.states(['deed'])).get('deed'), { running: false, last: ended })
  t.match(await slow.runs('deed', { limit: 1, offset: 0 }), { runs: [ended] })
  await look.query('ROLLBACK')
  look.release()
})

t.test('a job is told that its lock is gone and is tried again', async (t) => {
  const database = await shared.anew()
  const deed = longDeed()
  const jobs = program(t, database, deed.run, new ManualClock(noon))
  const running = jobs.run('deed', null)
  await deed.begun
  await database.ledger.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 7001 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
  t.match(await running, { ok: false, again: true })
  t.match(deed.lost(), { reason: 'database' })
  t.equal(await jobLedger(database.pool).exclusively('deed', async () => 'free'), 'free')
})

t.test('many jobs at once leave the pool to their work', async (t) => {
  const database = await shared.anew()
  const ledger = jobLedger(database.pool)
  const names = Array.from({ length: 20 }, (_, n) => `deed ${n}`)
  const work = async () => (await database.pool.query('SELECT 1')).rowCount
  const done = await Promise.all(names.map((name) => ledger.exclusively(name, work)))
  t.same(
    done,
    names.map(() => 1),
  )
  t.equal(database.pool.idleCount, database.pool.totalCount, 'and every connection is given back')
})
