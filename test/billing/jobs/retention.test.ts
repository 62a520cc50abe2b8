import t from 'tap'
import { retention } from '../../../src/billing/jobs/retention.ts'
import { testDatabase } from '../../support/database.ts'

const now = new Date('2026-11-21T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

t.test('old traces of finished work go, young and unfinished ones stay', async (t) => {
  const { database } = await testDatabase(t)
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

  const deleted = await retention(pool).run(now, new AbortController().signal)
  t.same(deleted, { outbox: 1, coa_requests: 0, job_runs: 1 })
  const left = await pool.query('SELECT id FROM outbox ORDER BY id')
  t.same(
    left.rows.map(({ id }) => Number(id)),
    [2, 3],
    'what is not done yet is never deleted',
  )
  t.same(await retention(pool).run(now, new AbortController().signal), { outbox: 0, coa_requests: 0, job_runs: 0 })
})
