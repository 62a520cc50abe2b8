import fc from 'fast-check'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { LoggedRow, LogReading, ReadRow } from '../../../src/platform/nodes/log-reading.ts'
import { NodeLog } from '../../../src/platform/nodes/node-log.ts'
import { SnapshotReading } from '../../../src/platform/nodes/snapshot-reading.ts'
import { StandbyReading } from '../../../src/platform/nodes/standby-reading.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { ownServer } from '../../support/own-server.ts'
import { standbyOf } from '../../support/standby.ts'
import { until, untilAnswer } from '../../support/until.ts'

/** What one of several writers does next; each has one transaction at a time. */
const step = fc.record({ writer: fc.nat(3), deed: fc.constantFrom('write', 'commit', 'rollback', 'read') })

t.test('every committed row is read once, whatever the order of commits, and nothing else', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 2)
  await readsEachOnce(t, { url, pool, reading: () => new SnapshotReading(pool, 1), runs: 25 })
})

t.test('on a streaming standby as well, and what was open when the reading began', async (t) => {
  const primary = await ownServer(t)
  const standby = await standbyOf(t, primary)
  const [pool, reads] = [testPool(t, primary.url, 2), testPool(t, standby.url, 2)]
  const reading = () => new StandbyReading({ pool: reads, node: () => 1, clock: systemClock })
  await readsEachOnce(t, { url: primary.url, pool, reading, runs: 12 })

  const [early, other] = [await connected(primary.url), await connected(primary.url)]
  const insert = (node: number, mark: number) =>
    `INSERT INTO node_log (node, accounts, commits) VALUES (${node}, '{${mark}}', '{}')`
  await early.query(`BEGIN; ${insert(2, 901)}`)
  await other.query(insert(2, 902))
  await other.query(`BEGIN; ${insert(2, 903)}; ROLLBACK`)
  const seen = async () => (await reads.query('SELECT FROM node_log WHERE accounts = ARRAY[902::int8]')).rowCount === 1
  await until(seen)
  const own = reading()
  await own.open()
  const read = async () => {
    const { rows, keep } = await own.read(100)
    keep()
    return rows.flatMap(({ accounts }) => accounts)
  }
  t.strictSame(await read(), [], 'what was there before is loaded, not read')
  // A row of a transaction that is older than all that are kept.
  await other.query('DELETE FROM node_log')
  await other.query(insert(2, 904))
  t.strictSame(await untilAnswer(read, (marks) => marks.length > 0), [904])
  await early.query('COMMIT')
  t.strictSame(await untilAnswer(read, (marks) => marks.length > 0), [901])
  t.strictSame(await read(), [])
  await Promise.all([early.end(), other.end()])

  t.match(own, { isStandby: true })
  await standby.promote()
  await until(async () => (await own.read(1)) && own.isStandby === false)
  await reads.query(insert(2, 905))
  t.strictSame(await untilAnswer(read, (marks) => marks.length > 0), [905], 'a promoted one is read on')
})

type Reader = { url: string; pool: pg.Pool; reading: () => LogReading; runs: number }

async function readsEachOnce(t: Test, { url, pool, reading, runs }: Reader): Promise<void> {
  const writers = await Promise.all([0, 1, 2, 3].map(() => connected(url)))
  t.teardown(() => Promise.all(writers.map((writer) => writer.end())))
  let mark = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const read: number[] = []
      const log = aLog(reading(), (rows) => read.push(...rows.flatMap(({ accounts }) => accounts)))
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
    { numRuns: runs },
  )
}

t.test('a server that crashed gives numbers again that were seen as taken, and is noticed', async (t) => {
  const server = await ownServer(t)
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  t.teardown(() => pool.end())
  const client = await connected(server.url)
  client.on('error', () => {})
  const { rows } = await client.query(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`)
  const reading = new SnapshotReading(pool, 1)
  t.teardown(() => reading.close())
  await reading.open()
  // What was written stays in memory, unless a commit waits for it; that of a NOTIFY alone does not.
  process.kill(rows[0].pid, 'SIGSTOP')
  for (let count = 0; count < 20; count++) await client.query('NOTIFY somebody')
  const before = await reading.read(10)
  t.notOk(before.isElsewhere)
  before.keep()
  server.crash()
  const insert = () => pool.query(`INSERT INTO node_log (node, accounts, commits) VALUES (2, '{7}', '{}')`)
  await until(() => insert().then(Boolean, () => false))
  const after = () => reading.read(10).catch(() => null)
  const again = await untilAnswer(after, (answer) => answer !== null)
  t.match(again, { rows: [], isElsewhere: true }, 'a row has a number that the snapshot takes for seen')
  await reading.open()
  t.match(await reading.read(10), { isElsewhere: false })
})

t.test('who hears of another server in the middle of a reading reads everything after it', async (t) => {
  const reading: LogReading = {
    open: async () => 0,
    read: async () => ({ rows: [{} as ReadRow], isElsewhere: false, atMs: 0, keep: () => {} }),
    close: () => {},
  }
  const clock = new ManualClock(new Date())
  const parts = { reading, purged: null, channel: { on: () => () => {} }, node: 1, clock, log: silentLog }
  const log = new NodeLog({ ...parts, isAlone: () => false })
  const deeds: string[] = []
  const play = async () => {
    if (deeds.push('played') === 1) log.forget()
  }
  const missed = async () => {
    // And of one more while everything is read.
    if (deeds.push('missed') === 2) log.forget()
  }
  await log.open()
  void log.start({ play, missed })
  for (let turns = 0; turns < 20; turns++) {
    await new Promise(setImmediate)
    clock.advance(250)
  }
  await log.stop()
  t.strictSame(deeds.slice(0, 4), ['played', 'missed', 'missed', 'played'])
})

t.test('a row that could not be played comes again, together with what has come meanwhile', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 2)
  const played: number[][] = []
  const log = aLog(new SnapshotReading(pool, 1), (rows) => {
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
  const pool = testPool(t, await testDatabaseUrl(t), 2)
  const clock = new ManualClock(new Date())
  let [isAlone, readings] = [true, 0]
  const uncounted = new SnapshotReading(pool, 1)
  const reading: LogReading = {
    open: () => uncounted.open(),
    read: (most) => {
      readings++
      return uncounted.read(most)
    },
    close: () => uncounted.close(),
  }
  const parts = { reading, purged: null, channel: { on: () => () => {} }, node: 1, clock, log: silentLog }
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

t.test('a node whose machine stood still finds by the clock of the database that rows are gone', async (t) => {
  const clock = new ManualClock(new Date())
  let [atMs, missed] = [0, 0]
  const reading: LogReading = {
    open: async () => atMs,
    read: async () => ({ rows: [], isElsewhere: false, atMs, keep: () => {} }),
    close: () => {},
  }
  const log = new NodeLog({
    reading,
    purged: null,
    channel: { on: () => () => {} },
    node: 1,
    isAlone: () => false,
    clock,
    log: silentLog,
  })
  await log.open()
  await log.start({ play: async () => {}, missed: async () => void missed++ })
  const readAfter = async (minutes: number) => {
    atMs += minutes * 60_000
    clock.advance(250)
    // The reading waits for nothing.
    await new Promise(setImmediate)
    return missed
  }
  t.equal(await readAfter(13), 0)
  t.equal(await readAfter(15), 1, 'the own clock has counted a quarter of a second')
  t.equal(await readAfter(1), 1)
  await log.stop()
})

const nothingMissed = async () => {
  throw new Error('Nothing was missed.')
}

function aLog(reading: LogReading, take: (rows: readonly LoggedRow[]) => void) {
  const channel = { on: () => () => {} }
  const parts = { reading, purged: null, channel, node: 1, clock: systemClock, log: silentLog }
  const log = new NodeLog({ ...parts, pollMs: 20, isAlone: () => false })
  return Object.assign(log, { play: async (rows: readonly LoggedRow[]) => take(rows) })
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

const byNumber = (a: number, b: number) => a - b
