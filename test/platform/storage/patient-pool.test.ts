import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { PatientPool } from '../../../src/platform/storage/patient-pool.ts'
import { testDatabase } from '../../support/database.ts'

/** The way to the server of a database. What the server says is kept back until `letThrough` is called. */
async function slowWay(t: Test, url: string) {
  const { port, hostname } = new URL(url)
  const kept: (() => void)[] = []
  let isOpen = false
  let connections = 0
  const ends: Socket[] = []
  const way = createServer((near) => {
    connections++
    const far = connect(Number(port), hostname)
    ends.push(near, far)
    for (const end of [near, far])
      end
        .on('error', () => {})
        .on('close', () => {
          near.destroy()
          far.destroy()
        })
    near.pipe(far)
    const forward = () => void far.pipe(near)
    if (isOpen) forward()
    else kept.push(forward)
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  t.teardown(() => {
    for (const end of ends) end.destroy()
    way.close()
  })
  const slow = new URL(url)
  slow.host = `127.0.0.1:${(way.address() as AddressInfo).port}`
  const letThrough = () => {
    isOpen = true
    for (const forward of kept) forward()
  }
  return { url: slow.href, letThrough, connections: () => connections }
}

async function poolOver(t: Test, patienceMs: number, longestMs?: number) {
  const { database } = await testDatabase(t)
  const way = await slowWay(t, database.url)
  const pool = new PatientPool({ connectionString: way.url, max: 1, patienceMs, ...(longestMs && { longestMs }) })
  t.teardown(() => pool.end())
  /** Asks again, as whoever is told to come later does, until the first connection is given up. */
  const answer = async () => {
    while (way.connections() <= 1) {
      const answered = await pool.query('SELECT 1 AS one').catch(() => null)
      if (answered) return answered.rows
    }
    return null
  }
  return { way, pool, answer }
}

t.test('a connection that comes too late for one serves the next', async (t) => {
  const { way, pool, answer } = await poolOver(t, 50)
  await t.rejects(pool.query('SELECT 1'), /^timeout exceeded when trying to connect/, 'who has it opened')
  await t.rejects(pool.connect(), /^timeout exceeded when trying to connect/, 'who waits for it')
  way.letThrough()
  t.same(await answer(), [{ one: 1 }])
  t.equal(way.connections(), 1)
  const client = await pool.connect()
  await t.rejects(pool.query('SELECT 1'), /^timeout exceeded/, 'the only connection is in use')
  client.release()
  t.same(await answer(), [{ one: 1 }])
  t.equal(way.connections(), 1)
})

t.test('however many have given up', async (t) => {
  const { way, pool, answer } = await poolOver(t, 1)
  const asked = await Promise.allSettled(Array.from({ length: 20_000 }, () => pool.connect()))
  t.ok(asked.every(({ status }) => status === 'rejected'))
  way.letThrough()
  t.same(await answer(), [{ one: 1 }])
  t.equal(way.connections(), 1)
})

t.test('a connection that never comes is given up, with all who have waited for it', async (t) => {
  const { pool } = await poolOver(t, 20, 40)
  for (const asked of await Promise.allSettled([1, 2, 3].map(() => pool.connect())))
    t.match(asked, { status: 'rejected', reason: /^Error: timeout exceeded when trying to connect/ })
  while (pool.totalCount > 0 || pool.waitingCount > 0) await turn()
  t.pass('nothing is left, and nothing was thrown')
})
