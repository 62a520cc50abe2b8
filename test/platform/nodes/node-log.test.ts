import fc from 'fast-check'
import pg from 'pg'
import t from 'tap'
import { type LoggedRow, NodeLog } from '../../../src/platform/nodes/node-log.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { until } from '../../support/until.ts'

/** What one of several writers does next; each has one transaction at a time. */
const step = fc.record({ writer: fc.nat(3), deed: fc.constantFrom('write', 'commit', 'rollback', 'read') })

t.test('every committed row is read once, whatever the order of commits, and nothing else', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 2)
  const writers = await Promise.all([0, 1, 2, 3].map(() => connected(url)))
  t.teardown(() => Promise.all(writers.map((writer) => writer.end())))
  let mark = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const read: number[] = []
      const log = aLog(pool, (rows) => read.push(...rows.flatMap(({ accounts }) => accounts)))
      await log.open()
      await log.start({ play: log.play, missed: nothingMissed })
      const open: (number[] | null)[] = [null, null, null, null]
      const expected: number[] = []
      for (const { writer, deed } of steps) {
        const client = writers[writer]!
        if (deed === 'write') {
          if (!open[writer]) await client.query('BEGIN')
          open[writer] ??= []
          open[writer].push(++mark)
          await client.query(`INSERT INTO node_log (node, accounts, commits) VALUES (2, ARRAY[${mark}], '{}')`)
        } else if (deed === 'read') log.wake()
        else if (open[writer]) {
          await client.query(deed)
          if (deed === 'commit') expected.push(...open[writer])
          open[writer] = null
        }
      }
      for (const [writer, marks] of open.entries()) if (marks) await writers[writer]!.query('ROLLBACK')
      await pool.query(`INSERT INTO node_log (node, accounts, commits) VALUES (1, ARRAY[-1], '{}')`)
      expected.push(++mark)
      await pool.query(`INSERT INTO node_log (node, accounts, commits) VALUES (2, ARRAY[${mark}], '{}')`)
      log.wake()
      await until(() => read.includes(mark))
      await log.stop()
      t.strictSame([...read].sort(byNumber), expected.sort(byNumber))
    }),
    { numRuns: 25 },
  )
})

t.test('a row that could not be played comes again, together with what has come meanwhile', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 2)
  const played: number[][] = []
  const log = aLog(pool, (rows) => {
    played.push(rows.flatMap(({ accounts }) => accounts))
    if (played.length === 1) throw new Error('the database is away')
  })
  await log.open()
  await pool.query(`INSERT INTO node_log (node, accounts, commits) VALUES (2, '{1,2}', '{}')`)
  void log.start({ play: log.play, missed: nothingMissed })
  await until(() => played.length === 1)
  await pool.query(`INSERT INTO node_log (node, accounts, commits) VALUES (3, '{3}', '{}')`)
  await until(() => played.length === 2)
  await log.stop()
  t.strictSame(played, [
    [1, 2],
    [1, 2, 3],
  ])
})

t.test('a node that is alone seldom looks, until another one has joined', async (t) => {
  const pool = testPool(t, await testDatabaseUrl(t), 1)
  const clock = new ManualClock(new Date())
  let [isAlone, readings] = [true, 0]
  const query = (order: pg.QueryConfig) => {
    readings++
    return pool.query(order)
  }
  const counting = { query } as unknown as pg.Pool
  const parts = { pool: counting, channel: { on: () => () => {} }, node: 1, clock, log: silentLog }
  const log = new NodeLog({ ...parts, isAlone: () => isAlone })
  await log.open()
  const played: number[] = []
  const play = async (rows: readonly LoggedRow[]) => void played.push(...rows.flatMap(({ accounts }) => accounts))
  await log.start({ play, missed: nothingMissed })
  readings = 0
  clock.advance(9_000)
  t.equal(readings, 0)
  clock.advance(1_000)
  await until(() => readings === 1)
  await pool.query(`INSERT INTO node_log (node, accounts, commits) VALUES (2, '{7}', '{}')`)
  isAlone = false
  clock.advance(250)
  await until(() => played.length > 0)
  t.same(played, [7], 'what it has committed before it was seen is read')
  await log.stop()
})

const nothingMissed = async () => {
  throw new Error('Nothing was missed.')
}

function aLog(pool: pg.Pool, take: (rows: readonly LoggedRow[]) => void) {
  const channel = { on: () => () => {} }
  const log = new NodeLog({ pool, channel, node: 1, isAlone: () => false, clock: systemClock, log: silentLog })
  return Object.assign(log, { play: async (rows: readonly LoggedRow[]) => take(rows) })
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

const byNumber = (a: number, b: number) => a - b
