import t from 'tap'
import { faultWords, planOf } from './plan.ts'

const now = new Date('2026-11-21T12:00:00Z')
const minuteMs = 60_000

t.test('the same seed gives the same plan, another one another', async (t) => {
  t.same(planOf(7, 120_000, 4, now), planOf(7, 120_000, 4, now))
  t.not(
    planOf(8, 120_000, 4, now).faults.map(faultWords).join(),
    planOf(7, 120_000, 4, now).faults.map(faultWords).join(),
  )
})

t.test('every plan of some length has every fault, in order, all repaired before the end', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const { faults, loadMs, settledAtMs, firstShiftMs } = planOf(seed, 150_000, 4, now)
    t.equal(new Set(faults.map(({ kind }) => kind)).size, 9, `seed ${seed}`)
    t.same(
      faults,
      faults.toSorted((a, b) => a.atMs - b.atMs),
    )
    t.ok(faults.every(({ atMs, forMs }) => atMs + forMs <= loadMs))
    t.ok(faults.every(({ kind, atMs, forMs }) => kind !== 'killed' || atMs + forMs <= settledAtMs))
    const begins = new Date(now.getTime() + firstShiftMs)
    const shifts = faults.flatMap((fault) => (fault.kind === 'clock' ? [fault.shiftMs] : []))
    t.ok(begins < new Date('2026-12-01T00:00:00+03:00'), 'the program begins before the month’s end')
    t.ok(new Date(now.getTime() + shifts[0]!) > new Date('2026-12-01T00:05:00+03:00'), 'and its first jump is over it')
    t.ok(shifts.length < 2 || shifts[1]! < shifts[0]!, 'the next one goes back')
    t.ok(shifts.every((shift, at) => at === 0 || Math.abs(shift - shifts[at - 1]!) <= 24 * 60 * minuteMs))
  }
})
