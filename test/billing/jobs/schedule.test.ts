import t from 'tap'
import { describeSchedule, dueAfter } from '../../../src/billing/jobs/schedule.ts'

const daily = (at: string, timeZone: string, after: string) =>
  dueAfter({ kind: 'daily', at, timeZone }, new Date(after)).toISOString()

t.test('every so many seconds after the last start', async (t) => {
  const due = dueAfter({ kind: 'every', seconds: 300 }, new Date('2026-11-21T12:00:00Z'))
  t.equal(due.toISOString(), '2026-11-21T12:05:00.000Z')
})

t.test('each day by the clock of the zone', async (t) => {
  t.equal(daily('00:05', 'Europe/Moscow', '2026-11-21T21:04:59Z'), '2026-11-21T21:05:00.000Z')
  t.equal(daily('00:05', 'Europe/Moscow', '2026-11-21T21:05:00Z'), '2026-11-22T21:05:00.000Z')
  t.equal(daily('10:00', 'Asia/Kolkata', '2026-02-28T05:00:00Z'), '2026-03-01T04:30:00.000Z')
})

t.test('an hour that is skipped when the clock is set forward comes as much later', async (t) => {
  // Berlin, 2026-03-29: 02:00 becomes 03:00.
  t.equal(daily('02:30', 'Europe/Berlin', '2026-03-28T12:00:00Z'), '2026-03-29T01:30:00.000Z')
  t.equal(daily('02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z'), '2026-03-30T00:30:00.000Z')
  // Cairo, 2026-04-24: midnight becomes 01:00.
  t.equal(daily('00:05', 'Africa/Cairo', '2026-04-23T12:00:00Z'), '2026-04-23T22:05:00.000Z')
})

t.test('an hour that comes twice when the clock is set back counts once', async (t) => {
  // Berlin, 2026-10-25: 03:00 becomes 02:00.
  t.equal(daily('02:30', 'Europe/Berlin', '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00.000Z')
  t.equal(daily('02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00.000Z')
})

t.test('on every day of two years there is one run, an hour more or less than a day apart', async (t) => {
  for (const zone of ['Europe/Moscow', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Santiago']) {
    let at = new Date('2026-01-01T12:00:00Z')
    const gaps = new Set<number>()
    for (let day = 0; day < 730; day++) {
      const next = dueAfter({ kind: 'daily', at: '00:05', timeZone: zone }, at)
      if (day > 0) gaps.add((next.getTime() - at.getTime()) / 60_000)
      at = next
    }
    t.ok(
      [...gaps].every((minutes) => minutes >= 23 * 60 && minutes <= 25 * 60),
      `${zone}: ${[...gaps]}`,
    )
  }
})

t.test('a schedule is described in words for the operator', async (t) => {
  t.equal(describeSchedule({ kind: 'every', seconds: 900 }), 'каждые 15 мин')
  t.equal(describeSchedule({ kind: 'every', seconds: 60 }), 'каждую минуту')
  t.equal(describeSchedule({ kind: 'every', seconds: 90 }), 'каждые 90 с')
  t.equal(
    describeSchedule({ kind: 'daily', at: '00:05', timeZone: 'Europe/Moscow' }),
    'ежедневно в 00:05 (Europe/Moscow)',
  )
})
