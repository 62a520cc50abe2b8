import t from 'tap'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const insert = (id: number, account: number) =>
  `INSERT INTO abonents (id, name, contract_number, account_id) VALUES (${id}, 'client ${id}', '${id}', ${account})`

t.test('the main client is the first by id of those who are on the account now', async (t) => {
  const pool = testPool(t, await testDatabaseUrl(t), 3)
  const mains = async () =>
    (await pool.query('SELECT id::int FROM abonents WHERE is_main ORDER BY id')).rows.map(({ id }) => id)
  await pool.query('INSERT INTO admin_accounts (id) VALUES (1), (2)')
  await pool.query(insert(10, 1))
  await pool.query(`${insert(20, 2)}, (21, 'further', '21', 2), (22, 'further', '22', 2)`)
  t.same(await mains(), [10, 20], 'of several in one statement as well')
  await pool.query(insert(5, 1))
  t.same(await mains(), [5, 20], 'an earlier one takes over')
  await pool.query('UPDATE abonents SET account_id = 1 WHERE id = 20')
  t.same(await mains(), [5, 21], 'who moves leaves the account to the next one')
  await pool.query('UPDATE abonents SET account_id = 2 WHERE account_id = 1')
  t.same(await mains(), [5])
  await pool.query('DELETE FROM abonents WHERE id = 5')
  t.same(await mains(), [10])
})

t.test('of two who come to an account at the same moment one is the main client', async (t) => {
  const pool = testPool(t, await testDatabaseUrl(t), 3)
  await pool.query('INSERT INTO admin_accounts (id) VALUES (1)')
  const [one, other] = [await pool.connect(), await pool.connect()]
  t.teardown(() => {
    one.release()
    other.release()
  })
  const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await one.query('BEGIN')
  await one.query(insert(1, 1))
  const second = other.query(insert(2, 1))
  const isWaiting = async () =>
    (await pool.query(`SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`, [rows[0]!.pid]))
      .rowCount === 1
  await until(isWaiting)
  await one.query('COMMIT')
  await second
  t.strictSame((await pool.query('SELECT id::int, is_main FROM abonents ORDER BY id')).rows, [
    { id: 1, is_main: true },
    { id: 2, is_main: false },
  ])
})
