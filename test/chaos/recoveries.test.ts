import t from 'tap'
import { Door } from './door.ts'
import type { DoneFault } from './faults.ts'
import type { Fault } from './plan.ts'
import { causelessOutages, recoveryFrom } from './recoveries.ts'

const faultOf = (fault: object, fromMs: number, toMs: number): DoneFault => ({
  fault: { atMs: fromMs, forMs: toMs - fromMs, ...fault } as Fault,
  fromMs,
  toMs,
})
const stopped = (fromMs: number, toMs: number) => faultOf({ kind: 'postgresStopped' }, fromMs, toMs)
const clock = (atMs: number) => faultOf({ kind: 'clock', shiftMs: 1 }, atMs, atMs)
const silent = (fromMs: number, toMs: number) => faultOf({ kind: 'nasSilent', nas: 0 }, fromMs, toMs)

/** Shut for a use that began at `fromMs` and was over at `failedMs`, until somebody was served at `toMs`. */
function doorShut(fromMs: number, failedMs: number, toMs: number): Door {
  const door = new Door('soap')
  door.took('served', 0, 1)
  door.took('unserved', fromMs, failedMs)
  if (toMs !== Number.POSITIVE_INFINITY) door.took('served', toMs - 1, toMs)
  return door
}

t.test('a recovery is measured while nothing else is wrong', async (t) => {
  const fault = stopped(10_000, 15_000)
  const from = (door: Door, ...others: DoneFault[]) => recoveryFrom(fault, door, 'soap', [fault, ...others])
  const door = doorShut(9_900, 10_100, 17_000)
  const measured = { kind: 'measured', afterMs: 2_000 } as const
  t.same(from(door), measured)
  t.same(from(door, clock(5_000), stopped(1_000, 9_000), stopped(17_000, 20_000)), measured, 'before and afterwards')
  t.same(from(door, silent(12_000, 20_000)), measured, 'a NAS shuts no door of HTTP')
  t.equal(from(doorShut(10_500, 10_600, 14_000)), null, 'open again before the fault was repaired')
  t.equal(from(doorShut(16_000, 16_100, 18_000)), null, 'open when it was')
})

t.test('another fault ends the measuring', async (t) => {
  const fault = stopped(10_000, 15_000)
  const later = stopped(16_500, 30_000)
  const door = doorShut(10_000, 10_100, 31_000)
  t.same(recoveryFrom(fault, door, 'soap', [fault, later]), { kind: 'cutShort', afterMs: 1_500 })
  t.equal(recoveryFrom(later, door, 'soap', [fault, later]), null, 'shut before it began')
  const meanwhile = clock(20_000)
  t.equal(recoveryFrom(meanwhile, door, 'soap', [fault, later, meanwhile]), null, 'blamed for nothing')
  const overlapping = stopped(14_000, 15_500)
  t.equal(recoveryFrom(fault, door, 'soap', [fault, overlapping]), null, 'another was at work at its end')
  t.equal(recoveryFrom(fault, doorShut(10_000, 10_100, 17_000), 'soap', [clock(12_000), fault]), null, 'or before')
})

t.test('a door that stays shut, and the doors of a NAS', async (t) => {
  const fault = silent(10_000, 15_000)
  const never = doorShut(10_000, 10_100, Number.POSITIVE_INFINITY)
  const afterMs = Number.POSITIVE_INFINITY
  t.same(recoveryFrom(fault, never, 'radius auth', [fault]), { kind: 'measured', afterMs })
  t.equal(recoveryFrom(fault, never, 'soap', [fault]), null)
})

t.test('outages that no fault explains', async (t) => {
  const door = doorShut(10_000, 10_100, 17_000)
  const outage = [{ fromMs: 10_000, toMs: 17_000 }]
  t.same(
    causelessOutages(door, 'soap', [stopped(1_000, 9_000), silent(9_000, 18_000), stopped(18_000, 19_000)]),
    outage,
  )
  t.same(causelessOutages(door, 'soap', [clock(16_000)]), [])
  t.same(causelessOutages(door, 'radius auth', [silent(9_000, 18_000)]), [])
})
