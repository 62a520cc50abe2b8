import t from 'tap'
import { KeptConnection } from '../../../src/platform/storage/kept-connection.ts'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import { until } from '../../support/until.ts'

t.test('a kept connection answers while others have all of the pool, and is replaced when it is lost', async (t) => {
  const pool = testPool(t, await testDatabaseUrl(t), 2)
  pool.on('connect', (client) => client.on('error', () => {}))
  const kept = new KeptConnection(pool)
  const pid = async (): Promise<number> =>
    (await kept.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid
  const first = await pid()
  const other = await pool.connect()
  const waiting = pool.connect()
  t.equal(pool.waitingCount, 1)
  t.equal(await pid(), first)
  await other.query('SELECT pg_terminate_backend($1)', [first])
  other.release()
  ;(await waiting).release()
  await until(() => pool.totalCount === 1)
  t.not(await pid(), first)
  await t.rejects(kept.query('SELECT wrong'), /wrong/)
  t.type(await pid(), 'number')
  kept.close()
  kept.close()
  t.equal(pool.idleCount, pool.totalCount, 'the pool has all of them again')
})
