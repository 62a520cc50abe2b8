import t from 'tap'
import { retention } from '../../../src/billing/jobs/retention.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const now = new Date('2026-11-21T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

t.test('old traces of finished work go, young and unfinished ones stay', async (t) => {
  const database = await shared.anew()
  const { pool } = database
  const effect = (id: number, createdAt: Date, doneAt: Date | null) =>
    pool.query('INSERT INTO outbox (id, kind, payload, created_at, due_at, done_at) VALUES ($1, $2, $3, $4, $4, $5)', [
      id,
      'disconnect',
      '{}',
      createdAt,
      doneAt,
    ])
  await effect(1, daysAgo(60), daysAgo(31))
  await effect(2, daysAgo(60), null)
  await effect(3, daysAgo(60), daysAgo(29))
  const run = 'INSERT INTO job_runs (name, started_at, ended_at, ok, result) VALUES ($1, $2, $2, true, $3)'
  for (const days of [91, 89]) await pool.query(run, ['deed', daysAgo(days), '{}'])
  const delivery =
    'INSERT INTO webhook_deliveries (endpoint_id, message_id, event, body, created_at) VALUES (1, $1, $1, $1, $2)'
  for (const days of [31, 29]) await pool.query(delivery, [String(days), daysAgo(days)])

  const none = {
    ...{ radius_auth_log_days: 0, outbox: 0, coa_requests: 0, job_runs: 0, staff_run_files: 0, staff_runs: 0 },
    nas_reboots: 0,
    webhook_deliveries: 0,
  }
  const deleted = await retention(pool, () => 30).run(now, new AbortController().signal)
  t.same(deleted, { ...none, outbox: 1, job_runs: 1, webhook_deliveries: 1 })
  const left = await pool.query('SELECT id FROM outbox ORDER BY id')
  t.same(
    left.rows.map(({ id }) => Number(id)),
    [2, 3],
    'what is not done yet is never deleted',
  )
  t.same(await retention(pool, () => 30).run(now, new AbortController().signal), none)
})

t.test('days of the log of sign-ins are made ahead, and go when they are old', async (t) => {
  const { pool } = await shared.anew()
  const partitions = async () => {
    const { rows } = await pool.query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'radius_auth_log'::regclass ORDER BY 1`,
    )
    return rows.map(({ name }) => name.replace('radius_auth_log_', ''))
  }
  const run = (at: string, days: number) => retention(pool, () => days).run(new Date(at), new AbortController().signal)
  t.equal((await run('2026-11-21T23:59:59Z', 30)).radius_auth_log_days, 0)
  t.same(await partitions(), ['20261121', '20261122', '20261123', '20261124'])
  await pool.query(`INSERT INTO radius_auth_log (at, id, accepted, count) VALUES ('2026-11-21T12:00:00Z', 1, false, 1),
    ('2026-11-22T00:00:00Z', 2, false, 1)`)
  t.equal((await run('2026-11-24T00:00:00Z', 3)).radius_auth_log_days, 0, 'three days back is kept')
  t.equal((await run('2026-11-24T00:00:00Z', 2)).radius_auth_log_days, 1)
  t.same(await partitions(), ['20261122', '20261123', '20261124', '20261125', '20261126', '20261127'])
  t.same((await pool.query('SELECT id FROM radius_auth_log')).rows, [{ id: '2' }])
})
