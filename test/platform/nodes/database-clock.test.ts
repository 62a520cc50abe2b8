import t from 'tap'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { dayTimeOf, steadyMs } from '../../../src/platform/actors/day-time.ts'
import { DatabaseClock } from '../../../src/platform/nodes/database-clock.ts'

const hourMs = 3_600_000
/** At least a millisecond goes by between two looks at it. */
let looks = 0
const machine = { ...systemClock, now: () => new Date(Date.now() - hourMs + looks++) }
const isAbout = (ms: number, expected: number) => Math.abs(ms - expected) < 1_000

t.test('the time of day is that of the database, in all threads, whatever the machine thinks', async (t) => {
  const clock = new DatabaseClock(machine)
  t.ok(isAbout(clock.now().getTime(), Date.now() - hourMs), 'as long as nobody has told it')
  t.equal(clock.machineAheadMs, 0)
  const told = Date.now() + 5 * hourMs
  await clock.ask({ query: async <Row extends object>() => ({ rows: [{ now: new Date(told) } as unknown as Row] }) })
  t.ok(isAbout(clock.now().getTime(), told))
  t.ok(isAbout(dayTimeOf(clock.origin)(), told))
  t.ok(isAbout(clock.machineAheadMs, -6 * hourMs))
  t.ok(isAbout(dayTimeOf(null)(), Date.now()), 'and of the machine where there are no nodes')
})

t.test('the closest answer counts, until one contradicts it', async (t) => {
  const clock = new DatabaseClock(machine)
  const began = steadyMs()
  /** The database was ahead of `began` by so much when it answered, between `askedMs` and `answeredMs` later. */
  const tell = (aheadMs: number, askedMs: number, answeredMs: number) => {
    clock.take({ now: new Date(aheadMs), askedMs: began + askedMs, answeredMs: began + answeredMs })
    return Math.round(new Float64Array(clock.origin)[0]! + began)
  }
  t.equal(tell(1_000_100, 0, 200), 1_000_000)
  t.equal(tell(1_000_340, 300, 320), 1_000_030, 'a quicker one')
  t.equal(tell(1_000_700, 500, 900), 1_000_030, 'slow, and it may be so')
  t.equal(tell(1_001_045, 1_000, 1_020), 1_000_035, 'as quick, and later')
  t.equal(tell(1_101_050, 1_040, 1_060), 1_100_000, 'its clock was set')
  t.equal(tell(500_200, 100_000, 100_400), 400_000, 'another server')
  t.equal(tell(1_400_190, 1_000_000, 1_000_400), 399_990, 'clocks drift apart')
})
