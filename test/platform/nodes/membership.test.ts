import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import { silentLog } from '../../../src/platform/log.ts'
import { DatabaseClock } from '../../../src/platform/nodes/database-clock.ts'
import { type Heartbeat, Membership } from '../../../src/platform/nodes/membership.ts'
import { ManualClock } from '../../support/manual-clock.ts'
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
    place: { number: 1, name: 'a', epoch: 1 },
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
