import t from 'tap'
import { rowCountsCompaction } from '../../src/billing/jobs/row-counts.ts'
import { Counts } from '../../src/platform/records/counts.ts'
import type { Client } from '../../src/platform/storage/sql.ts'
import { Unavailable } from '../../src/platform/unavailable.ts'
import { openDoors, units } from './door.ts'

/** Writes rows that the program does not hear of: it would judge their accounts, and wait for locks, beside the test. */
const quietly = async (text: string): Promise<void> => {
  await doors.database.ledger.query(text)
}

const doors = await openDoors(t)

/** Accounts and subscribers with gaps between their keys, and operations of three days at the end of a long year. */
async function provider(): Promise<void> {
  const made = async (count: number, statement: (from: number, to: number) => string) => {
    // In portions: a statement of a busy machine has its time limit too.
    for (let from = 1; from <= count; from += 6_000) await quietly(statement(from, Math.min(from + 5_999, count)))
  }
  await made(
    12_000,
    (from, to) => `INSERT INTO admin_accounts (id) SELECT n * 3 FROM generate_series(${from}, ${to}) AS n`,
  )
  await made(
    12_000,
    (from, to) => `INSERT INTO abonents (id, name, contract_number, account_id, organization_id, deleted)
      SELECT n * 3, 'name ' || n % 100, n::text, n * 3, 1, n % 50 = 0 FROM generate_series(${from}, ${to}) AS n`,
  )
  // Their references are of one account. To look each of them up would cost as much as all else about them.
  await quietly(`ALTER TABLE finance_operations DISABLE TRIGGER ALL`)
  await quietly(`ALTER TABLE finance_operations ENABLE TRIGGER finance_operations_counted_insert`)
  await made(
    90_000,
    (from, to) => `INSERT INTO finance_operations (op_id, op_date, op_summa, op_type_id, account_id, organization_id)
      SELECT n, CASE WHEN n <= 30000 THEN timestamptz '2025-01-01' ELSE '2026-01-01' END + n * interval '1 second', ${units(1)}, 7, 3, 1
      FROM generate_series(${from}, ${to}) AS n`,
  )
  await quietly(`ALTER TABLE finance_operations ENABLE TRIGGER ALL`)
  await doors.rows('ANALYZE abonents, finance_operations')
}

const idsOf = (answer: { body: { results: Record<string, number>[] } }, key = 'id') =>
  answer.body.results.map((record) => record[key])

await provider()

t.test('a page is what it is in the whole list, however deep and in either direction', async (t) => {
  const keys = (await doors.rows('SELECT id FROM abonents WHERE NOT deleted ORDER BY id')).map(({ id }) => Number(id))
  t.equal(keys.length, 11_760)
  const check = async (note: string) => {
    for (const offset of [0, 1, 1999, 2001, 5000, 8192, 11_755, keys.length, 99_999]) {
      const up = await doors.get(`/rest_api/v2/Abonents/?limit=7&offset=${offset}`)
      t.same(idsOf(up), keys.slice(offset, offset + 7), `${note}: from ${offset}`)
      t.equal(up.body.count, keys.length)
      t.equal(up.body.next === null, offset + 7 >= keys.length, 'next')
      const down = await doors.get(`/rest_api/v2/Abonents/?limit=7&offset=${offset}&ordering=-id`)
      t.same(idsOf(down), [...keys].reverse().slice(offset, offset + 7), `${note}: down from ${offset}`)
    }
  }
  await check('lines of each statement')
  await rowCountsCompaction(doors.database.pool).run(new Date(), new AbortController().signal)
  t.equal(Number((await doors.rows(`SELECT count(*) FROM row_counts WHERE table_name = 'abonents'`))[0].count), 5)
  await check('summed up')
})

t.test('a filtered page of a large table is right wherever its rows lie', async (t) => {
  const list = (query: string) => doors.get(`/rest_api/v2/FinanceOperations/?${query}`)
  const late = await list('op_date__gte=2026-01-01&limit=3&offset=2')
  t.same(idsOf(late, 'op_id'), [30_003, 30_004, 30_005], 'all at the end, begun where they begin')
  t.equal(late.body.count, 60_000)
  t.same(idsOf(await list('op_date__gte=2026-01-01&limit=2&offset=40000'), 'op_id'), [70_001, 70_002], 'far behind it')
  t.same(idsOf(await list('op_id__in=80000,85000&limit=2'), 'op_id'), [80_000, 85_000], 'two')
  const middle = await list('op_id__gt=20000&op_id__lt=80000&ordering=-op_id&limit=2')
  t.same(idsOf(middle, 'op_id'), [79_999, 79_998], 'backwards')
  const down = await list('op_date__lt=2026-01-01&limit=2&ordering=-op_id')
  t.same(idsOf(down, 'op_id'), [30_000, 29_999])
  t.equal(down.body.count, 30_000)
  t.same(idsOf(await list('op_date__gte=2026-01-01&limit=2&offset=59999'), 'op_id'), [90_000])
  const past = (await list('op_type=7&limit=2&offset=100000')).body
  t.match(past, { count: 90_000, next: null, results: [] })
})

t.test('the kept count follows every way a row can come and go', async (t) => {
  const { pool } = doors.database
  const agrees = async (what: string) => {
    for (const [table, where] of [
      ['abonents', 'NOT deleted'],
      ['admin_accounts', 'true'],
      ['finance_operations', 'true'],
      ['users', 'true'],
    ]) {
      const [row] = await doors.rows(
        `SELECT (SELECT count(*) FROM ${table} WHERE ${where}) AS real, (SELECT coalesce(sum(rows), 0) FROM row_counts WHERE table_name = $1) AS kept`,
        [table],
      )
      t.equal(String(row.kept), String(row.real), `${table}: ${what}`)
    }
  }
  await agrees('filled')
  await quietly(`UPDATE abonents SET deleted = NOT deleted WHERE id % 21 = 0`)
  await agrees('marked and unmarked')
  await quietly(`UPDATE abonents SET name = name || '!', enabled = false WHERE id BETWEEN 7500 AND 9000`)
  await agrees('changed otherwise')
  await quietly(`UPDATE abonents SET id = id + 1000000 WHERE id = 3`)
  await agrees('a key changed by hand')
  await quietly(`DELETE FROM finance_operations WHERE op_id % 150 = 0`)
  await quietly(`DELETE FROM abonents WHERE id < 90`)
  await agrees('deleted')
  const client = await pool.connect()
  await client.query(`BEGIN; DELETE FROM abonents WHERE id < 900; ROLLBACK`)
  await agrees('rolled back')
  // One compaction is in the middle of its work while another and a writer come.
  await client.query('BEGIN')
  await client.query(`DELETE FROM row_counts WHERE id IN (SELECT id FROM row_counts LIMIT 1 FOR UPDATE)`)
  const second = rowCountsCompaction(pool).run(new Date(), new AbortController().signal)
  await doors.rows(`INSERT INTO admin_accounts DEFAULT VALUES`)
  await client.query('ROLLBACK')
  client.release()
  await second
  await agrees('compacted beside a writer')
  await doors.rows(`INSERT INTO admin_accounts (id) VALUES (36001) ON CONFLICT DO NOTHING`)
  await doors.rows(`TRUNCATE finance_operations CASCADE`)
  await agrees('truncated')
})

t.test('a cheap count is made each time, a costly one is remembered for half a minute', async (t) => {
  let now = 0
  let rows = 10
  let costMs = 5
  let asked = 0
  const client = {
    query: async () => {
      asked++
      now += costMs
      return { rows: [{ count: String(rows) }] }
    },
  } as unknown as Client
  const counts = new Counts(() => now)
  const count = (value: string, zone = 'UTC') =>
    counts.count(client, { from: ' FROM t WHERE a = $1', values: [value] }, zone)
  t.equal(await count('a'), 10)
  rows = 11
  t.equal(await count('a'), 11, 'cheap')
  costMs = 200
  t.equal(await count('b'), 11)
  rows = 12
  t.equal(await count('b'), 11, 'costly')
  t.equal(await count('b', 'Asia/Omsk'), 12, 'days begin elsewhere')
  t.equal(await count('c'), 12, 'another value')
  t.equal(asked, 5)
  now += 30_000
  t.equal(await count('b'), 12, 'half a minute later')
})

t.test('a query that takes too long is answered with 503 and cancelled', async (t) => {
  const client = await doors.database.pool.connect()
  await client.query('BEGIN; LOCK TABLE homes IN ACCESS EXCLUSIVE MODE')
  await t.rejects(doors.get('/rest_api/v2/Homes/?name__icontains=a'), Unavailable)
  await client.query('ROLLBACK')
  client.release()
  t.equal((await doors.get('/rest_api/v2/Homes/')).status, 200)
})
