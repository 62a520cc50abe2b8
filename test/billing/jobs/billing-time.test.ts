import t from 'tap'
import { daysToCharge } from '../../../src/billing/jobs/billing/worker.ts'
import type { Day } from '../../../src/domain/calendar.ts'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const november = (day: number, time = '00:05') => `2026-11-${String(day).padStart(2, '0')}T${time}:00+03:00`
const day = (text: string) => text as Day

t.test('the days to charge: from the last complete run to today, at most from the first of last month', async (t) => {
  const cases: [what: string, through: string | null, today: string, from: string][] = [
    ['the first run of all', null, '2026-11-21', '2026-11-21'],
    ['the day after', '2026-11-20', '2026-11-21', '2026-11-20'],
    ['once more today', '2026-11-21', '2026-11-21', '2026-11-21'],
    ['after an outage', '2026-10-30', '2026-11-02', '2026-10-30'],
    ['after half a year', '2026-05-10', '2026-11-02', '2026-10-01'],
    ['over the year', '2026-12-30', '2027-01-02', '2026-12-30'],
    ['the clock was set back', '2026-11-25', '2026-11-21', '2026-11-21'],
  ]
  for (const [what, through, today, from] of cases)
    t.same(daysToCharge(through === null ? null : day(through), day(today)), { from, to: today }, what)
})

t.test('the month begins at midnight of the time zone', async (t) => {
  const cases: [zone: string, before: string, after: string, month: string][] = [
    ['Europe/Moscow', '2026-11-30T20:59:59Z', '2026-11-30T21:00:00Z', 'декабрь 2026'],
    ['Asia/Vladivostok', '2026-11-30T13:59:59Z', '2026-11-30T14:00:00Z', 'декабрь 2026'],
    ['America/Sao_Paulo', '2026-12-01T02:59:59Z', '2026-12-01T03:00:00Z', 'декабрь 2026'],
    // Midnight of the fourth did not exist; the month is not touched by it.
    ['America/Sao_Paulo', '2018-11-01T02:59:59Z', '2018-11-01T03:00:00Z', 'ноябрь 2018'],
    ['Pacific/Apia', '2011-12-31T09:59:59Z', '2011-12-31T10:00:00Z', 'январь 2012'],
    ['UTC', '2028-02-29T23:59:59Z', '2028-03-01T00:00:00Z', 'март 2028'],
  ]
  for (const [timeZone, before, after, month] of cases)
    await t.test(`${timeZone}, ${month}`, async (t) => {
      const fixture = await BillingFixture.open(t, shared, before, { TIME_ZONE: timeZone })
      await fixture.subscriber(1, { create_date: '2000-01-01T00:00:00Z' })
      await fixture.run()
      t.equal((await fixture.lines(1)).length, 1, 'the month before')
      fixture.at(after)
      await fixture.run()
      t.equal((await fixture.lines(1))[1], `-600.00 Абонплата Home за ${month}`)
    })
})

t.test('a contract belongs to the day the time zone has', async (t) => {
  const cases: [zone: string, created: string, line: string][] = [
    ['Europe/Moscow', '2026-11-29T20:59:59Z', '-40.00 Абонплата Home за 29–30 ноября 2026'],
    ['Europe/Moscow', '2026-11-29T21:00:00Z', '-20.00 Абонплата Home за 30 ноября 2026'],
    ['Pacific/Apia', '2026-11-29T11:00:00Z', '-20.00 Абонплата Home за 30 ноября 2026'],
    ['America/Sao_Paulo', '2026-11-29T02:59:59Z', '-60.00 Абонплата Home за 28–30 ноября 2026'],
  ]
  for (const [timeZone, create_date, line] of cases)
    await t.test(`${timeZone} ${create_date}`, async (t) => {
      const fixture = await BillingFixture.open(t, shared, '2026-11-30T09:00:00Z', { TIME_ZONE: timeZone })
      await fixture.subscriber(1, { create_date })
      await fixture.run()
      t.same(await fixture.lines(1), [line])
    })
})

t.test('by the day: each day a part, the remainder on the last, and the month is its price', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2026-12-01T00:05:00+03:00', { TARIFF_CHARGE_MODE: 'daily' })
  await fixture.sql(`UPDATE tarifs SET price = 5000000000000 WHERE id = 1`)
  await fixture.subscriber(1)
  await fixture.link(1, await fixture.usluga({ price: 2_000_000_000n }), { end_time: '2026-12-31T00:00:00+03:00' })
  for (let number = 1; number <= 31; number++) {
    fixture.at(`2026-12-${String(number).padStart(2, '0')}T00:05:00+03:00`)
    await fixture.run()
  }
  const lines = await fixture.lines(1)
  t.equal(lines.length, 31, 'the service costs less than a kopeck a day, and its last day is not the month’s')
  t.equal(lines[0], '-16.12 Абонплата Home за 1 декабря 2026')
  t.equal(lines[30], '-16.40 Абонплата Home за 31 декабря 2026')
  t.same(await fixture.sql('SELECT -sum(op_summa)::int8 AS sum FROM finance_operations'), [{ sum: '5000000000000' }])
})

t.test(
  'by the day: a subscriber pays for each day that began with active service, and for the day service starts',
  async (t) => {
    const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: 'daily' })
    await fixture.subscriber(1)
    await fixture.subscriber(2, { create_date: november(10, '15:00') })
    await fixture.subscriber(3)
    await fixture.block(3, 'client', true)
    await fixture.run()
    fixture.at(november(11, '12:00'))
    await fixture.block(3, 'client', false)
    await fixture.remove(1)
    fixture.at(november(12))
    t.match(await fixture.run(), { from: '2026-11-10', to: '2026-11-12', given_back: 0 })
    t.same(await fixture.lines(1), ['-20.00 Абонплата Home за 10 ноября 2026'])
    const each = (days: number[]) => days.map((number) => `-20.00 Абонплата Home за ${number} ноября 2026`)
    t.same(await fixture.lines(2), each([10, 11, 12]))
    t.same(await fixture.lines(3), each([10, 11, 12]), 'the block came five minutes after the day had begun')
  },
)

t.test('by the day: every day missed in an outage is made up, once', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2026-10-29T00:05:00+03:00', { TARIFF_CHARGE_MODE: 'daily' })
  await fixture.subscriber(1)
  await fixture.run()
  fixture.at(november(2, '13:00'))
  t.match(await fixture.run(), { from: '2026-10-29', to: '2026-11-02', charged: 4 })
  t.same(await fixture.lines(1), [
    '-19.35 Абонплата Home за 29 октября 2026',
    '-19.35 Абонплата Home за 30 октября 2026',
    '-19.50 Абонплата Home за 31 октября 2026',
    '-20.00 Абонплата Home за 1 ноября 2026',
    '-20.00 Абонплата Home за 2 ноября 2026',
  ])
  const dates = await fixture.sql('SELECT DISTINCT op_date FROM finance_operations ORDER BY 1')
  t.same(dates, [{ op_date: new Date('2026-10-28T21:05:00Z') }, { op_date: new Date(november(2, '13:00')) }])
})

t.test('by the day: a day the zone has skipped is charged all the same, so that the month is its price', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2011-12-29T22:00:00Z', {
    TIME_ZONE: 'Pacific/Apia',
    TARIFF_CHARGE_MODE: 'daily',
  })
  await fixture.subscriber(1, { create_date: '2000-01-01T00:00:00Z' })
  await fixture.run()
  fixture.at('2011-12-30T11:00:00Z')
  await fixture.run()
  t.same(await fixture.lines(1), [
    '-19.35 Абонплата Home за 29 декабря 2011',
    '-19.35 Абонплата Home за 30 декабря 2011',
    '-19.50 Абонплата Home за 31 декабря 2011',
  ])
})

t.test('by the month: a month missed as a whole is made up, and who came in it pays from then', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2026-10-05T00:05:00+03:00')
  await fixture.subscriber(1)
  await fixture.run()
  await fixture.subscriber(2, { create_date: '2026-10-31T18:00:00+03:00' })
  fixture.at(november(1))
  await fixture.run()
  t.same(await fixture.lines(1), ['-600.00 Абонплата Home за октябрь 2026', '-600.00 Абонплата Home за ноябрь 2026'])
  t.same(await fixture.lines(2), ['-19.35 Абонплата Home за 31 октября 2026', '-600.00 Абонплата Home за ноябрь 2026'])
})

t.test('a change of mode counts from the next month', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(1))
  await fixture.subscriber(1)
  await fixture.run()
  await fixture.ledger.settings.set({ TARIFF_CHARGE_MODE: 'daily' })
  for (const number of [2, 30]) {
    fixture.at(november(number))
    await fixture.run()
  }
  t.same(await fixture.lines(1), ['-600.00 Абонплата Home за ноябрь 2026'], 'November stays a whole')
  fixture.at('2026-12-01T00:05:00+03:00')
  await fixture.run()
  await fixture.ledger.settings.set({ TARIFF_CHARGE_MODE: 'monthly' })
  fixture.at('2026-12-02T00:05:00+03:00')
  await fixture.run()
  t.same((await fixture.lines(1)).slice(1), [
    '-19.35 Абонплата Home за 1 декабря 2026',
    '-19.35 Абонплата Home за 2 декабря 2026',
  ])
  fixture.at('2027-01-01T00:05:00+03:00')
  await fixture.run()
  const lines = await fixture.lines(1)
  t.equal(lines.at(-1), '-600.00 Абонплата Home за январь 2027')
  t.equal(lines.length, 1 + 31 + 1, 'what was missed of December was made up by the day')
  t.same(await fixture.sql('SELECT month, mode FROM charge_months ORDER BY month'), [
    { month: '2026-11', mode: 'monthly' },
    { month: '2026-12', mode: 'daily' },
    { month: '2027-01', mode: 'monthly' },
  ])
})

t.test('a tariff changed in a charged month is settled for the days that remain', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(1))
  await fixture.subscriber(1)
  await fixture.run()
  fixture.at(november(16, '10:00'))
  await fixture.tariff(1, 2)
  fixture.at(november(21, '10:00'))
  await fixture.tariff(1, 1)
  await fixture.run()
  t.same(
    (await fixture.lines(1)).filter((line) => !line.includes('Смена')),
    [
      '-600.00 Абонплата Home за ноябрь 2026',
      '-150.00 Перерасчёт Fast за 16–30 ноября 2026',
      '100.00 Перерасчёт Home за 21–30 ноября 2026',
    ],
  )
})

t.test('by the day: a tariff changed today costs its own part of today', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(16), { TARIFF_CHARGE_MODE: 'daily' })
  await fixture.subscriber(1)
  await fixture.run()
  fixture.at(november(16, '10:00'))
  await fixture.tariff(1, 2)
  fixture.at(november(17))
  await fixture.run()
  t.same(
    (await fixture.lines(1)).filter((line) => !line.includes('Смена')),
    [
      '-20.00 Абонплата Home за 16 ноября 2026',
      '-10.00 Перерасчёт Fast за 16 ноября 2026',
      '-30.00 Абонплата Fast за 17 ноября 2026',
    ],
  )
})
