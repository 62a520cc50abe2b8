import fc from 'fast-check'
import t from 'tap'
import { beginsOf, readUsage } from '../../../src/network/radius/traffic/usage.ts'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { until } from '../../support/until.ts'

const { a, b, alone } = await AccountingFixture.pair(t)
const nodes = { a, b }

/** What the series has of the login since the clocks were at `sinceMs`, and what its sessions have counted. */
async function sums(sinceMs: number) {
  const days = a.days()
  const begins = beginsOf('5m', sinceMs / 1000 - 3_600, a.clock.now().getTime() / 1000 + 3_600, days)!
  const points = await readUsage(a.database, { loginIds: [1], step: '5m' }, begins, days)
  const series = points.reduce((sum, { input }) => sum + input, 0n)
  const { rows } = await a.database.query<{ input: string }>(
    'SELECT coalesce(sum(input_octets), 0) AS input FROM radius_sessions WHERE user_id = 1',
  )
  return { series, counted: BigInt(rows[0]!.input) }
}

async function beginAnew(): Promise<void> {
  await a.database.query(
    'TRUNCATE radius_sessions, radius_live_sessions, traffic_late, traffic_node_marks, traffic_nodes, traffic_steps_0, traffic_steps_1, traffic_steps_2, traffic_steps_3, traffic_steps_4',
  )
  for (const node of [a, b]) {
    await node.begin()
    await node.readOthers()
  }
}

const readBoth = async () => {
  for (const node of [a, b, a, b]) await node.readOthers()
}

/** Everything is written, whoever has it in memory; those that were killed have started again. */
async function written(): Promise<void> {
  await readBoth()
  for (const node of [a, b]) await node.traffic.flush()
}

t.test('a session that goes to the other node and back is counted once', async (t) => {
  await beginAnew()
  const sinceMs = a.clock.now().getTime()
  let time = 0
  const report = async (node: AccountingFixture, input: number) => {
    for (const { clock } of [a, b]) clock.advance(300_000)
    time += 300
    await node.send(packet('interim', { time, input }))
  }
  await a.send(packet('start'))
  await report(a, 1_000)
  await report(b, 1_500)
  await report(a, 2_000)
  await readBoth()
  await report(b, 2_700)
  await b.send(packet('stop', { time, input: 2_800 }))
  await written()
  t.same(await sums(sinceMs), { series: 2_800n, counted: 2_800n })
  await written()
  t.equal((await a.database.query('SELECT FROM traffic_late')).rowCount, 0, 'nothing is left to remember')
})

t.test('what a node had in memory when it was killed is its own to count, and it alone counts it', async (t) => {
  await beginAnew()
  const sinceMs = a.clock.now().getTime()
  await a.send(packet('start'))
  for (const { clock } of [a, b]) clock.advance(600_000)
  await a.send(packet('interim', { time: 300, input: 1_000 }))
  await b.send(packet('interim', { time: 600, input: 1_700 }))
  await a.begin()
  await written()
  t.same(await sums(sinceMs), { series: 1_700n, counted: 1_700n })
  b.clock.advance(1_000)
  await b.send(packet('interim', { time: 601, input: 1_900 }))
  await b.begin()
  await written()
  t.same(await sums(sinceMs), { series: 1_900n, counted: 1_900n })
})

t.test('the first node goes on from the marks of the time before', async (t) => {
  await beginAnew()
  const sinceMs = a.clock.now().getTime()
  await a.send(packet('start'), packet('interim', { time: 1, input: 500 }))
  await a.traffic.flush()
  await a.send(packet('interim', { time: 2, input: 800 }))
  // As one program alone would have left it when it was killed.
  await a.database.query(`
    INSERT INTO traffic_marks SELECT block, next_id, sessions FROM traffic_node_marks;
    DELETE FROM traffic_node_marks; DELETE FROM traffic_nodes; UPDATE radius_sessions SET node = NULL, first_node = NULL`)
  await b.begin()
  await a.begin()
  t.match([a.sessions.foreign, b.sessions.foreign], [1, 0], 'the first to start has taken it')
  await written()
  t.same(await sums(sinceMs), { series: 800n, counted: 800n })
})

t.test('nobody writes steps of a day that another node closes', async (t) => {
  await beginAnew()
  const sinceMs = a.clock.now().getTime()
  await b.send(packet('start'), packet('interim', { time: 1, input: 500 }))
  const tomorrow = b.days().dayAt(sinceMs / 1000) + 1
  await a.trafficStore.writeFrom(tomorrow)
  await b.traffic.flush()
  t.notOk(b.traffic.isSettled, 'it is counted anew')
  b.accounting.settleOctets()
  await until(() => b.traffic.isSettled)
  await b.traffic.flush()
  const { rows } = await b.database.query(
    'SELECT DISTINCT day FROM traffic_steps_0 UNION SELECT day FROM traffic_steps_1 UNION SELECT day FROM traffic_steps_2 UNION SELECT day FROM traffic_steps_3 UNION SELECT day FROM traffic_steps_4',
  )
  t.strictSame(rows, [{ day: tomorrow }])
  await a.database.query('UPDATE traffic_state SET writable_from = NULL')
})

t.test('a program that is alone again goes on from the marks of both', async (t) => {
  await beginAnew()
  const sinceMs = a.clock.now().getTime()
  await a.send(packet('start'), packet('interim', { time: 1, input: 500 }))
  await b.send(packet('start', { id: 'T' }), packet('interim', { id: 'T', time: 1, input: 70 }))
  await written()
  await a.send(packet('interim', { time: 2, input: 900 }))
  await b.send(packet('interim', { time: 3, input: 1_100 }))
  const one = await alone()
  one.clock.advance(a.clock.now().getTime() - one.clock.now().getTime() + 1_000)
  await one.send(packet('interim', { time: 4, input: 1_200 }), packet('stop', { id: 'T', time: 4, input: 80 }))
  await one.traffic.flush()
  t.same(await sums(sinceMs), { series: 1_280n, counted: 1_280n })
  t.equal(one.sessions.foreign, 0)
})

type Step = {
  readonly node: 'a' | 'b'
  readonly deed: 'start' | 'interim' | 'stop' | 'end' | 'on' | 'read' | 'write' | 'kill'
  readonly id: string
}

t.test('whatever happens, all nodes together count each octet once', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    node: fc.constantFrom('a', 'b'),
    deed: fc.constantFrom('start', 'interim', 'interim', 'stop', 'end', 'on', 'read', 'write', 'kill'),
    id: fc.constantFrom('S', 'T'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 16 }), async (steps) => {
      await beginAnew()
      const sinceMs = a.clock.now().getTime()
      let input = 0
      for (const { node: name, deed, id } of steps) {
        const node = nodes[name]
        for (const { clock } of [a, b]) clock.advance(40_000)
        input += 100
        if (deed === 'read') await node.readOthers()
        else if (deed === 'write') await node.traffic.flush()
        else if (deed === 'kill') await node.begin()
        else if (deed === 'end') {
          const session = node.sessions.liveOf('ivan').find(({ acctSessionId }) => acctSessionId === id)
          if (session) await node.accounting.endSession(session, node.clock.now(), 'Lost-Carrier')
        } else if (deed === 'start' || deed === 'on') await node.send(packet(deed, { id, identifier: input % 251 }))
        else await node.send(packet(deed, { id, time: 20, input, ...(deed === 'stop' && { cause: 1 }) }))
      }
      await written()
      const { series, counted } = await sums(sinceMs)
      if (series !== counted) throw new Error(`${series} in the series, ${counted} in the sessions`)
    }),
    { numRuns: 15 },
  )
})
