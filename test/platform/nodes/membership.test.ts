import pg, { type Pool } from 'pg'
import t, { type Test } from 'tap'
import { silentLog } from '../../../src/platform/log.ts'
import { DatabaseClock } from '../../../src/platform/nodes/database-clock.ts'
import { joinNodes, type NodePlace } from '../../../src/platform/nodes/joining.ts'
import { type Heartbeat, Membership } from '../../../src/platform/nodes/membership.ts'
import { withConnection } from '../../../src/platform/storage/connection.ts'
import { ReservedIds } from '../../../src/platform/storage/reserved-ids.ts'
import { testPool } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { ownServer } from '../../support/own-server.ts'
import { standbyOf } from '../../support/standby.ts'
import { until } from '../../support/until.ts'

const awayMs = 20 * 60_000

/** A node whose heartbeats the database answers by its own clock. `aheadMs` moves that clock alone. */
function aNode(t: Test) {
  const clock = new ManualClock(new Date())
  const beats: Heartbeat[] = []
  const machine = { suspendedMs: 0, aheadMs: 0 }
  const query = async () => ({
    rows: [{ now: new Date(clock.now().getTime() + machine.aheadMs), is_draining: false, others: null }],
  })
  const membership = new Membership({
    pool: { query } as unknown as Pool,
    place: { number: 1, name: 'a', version: '1.0.0', role: 'full', epoch: 1, startedAt: '0' },
    clock: new DatabaseClock(clock),
    log: silentLog,
    suspendedMs: () => machine.suspendedMs,
  })
  membership.onBeat((beat) => beats.push(beat))
  membership.start()
  t.teardown(() => membership.stop())
  /** The next heartbeat is answered. */
  const beat = async (afterMs = 1_000): Promise<Heartbeat> => {
    const before = beats.length
    clock.advance(afterMs)
    await until(() => beats.length > before)
    return beats.at(-1)!
  }
  return { membership, machine, beat }
}

t.test('a machine that was suspended wakes up fenced, until its heartbeat has reached the database', async (t) => {
  const { membership, machine, beat } = aNode(t)
  await beat(0)
  t.equal(membership.fenced, null)
  machine.suspendedMs = awayMs
  machine.aheadMs = awayMs
  t.match(membership.fenced, /heartbeat does not reach/)
  await beat()
  t.equal(membership.fenced, null)
})

t.test('a virtual machine that was paused learns from its next heartbeat for how long others missed it', async (t) => {
  const { machine, beat } = aNode(t)
  await beat(0)
  t.match(await beat(), { silentMs: 1_000, steadyMs: 1_000 })
  machine.aheadMs = awayMs
  t.match(await beat(), { silentMs: awayMs + 1_000, steadyMs: 0 })
  t.match(await beat(), { silentMs: 1_000, steadyMs: 1_000 })
  machine.aheadMs = 0
  t.match(await beat(), { silentMs: 1_000, steadyMs: 2_000 }, 'a clock that was set back says nothing')
})

/** A program of this name joins at this server, on a connection that lasts as long as it lives. */
async function join(t: Test, url: string, name: string): Promise<NodePlace> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  const hold = async (text: string) => void (await client.query(text))
  return joinNodes({ query: (text, values) => client.query(text, values as unknown[]), hold }, newcomer(name))
}

const isTaken = ({ fenced }: Membership) => /^Another program has taken the name/.test(fenced ?? '')

const newcomer = (name: string) => ({ name, version: '1.0.0', role: 'full' }) as const

t.test(
  'a node whose start a promoted standby has not heard of takes its place again, unless another has it',
  async (t) => {
    const primary = await ownServer(t)
    for (const name of ['a', 'taken']) await join(t, primary.url, name)
    const standby = await standbyOf(t, primary)
    await standby.stop()
    const silent = `UPDATE nodes SET heartbeat_at = now() - interval '1 minute'`
    await withConnection(primary.url, (client) => client.query(silent))
    const places = [
      await join(t, primary.url, 'a'),
      await join(t, primary.url, 'taken'),
      await join(t, primary.url, 'new'),
    ]
    t.match(places, [
      { number: 1, epoch: 2 },
      { number: 2, epoch: 2 },
      { name: 'new', epoch: 1 },
    ])
    const takeId = (sql: Pick<pg.Client, 'query'>) => new ReservedIds(sql, 'outbox_id_seq').take(1)
    const [lostId] = await withConnection(primary.url, takeId)
    await primary.stop()
    await standby.start()
    await standby.promote()

    const pool = testPool(t, standby.url, 2)
    await until(async () => !(await pool.query('SELECT pg_is_in_recovery() AS waits')).rows[0].waits)
    const [nextId] = await takeId(pool)
    t.ok(nextId! > lostId!, 'what the primary has given out and the standby has not heard of is not given again')
    const clock = new ManualClock(new Date())
    const live = (place: NodePlace) => {
      const membership = new Membership({ pool, place, clock: new DatabaseClock(clock), log: silentLog })
      t.teardown(() => membership.stop())
      membership.start()
      return membership
    }
    await pool.query(silent)
    const another = live(await join(t, standby.url, 'taken'))
    t.match(another.place, { number: 2, epoch: 2 }, 'the promoted server gives the same epoch out again')
    const [a, taken, fresh] = places.map(live)
    let beats = 0
    another.onBeat(() => beats++)
    /** Two heartbeats of each, of which the second one is of the place that was regained. */
    const goOn = async () => {
      const before = beats
      await until(() => {
        clock.advance(1_000)
        return beats > before + 2
      })
    }
    await goOn()
    await until(() => a!.place.epoch === 3 && fresh!.place.epoch === 2 && isTaken(taken!))
    await goOn()
    t.ok(isTaken(taken!), 'no two programs have one name')
    for (const node of [a, fresh, another]) t.equal(node!.isReplaced, false)
    const { rows } = await pool.query('SELECT number, name, epoch FROM nodes ORDER BY number')
    t.same(rows, [
      { number: 1, name: 'a', epoch: 3 },
      { number: 2, name: 'taken', epoch: 2 },
      { number: fresh!.place.number, name: 'new', epoch: 2 },
    ])
    t.ok((await join(t, standby.url, 'next')).number > fresh!.place.number, 'its number is not given out again')

    await pool.query('UPDATE nodes SET heartbeat_at = $1 WHERE number = 1', [new Date(0)])
    t.match(await join(t, standby.url, 'a'), { epoch: 4 })
    await until(() => {
      clock.advance(1_000)
      return isTaken(a!)
    })
    t.ok(isTaken(a!), 'whoever takes the name later has it')
  },
)
