import t from 'tap'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const november = (day: number, time = '00:05:00') =>
  `2026-11-${String(day).padStart(2, '0')}T${time.length === 5 ? `${time}:00` : time}+03:00`
const ruble = 10_000_000_000
const home = (days: string) => `Абонплата Home за ${days} ноября 2026`
const iptv = (days: string) => `Услуга IPTV за ${days} ноября 2026`
const each = (price: string, what: (day: string) => string, days: readonly number[]) =>
  days.map((day) => `-${price} ${what(String(day))}`)

const modes = ['monthly', 'daily'] as const

async function opened(t: Parameters<typeof BillingFixture.open>[0], mode: string): Promise<BillingFixture> {
  const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: mode })
  await fixture.run()
  return fixture
}

async function charged(fixture: BillingFixture, id = 1): Promise<string[]> {
  const lines = await fixture.lines(id)
  return lines.filter((line) => !line.includes('Смена')).sort()
}

async function runAt(fixture: BillingFixture, ...days: readonly number[]): Promise<void> {
  for (const day of days) {
    fixture.at(november(day))
    await fixture.run()
  }
}

t.test('a voluntary block around midnight on the first day of a contract loses no day', async (t) => {
  for (const mode of modes)
    for (const isBack of [true, false]) {
      const fixture = await opened(t, mode)
      await fixture.subscriber(1, { create_date: november(10, '12:00') })
      await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), { create_date: november(10, '13:00') })
      fixture.at(november(10, '23:50'))
      await fixture.block(1, 'client', true)
      fixture.at(november(11, '00:02'))
      if (isBack) await fixture.block(1, 'client', false)
      await runAt(fixture, 11, 12)
      const first = [`-20.00 ${home('10')}`, `-10.00 ${iptv('10')}`]
      const rest =
        mode === 'monthly'
          ? [`-400.00 ${home('11–30')}`, `-200.00 ${iptv('11–30')}`]
          : [...each('20.00', home, [11, 12]), ...each('10.00', iptv, [11, 12])]
      t.same(await charged(fixture), [...first, ...(isBack ? rest : [])].sort(), `${mode}, ${isBack}`)
      t.match(await fixture.run(), { charged: 0, skipped: 0 }, 'once')
    }
})

t.test('the last day of a month is not lost either', async (t) => {
  for (const mode of modes) {
    const fixture = await BillingFixture.open(t, shared, november(30), { TARIFF_CHARGE_MODE: mode })
    await fixture.run()
    await fixture.subscriber(1, { create_date: november(30, '12:00') })
    fixture.at(november(30, '23:59'))
    await fixture.block(1, 'client', true)
    fixture.at('2026-12-01T00:01:00+03:00')
    await fixture.block(1, 'client', false)
    fixture.at('2026-12-01T00:05:00+03:00')
    await fixture.run()
    const december =
      mode === 'monthly' ? '-600.00 Абонплата Home за декабрь 2026' : '-19.35 Абонплата Home за 1 декабря 2026'
    t.same(await charged(fixture), [december, `-20.00 ${home('30')}`].sort(), mode)
  }
})

t.test(
  'a service that is switched off and on while the worker is away for days is charged for all of its days',
  async (t) => {
    for (const mode of modes) {
      const fixture = await opened(t, mode)
      await fixture.subscriber(1, { tarif_id: null })
      const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
        create_date: november(10, '12:00'),
      })
      await fixture.switchOff(link, november(12, '10:00'))
      await fixture.switchOn(link, november(14, '09:00'))
      await fixture.switchOff(link, november(14, '18:00'))
      await fixture.switchOn(link, november(17, '09:00'))
      await runAt(fixture, 18)
      const lines =
        mode === 'monthly'
          ? [`-30.00 ${iptv('10–12')}`, `-10.00 ${iptv('14')}`, `-140.00 ${iptv('17–30')}`]
          : each('10.00', iptv, [10, 11, 12, 14, 17, 18])
      t.same(await charged(fixture), lines.sort(), mode)
      await runAt(fixture, 19)
      t.equal((await charged(fixture)).length, lines.length + (mode === 'daily' ? 1 : 0))
    }
  },
)

t.test('so is a subscriber who was away, and who had another tariff', async (t) => {
  for (const mode of modes) {
    const fixture = await opened(t, mode)
    for (const id of [1, 2, 3]) await fixture.subscriber(id, { create_date: november(10, '12:00') })
    fixture.at(november(12, '10:00'))
    await fixture.block(1, 'client', true)
    await fixture.tariff(2, 2)
    await fixture.freeze(3, november(14, '09:00'))
    fixture.at(november(14, '09:00'))
    await fixture.block(1, 'client', false)
    await runAt(fixture, 15)
    const away =
      mode === 'monthly'
        ? [`-60.00 ${home('10–12')}`, `-340.00 ${home('14–30')}`]
        : each('20.00', home, [10, 11, 12, 14, 15])
    t.same(await charged(fixture, 1), away.sort(), mode)
    t.same(await charged(fixture, 3), away.sort(), 'frozen')
    const fast = (days: string) => home(days).replace('Home', 'Fast')
    const other =
      mode === 'monthly'
        ? [`-40.00 ${home('10–11')}`, `-570.00 ${fast('12–30')}`]
        : [...each('20.00', home, [10, 11]), ...each('30.00', fast, [12, 13, 14, 15])]
    t.same(await charged(fixture, 2), other.sort())
  }
})

t.test('who does what at midnight and in the minutes before the run pays for these days', async (t) => {
  const cases: readonly (readonly [
    what: string,
    time: string,
    deed: (fixture: BillingFixture) => Promise<unknown>,
    monthly: readonly string[],
    daily: readonly string[],
  ])[] = [
    [
      'goes away at midnight',
      '00:00:00.000',
      (fixture) => fixture.block(1, 'client', true),
      [],
      each('20.00', home, [10]),
    ],
    [
      'goes away after midnight',
      '00:00:00.001',
      (fixture) => fixture.block(1, 'client', true),
      [],
      each('20.00', home, [10, 11]),
    ],
    [
      'takes another tariff at midnight',
      '00:00:00.000',
      (fixture) => fixture.tariff(1, 2),
      ['-200.00 Перерасчёт Fast за 11–30 ноября 2026'],
      [...each('20.00', home, [10]), ...each('30.00', (day) => home(day).replace('Home', 'Fast'), [11, 12])],
    ],
    [
      'takes another tariff before the run',
      '00:04:59.999',
      (fixture) => fixture.tariff(1, 2),
      ['-200.00 Перерасчёт Fast за 11–30 ноября 2026'],
      [...each('20.00', home, [10]), ...each('30.00', (day) => home(day).replace('Home', 'Fast'), [11, 12])],
    ],
    [
      'is frozen at midnight',
      '00:00:00.000',
      (fixture) => fixture.freeze(1, november(20)),
      [],
      each('20.00', home, [10]),
    ],
    [
      'is frozen before the run',
      '00:03:00.000',
      (fixture) => fixture.freeze(1, november(20)),
      [],
      each('20.00', home, [10, 11]),
    ],
  ]
  for (const [what, time, deed, ofMonth, ofDays] of cases)
    for (const mode of modes) {
      const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: mode })
      await fixture.subscriber(1)
      await fixture.run()
      fixture.at(november(11, time))
      await deed(fixture)
      await runAt(fixture, 11, 12)
      const lines = mode === 'monthly' ? ['-600.00 Абонплата Home за ноябрь 2026', ...ofMonth] : ofDays
      t.same(await charged(fixture), [...lines].sort(), `${what}, ${mode}`)
    }
})

t.test('who goes away on the first before the run pays for that day of the month', async (t) => {
  for (const [time, lines] of [
    ['00:00:00.000', []],
    ['00:03:00.000', ['-19.35 Абонплата Home за 1 декабря 2026']],
  ] as const) {
    const fixture = await BillingFixture.open(t, shared, november(1))
    await fixture.subscriber(1)
    await fixture.run()
    fixture.at(`2026-12-01T${time}+03:00`)
    await fixture.block(1, 'client', true)
    for (const day of ['01', '02', '03']) {
      fixture.at(`2026-12-${day}T00:05:00+03:00`)
      await fixture.run()
    }
    t.same((await fixture.lines(1)).slice(1), lines, time)
  }
})

t.test('who comes back at midnight, before the run or begins a contract then pays for the day', async (t) => {
  for (const mode of modes)
    for (const time of ['00:00:00.000', '00:04:59.999']) {
      const fixture = await BillingFixture.open(t, shared, '2026-10-31T12:00:00+03:00', { TARIFF_CHARGE_MODE: mode })
      await fixture.subscriber(1)
      await fixture.subscriber(2, { create_date: november(11, time) })
      await fixture.subscriber(3, { tarif_id: null })
      const link = await fixture.link(3, await fixture.usluga({ price: 600 * ruble }), { enabled: false })
      await fixture.subscriber(4)
      await fixture.block(1, 'client', true)
      await fixture.freeze(4, november(11, time))
      await runAt(fixture, 10)
      fixture.at(november(11, time))
      await fixture.block(1, 'client', false)
      await fixture.switchOn(link, november(11, time))
      await runAt(fixture, 11)
      const days = mode === 'monthly' ? `-400.00 ${home('11–30')}` : `-20.00 ${home('11')}`
      for (const id of [1, 2, 3, 4]) {
        const lines = (await charged(fixture, id)).map((line) => line.replace('Услуга IPTV', 'Абонплата Home'))
        t.same(lines, [days], `${id} at ${time}, ${mode}`)
      }
    }
})

t.test('a freeze counts although its date has been cleared since', async (t) => {
  for (const mode of modes) {
    const fixture = await BillingFixture.open(t, shared, '2026-10-31T12:00:00+03:00', { TARIFF_CHARGE_MODE: mode })
    await fixture.subscriber(1)
    await fixture.freeze(1, november(10, '09:00'))
    await runAt(fixture, 9)
    fixture.at(november(10, '12:00'))
    await fixture.wake(1)
    await runAt(fixture, 11)
    t.same(
      await charged(fixture),
      mode === 'monthly' ? [`-420.00 ${home('10–30')}`] : each('20.00', home, [10, 11]),
      mode,
    )
  }
})

t.test('what has been charged is forgotten, and what has not is kept', async (t) => {
  const fixture = await opened(t, 'monthly')
  for (const [id, day, time] of [
    [1, 10, '23:50'],
    [2, 11, '00:02'],
  ] as const) {
    await fixture.subscriber(id, { create_date: november(10, '12:00') })
    fixture.at(november(day, time))
    await fixture.block(id, 'client', true)
  }
  await runAt(fixture, 11)
  t.same(await fixture.sql('SELECT abonent_id::int AS id FROM ended_uses'), [{ id: 2 }])
  t.same(await charged(fixture, 2), [`-20.00 ${home('10')}`], 'the day is not over')
  await runAt(fixture, 12)
  t.same(await charged(fixture, 2), [`-20.00 ${home('10')}`, `-20.00 ${home('11')}`])
  t.same(await fixture.sql('SELECT FROM ended_uses'), [])
})
