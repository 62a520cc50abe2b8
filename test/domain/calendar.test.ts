import fc from 'fast-check'
import t from 'tap'
import {
  addDays,
  common,
  type Day,
  dayOf,
  daysBetween,
  daysIn,
  firstDay,
  lastDay,
  type Month,
  monthBefore,
  monthOf,
  nextMonth,
  startOfDay,
  wholeMonth,
} from '../../src/domain/calendar.ts'

const day = (text: string) => text as Day
const month = (text: string) => text as Month

t.test('a day is that of the wall clock of the zone', async (t) => {
  const cases: [instant: string, zone: string, day: string][] = [
    ['2026-11-30T20:59:59.999Z', 'Europe/Moscow', '2026-11-30'],
    ['2026-11-30T21:00:00.000Z', 'Europe/Moscow', '2026-12-01'],
    ['2026-12-31T23:59:59Z', 'UTC', '2026-12-31'],
    ['2026-12-31T14:00:00Z', 'Asia/Vladivostok', '2027-01-01'],
    ['2028-02-29T05:00:00Z', 'America/Sao_Paulo', '2028-02-29'],
    ['2028-03-01T02:59:59Z', 'America/Sao_Paulo', '2028-02-29'],
    ['2011-12-30T09:59:59Z', 'Pacific/Apia', '2011-12-29'],
    ['2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31'],
    ['+012026-01-01T00:00:00Z', 'UTC', '9999-12-31'],
    ['-000010-01-01T00:00:00Z', 'UTC', '0001-01-01'],
    ['0900-06-01T12:00:00Z', 'UTC', '0900-06-01'],
  ]
  for (const [instant, zone, expected] of cases) t.equal(dayOf(new Date(instant), zone), expected, `${instant} ${zone}`)
})

t.test('a day begins at its first instant in the zone', async (t) => {
  const cases: [day: string, zone: string, instant: string][] = [
    ['2026-12-01', 'Europe/Moscow', '2026-11-30T21:00:00.000Z'],
    ['2026-12-01', 'UTC', '2026-12-01T00:00:00.000Z'],
    // Clocks went from 00:00 to 01:00.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    // Clocks went from 00:00 back to 23:00 of the day before.
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
    ['2018-02-17', 'America/Sao_Paulo', '2018-02-17T02:00:00.000Z'],
    // Clocks went from 01:00 back to 00:00: the first of the two midnights.
    ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
    ['2011-12-29', 'Pacific/Apia', '2011-12-29T10:00:00.000Z'],
    // The zone had no 30th of December that year.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ]
  for (const [of, zone, expected] of cases) t.equal(startOfDay(day(of), zone).toISOString(), expected, `${of} ${zone}`)
})

const zones = [
  'UTC',
  'Europe/Moscow',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'America/Havana',
  'America/St_Johns',
  'Africa/Cairo',
]

t.test('an instant lies between the beginning of its day and that of the next', async () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      (instant, zone) => {
        const here = dayOf(instant, zone)
        const [start, end] = [startOfDay(here, zone), startOfDay(addDays(here, 1), zone)]
        // Newfoundland went back from 00:01: the minute after midnight belonged to a day that then ended again for an
        // hour.
        const mayRepeat = zone === 'America/St_Johns'
        const before = new Date(start.getTime() - 1)
        return (
          start <= instant && (instant < end || mayRepeat) && dayOf(start, zone) === here && dayOf(before, zone) < here
        )
      },
    ),
    { numRuns: 3_000 },
  )
})

t.test('months have their days, in leap years too', async (t) => {
  const cases: [month: string, days: number][] = [
    ['2026-01', 31],
    ['2026-02', 28],
    ['2028-02', 29],
    ['2000-02', 29],
    ['2100-02', 28],
    ['2026-04', 30],
    ['2026-12', 31],
  ]
  for (const [of, days] of cases) {
    t.equal(daysIn(month(of)), days, of)
    t.equal(daysBetween(wholeMonth(month(of))).length, days)
    t.equal(addDays(lastDay(month(of)), 1), firstDay(nextMonth(month(of))))
    t.equal(monthBefore(nextMonth(month(of))), of)
    t.equal(monthOf(lastDay(month(of))), of)
  }
  t.equal(nextMonth(month('2026-12')), '2027-01')
  t.equal(monthBefore(month('2026-01')), '2025-12')
})

t.test('spans meet in the days they have in common', async (t) => {
  const span = (from: string, to: string) => ({ from: day(from), to: day(to) })
  const november = wholeMonth(month('2026-11'))
  t.same(common(november, span('2026-11-10', '9999-12-31')), span('2026-11-10', '2026-11-30'))
  t.same(common(november, span('2020-01-01', '2026-11-01')), span('2026-11-01', '2026-11-01'))
  t.equal(common(november, span('2026-12-01', '9999-12-31')), null)
})
