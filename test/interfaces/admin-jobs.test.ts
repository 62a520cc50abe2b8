import t from 'tap'
import { fetch } from '../support/published.ts'
import { type Json, openOffice } from './admin-office.ts'
import { until } from '../support/until.ts'

const office = await openOffice(t)
const root = await office.staff('root')

const jobNamed = (body: Json, name: string): Json => body.jobs.find((job: Json) => job.name === name)
const job = async (name: string, caller = root): Promise<Json> =>
  jobNamed((await caller.get('/admin/jobs/')).body, name)

t.test('every job is listed with when it runs and how it went', async (t) => {
  const { status, body } = await root.get('/admin/jobs/')
  t.equal(status, 200)
  t.same(
    body.jobs.map(({ name }: Json) => name),
    office.jobs.names,
  )
  t.same(
    [jobNamed(body, 'process_blocks'), jobNamed(body, 'verify_ledger')],
    [
      {
        name: 'process_blocks',
        title: 'Блокировка и разблокировка по балансу',
        schedule: 'каждые 5 мин',
        every_seconds: 300,
        daily_at: null,
        setting: 'JOB_PERIOD_PROCESS_BLOCKS',
        running: false,
        progress: null,
        last: null,
        next_at: null,
      },
      {
        name: 'verify_ledger',
        title: 'Сверка финансового журнала',
        schedule: 'ежедневно в 03:30 (Europe/Moscow)',
        every_seconds: null,
        daily_at: '03:30',
        setting: 'JOB_TIME_VERIFY_LEDGER',
        running: false,
        progress: null,
        last: null,
        next_at: null,
      },
    ],
  )
  await root.post('/admin/settings/system/', { JOB_TIME_VERIFY_LEDGER: '05:00', JOB_PERIOD_PROCESS_BLOCKS: 2 })
  t.match(
    [await job('process_blocks'), await job('verify_ledger')],
    [{ schedule: 'каждые 2 мин' }, { schedule: 'ежедневно в 05:00 (Europe/Moscow)' }],
  )
  const wrong = await root.post('/admin/settings/system/', { JOB_TIME_VERIFY_LEDGER: '25:00' })
  t.match(wrong, {
    status: 400,
    body: { errors: { JOB_TIME_VERIFY_LEDGER: 'It must be a time of the day such as 00:05.' } },
  })
})

t.test('a job is run by hand and its runs are kept', async (t) => {
  t.match(await root.post('/admin/jobs/process_blocks/run/'), {
    status: 200,
    body: { ok: true, result: { accounts: 0 }, run: { ok: true, started_at: String, ended_at: String } },
  })
  await root.post('/admin/jobs/process_blocks/run/')
  const { body } = await root.get('/admin/jobs/process_blocks/runs/?per_page=1')
  t.match(body, { ok: true, total: 2, has_more: true, items: [{ ok: true, result: { accounts: 0 } }] })
  t.equal(body.items.length, 1)
  t.match((await job('process_blocks')).last, { id: body.items[0].id, ok: true })
})

t.test('a ledger with a hand-edited row shows in the list', async (t) => {
  await office.rows('INSERT INTO admin_accounts (id, ostatok, debit) VALUES (77, 10000000000, 10000000000)')
  const sentence = 'account 77: its balance is stored as 1.00 and should be 0.00, the sum of its operations.'
  t.match(await root.post('/admin/jobs/verify_ledger/run/'), {
    status: 500,
    body: {
      ok: false,
      error: String,
      run: { ok: false, result: { broken: 1, faults: [{ account_id: 77, sentence }] } },
    },
  })
  t.match((await job('verify_ledger')).last, { ok: false, result: { broken: 1 } })
  await office.rows('DELETE FROM admin_accounts WHERE id = 77')
})

t.test('an unknown job is not there', async (t) => {
  for (const path of ['/admin/jobs/nothing/runs/', '/admin/jobs/..%2f/runs/'])
    t.equal((await root.get(path)).status, 404)
  t.equal((await root.post('/admin/jobs/nothing/run/')).status, 404)
})

t.test(
  'who sees one organization sees no results of all of them and starts no job; an operator of all does, a cashier does not',
  async (t) => {
    const operator = await office.staff('operator', 'operator', [1])
    const { body } = await operator.get('/admin/jobs/process_blocks/runs/')
    t.match(body.items[0], { ok: true, result: null })
    t.equal((await job('process_blocks', operator)).last.result, null)
    t.match(await operator.post('/admin/jobs/process_blocks/run/'), {
      status: 403,
      body: { error: /every organization/ },
    })
    const cashier = await office.staff('cashier', 'cashier', [1])
    for (const { id } of (await root.get('/admin/dictionary/staff_crud/?q=er')).body.items)
      await root.post(`/admin/dictionary/staff_crud/${id}/`, { all_organizations: true })
    t.equal((await operator.post('/admin/jobs/process_blocks/run/')).status, 200, 'an operator may start one')
    t.equal((await cashier.post('/admin/jobs/process_blocks/run/')).status, 403)
  },
)

t.test('a run continues when the caller gives up', async (t) => {
  // The job waits for a lock that a stranger holds on what it reads.
  const stranger = await office.database.ledger.connect()
  await stranger.query('BEGIN; LOCK TABLE admin_accounts IN ACCESS EXCLUSIVE MODE')
  const gaveUp = new AbortController()
  const url = `${office.base}/admin/jobs/process_blocks/run/`
  const asked = fetch(url, { method: 'POST', headers: { ...root.headers }, signal: gaveUp.signal }).catch(() => null)
  const isRunning = async () => (await job('process_blocks')).running
  const newest = async () => (await root.get('/admin/jobs/process_blocks/runs/')).body.items[0]
  // A job is shown as running a little before its row is there.
  await until(async () => (await isRunning()) && (await newest())?.ok === null)
  gaveUp.abort()
  t.equal(await asked, null)
  t.match(await newest(), { ok: null, ended_at: null })
  await stranger.query('COMMIT')
  stranger.release()
  await until(async () => !(await isRunning()))
  t.match(await newest(), { ok: true, ended_at: String })
})
