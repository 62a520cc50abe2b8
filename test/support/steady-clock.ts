import type { Clock } from '../../src/platform/actors/clock.ts'

const tickMs = 2
/** What one turn of the event loop may last before the rest of it does not count. */
const turnMaxMs = 50

type Alarm = { readonly atMs: number; readonly callback: () => void }

const alarms = new Set<Alarm>()
let isTicking = false
let passedMs = 0
let nextMs = Number.POSITIVE_INFINITY

function beginTicking(): void {
  isTicking = true
  let lastMs = performance.now()
  const tick = () => {
    const nowMs = performance.now()
    passedMs += Math.min(nowMs - lastMs, turnMaxMs)
    lastMs = nowMs
    if (passedMs >= nextMs) ring()
  }
  setInterval(tick, tickMs).unref()
}

function ring(): void {
  const due = [...alarms].filter(({ atMs }) => atMs <= passedMs).sort((a, b) => a.atMs - b.atMs)
  for (const alarm of due) if (alarms.delete(alarm)) alarm.callback()
  nextMs = [...alarms].reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY)
}

/**
 * The time in which this process was running: what a busy machine holds back between two turns of the event loop is
 * left out. A wait therefore never ends before what was ready by then has been read. The time of day is the real one.
 */
export class SteadyClock implements Clock {
  constructor() {
    if (!isTicking) beginTicking()
  }

  now = (): Date => new Date()
  elapsedMs = (): number => passedMs
  after = (ms: number, callback: () => void): (() => void) => {
    const alarm = { atMs: passedMs + ms, callback }
    alarms.add(alarm)
    nextMs = Math.min(nextMs, alarm.atMs)
    return () => void alarms.delete(alarm)
  }
}
