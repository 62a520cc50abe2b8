import t from 'tap'
import { operationId, subscriberId } from '../../../src/domain/ids.ts'
import { BillingFixture, type Line } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'
import { zoneOfNoon } from '../../support/noon.ts'

const shared = await SharedDatabase.open(t)

/** 00:05 in Moscow on the first of November. */
const first = '2026-10-31T21:05:00Z'
const november = (day: number, time = '00:05') => `2026-11-${String(day).padStart(2, '0')}T${time}:00+03:00`
const ruble = 10_000_000_000
const whole = '-600.00 Абонплата Home за ноябрь 2026'

type Prepared = readonly [
  what: string,
  prepare: (id: number, fixture: BillingFixture) => Promise<unknown>,
  lines: Line[],
]

t.test('who is charged for the month on its first day', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  const cases: Prepared[] = [
    ['a subscriber', async () => {}, [whole]],
    [
      'a debtor',
      (id) => fixture.sql('UPDATE admin_accounts SET ostatok = -5, credit = 5 WHERE id = $1', [id]),
      [whole],
    ],
    ['blocked by an operator', (id) => fixture.block(id, 'operator', true), [whole]],
    ['blocked by own wish', (id) => fixture.block(id, 'client', true), []],
    ['frozen', (id) => fixture.sleep(id, november(20)), []],
    ['frozen until a moment ago', (id) => fixture.sleep(id, november(1, '00:01')), [whole]],
    ['deleted', (id) => fixture.remove(id), []],
    ['without a tariff', (id) => fixture.set(id, { tarif_id: null }), []],
    ['on a free tariff', (id) => fixture.set(id, { tarif_id: 3 }), []],
    ['with a contract that begins later', (id) => fixture.set(id, { create_date: november(5) }), []],
  ]
  for (const [at, [, prepare]] of cases.entries()) {
    await fixture.subscriber(at + 1)
    await prepare(at + 1, fixture)
  }
  t.match(await fixture.run(), { from: '2026-11-01', to: '2026-11-01', charged: 4, amount: '2400.00', failed: 0 })
  for (const [at, [what, , lines]] of cases.entries()) t.same(await fixture.lines(at + 1), lines, what)
  t.match(await fixture.run(), { charged: 0, amount: '0.00', skipped: 0, failed: 0 }, 'once')
})

t.test('who becomes chargeable during the month pays from that day', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2026-10-31T12:00:00+03:00')
  const rest = ['-420.00 Абонплата Home за 10–30 ноября 2026']
  const cases: (readonly [...Prepared, on: (id: number) => Promise<unknown>])[] = [
    ['a new contract', (id) => fixture.set(id, { create_date: november(10, '15:00') }), rest, async () => {}],
    [
      'back from a block of one’s own',
      (id) => fixture.block(id, 'client', true),
      rest,
      (id) => fixture.block(id, 'client', false),
    ],
    ['a freeze that is over', (id) => fixture.sleep(id, november(10, '12:00')), rest, async () => {}],
    ['a freeze that is taken away', (id) => fixture.sleep(id, november(25)), rest, (id) => fixture.wake(id)],
    ['brought back', (id) => fixture.remove(id), rest, (id) => fixture.remove(id, false)],
    ['a tariff after none', (id) => fixture.set(id, { tarif_id: null }), rest, (id) => fixture.tariff(id, 1)],
    ['a tariff after a free one', (id) => fixture.set(id, { tarif_id: 3 }), rest, (id) => fixture.tariff(id, 1)],
    [
      'a short block in a month that has been charged',
      async () => {},
      [whole],
      async (id) => {
        await fixture.block(id, 'client', true)
        await fixture.block(id, 'client', false)
      },
    ],
  ]
  for (const [at, [, prepare]] of cases.entries()) {
    await fixture.subscriber(at + 1)
    await prepare(at + 1, fixture)
  }
  fixture.at(first)
  await fixture.run()
  fixture.at(november(10, '15:30'))
  for (const [at, [, , , on]] of cases.entries()) await on(at + 1)
  fixture.at(november(11))
  t.match(await fixture.run(), { from: '2026-11-01', to: '2026-11-11', charged: 7, failed: 0 })
  for (const [at, [what, , lines]] of cases.entries()) {
    const charges = (await fixture.lines(at + 1)).filter((line) => !line.includes('Смена'))
    t.same(charges, lines, what)
  }
})

t.test('a block of one’s own for the minutes of every run makes no day free', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  for (let day = 1; day <= 30; day++) {
    fixture.at(november(day, '00:04'))
    await fixture.block(1, 'client', true)
    fixture.at(november(day))
    await fixture.run()
    fixture.at(november(day, '00:10'))
    await fixture.block(1, 'client', false)
    fixture.at(november(day, '23:59'))
    await fixture.block(1, 'client', true)
  }
  fixture.at('2026-12-01T00:05:00+03:00')
  await fixture.run()
  const lines = await fixture.lines(1)
  t.same([lines[0], lines.length], ['-20.00 Абонплата Home за 1 ноября 2026', 30])
  t.same(await fixture.sql('SELECT -sum(op_summa)::int8 AS sum FROM finance_operations'), [{ sum: '6000000000000' }])
})

t.test('a tariff or a service that gets a price is charged from then on', async (t) => {
  const timeZone = zoneOfNoon()
  const fixture = await BillingFixture.open(t, shared, first, { TIME_ZONE: timeZone })
  await fixture.subscriber(1, { tarif_id: 3 })
  const service = await fixture.usluga({ price: 0 })
  await fixture.link(1, service)
  await fixture.link(1, await fixture.usluga({ name: 'Own', price: 300 * ruble }), { summ: 0 })
  await fixture.run()
  t.same(await fixture.lines(1), [])
  // The tables note the real time, so the clock is set to it.
  fixture.at(new Date().toISOString())
  await fixture.sql('UPDATE tarifs SET price = $1 WHERE id = 3', [600 * ruble])
  await fixture.sql('UPDATE uslugas SET price = $1 WHERE id = $2', [600 * ruble, service])
  await fixture.sql('UPDATE users_uslugas SET summ = NULL WHERE summ = 0')
  fixture.at(new Date(Date.now() + 1000).toISOString())
  await fixture.run()
  const [row] = await fixture.sql('SELECT to_char(priced_from AT TIME ZONE $1, $2) AS month FROM tarifs WHERE id = 3', [
    timeZone,
    'DD',
  ])
  const lines = await fixture.lines(1)
  t.equal(lines.length, 3, 'the month of the change')
  if (row!.month !== '01') for (const line of lines) t.notMatch(line, /^-[36]00\.00/, 'and not for the days before')
})

t.test('services: own price, sum, price, count, term and switch', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1, { tarif_id: null })
  const iptv = await fixture.usluga({ name: 'IPTV', price: 300 * ruble })
  const sum = await fixture.usluga({ name: 'Sum', price: 300 * ruble, summa: 150 * ruble })
  await fixture.link(1, iptv)
  await fixture.link(1, iptv, { summ: 0 })
  await fixture.link(1, iptv, { summ: 100 * ruble, countt: 3 })
  await fixture.link(1, sum, { countt: 2 })
  await fixture.link(1, iptv, { countt: 0 })
  await fixture.link(1, iptv, { enabled: false })
  await fixture.link(1, iptv, { end_time: '2026-10-31T20:00:00Z' })
  await fixture.link(1, iptv, { end_time: november(11, '00:00') })
  await fixture.link(1, iptv, { create_date: november(16, '10:00') })
  await fixture.link(1, 30353, { summ: 100 * ruble, end_time: november(20) })
  await fixture.link(1, -3, { summ: 100 * ruble, end_time: november(20) })
  await fixture.link(1, iptv, { system_type: 11, end_time: november(20) })
  t.match(await fixture.run(), { charged: 4, amount: '1000.00' })
  t.same((await fixture.lines(1)).sort(), [
    '-100.00 Услуга IPTV за 1–10 ноября 2026',
    '-300.00 Услуга IPTV × 3 за ноябрь 2026',
    '-300.00 Услуга IPTV за ноябрь 2026',
    '-300.00 Услуга Sum × 2 за ноябрь 2026',
  ])
  fixture.at(november(17))
  await fixture.run()
  t.same((await fixture.lines(1)).slice(4), ['-150.00 Услуга IPTV за 16–30 ноября 2026'])
  const rows = await fixture.sql('SELECT DISTINCT op_type_id::int AS type FROM finance_operations')
  t.same(rows, [{ type: 3 }])
})

t.test('a service that is switched on again is charged from then on', async (t) => {
  const fixture = await BillingFixture.open(t, shared, new Date().toISOString())
  await fixture.subscriber(1, { tarif_id: null })
  const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), { enabled: false })
  await fixture.sql('UPDATE users_uslugas SET enabled = true WHERE id = $1', [link])
  const [row] = await fixture.sql('SELECT charged_from FROM users_uslugas WHERE id = $1', [link])
  t.type(row!.charged_from, Date)
  await fixture.sql('UPDATE users_uslugas SET countt = 2 WHERE id = $1', [link])
  t.same(await fixture.sql('SELECT charged_from FROM users_uslugas WHERE id = $1', [link]), [row], 'it was on already')
})

t.test('a service that is switched off before it was charged costs the days it was on', async (t) => {
  for (const [mode, again] of [
    ['monthly', ['-190.00 Услуга IPTV за 12–30 ноября 2026']],
    ['daily', ['-10.00 Услуга IPTV за 12 ноября 2026', '-10.00 Услуга IPTV за 13 ноября 2026']],
  ] as const) {
    const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: mode })
    const iptv = await fixture.usluga({ price: 300 * ruble })
    await fixture.subscriber(1, { tarif_id: null })
    await fixture.run()
    const link = await fixture.link(1, iptv, { create_date: november(10, '10:00') })
    await fixture.link(1, iptv, { enabled: false })
    await fixture.switchOff(link, november(10, '11:00'))
    fixture.at(november(10, '12:00'))
    await fixture.run()
    t.same(await fixture.lines(1), [], 'it may be on again before the day is over')
    fixture.at(november(11))
    await fixture.run()
    const used = '-10.00 Услуга IPTV за 10 ноября 2026'
    t.same(await fixture.lines(1), [used], mode)
    t.match(await fixture.run(), { charged: 0, skipped: 0 }, 'once')
    await fixture.switchOn(link, november(12, '09:00'))
    fixture.at(november(13))
    await fixture.run()
    t.same(await fixture.lines(1), [used, ...again], 'what is on again is charged from then')
    await fixture.switchOff(link, november(13, '11:00'))
    fixture.at(november(14))
    t.match(await fixture.run(), { charged: 0 }, 'it has been paid for')
  }
})

t.test('a service that was on in the last hours of a month is charged for them', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(30))
  await fixture.subscriber(1, { tarif_id: null })
  await fixture.run()
  const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
    create_date: november(29, '23:00'),
  })
  await fixture.switchOff(link, november(30, '23:59'))
  fixture.at('2026-12-01T00:05:00+03:00')
  t.match(await fixture.run(), { charged: 1, amount: '20.00' })
  t.same(await fixture.lines(1), ['-20.00 Услуга IPTV за 29–30 ноября 2026'])
})

t.test('a service that is switched off after midnight and before the run is charged day by day', async (t) => {
  for (const TARIFF_CHARGE_MODE of ['monthly', 'daily']) {
    const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE })
    await fixture.subscriber(1, { tarif_id: null })
    await fixture.run()
    const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
      create_date: november(10, '19:00'),
    })
    const ofDay = (day: number) => `-10.00 Услуга IPTV за ${day} ноября 2026`
    await fixture.switchOff(link, november(11, '00:03'))
    fixture.at(november(11, '00:05'))
    await fixture.run()
    t.same(await fixture.lines(1), [ofDay(10)], TARIFF_CHARGE_MODE)
    await fixture.switchOn(link, november(11, '19:00'))
    await fixture.switchOff(link, november(12, '00:03'))
    fixture.at(november(12, '00:05'))
    await fixture.run()
    t.same(await fixture.lines(1), [ofDay(10), ofDay(11)])
    fixture.at(november(13, '00:05'))
    await fixture.run()
    t.same(await fixture.lines(1), [ofDay(10), ofDay(11), ofDay(12)], 'it was on when the day began')
    t.match(await fixture.run(), { charged: 0, skipped: 0 })
  }
})

t.test('a service that was on and off while the worker could not run is charged for all of its days', async (t) => {
  for (const [TARIFF_CHARGE_MODE, lines] of [
    ['monthly', ['-30.00 Услуга IPTV за 10–12 ноября 2026']],
    ['daily', [10, 11, 12].map((day) => `-10.00 Услуга IPTV за ${day} ноября 2026`)],
  ] as const) {
    const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE })
    await fixture.subscriber(1, { tarif_id: null })
    await fixture.run()
    const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
      create_date: november(10, '19:00'),
    })
    await fixture.switchOff(link, november(12, '15:00'))
    fixture.at(november(13))
    await fixture.run()
    t.same(await fixture.lines(1), lines)
  }
})

t.test('a service that was switched off before its subscriber returned costs nothing', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(10))
  await fixture.subscriber(1, { tarif_id: null })
  await fixture.run()
  const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
    create_date: '2026-10-05T12:00:00+03:00',
  })
  await fixture.switchOff(link, november(10, '08:55'))
  await fixture.sql('UPDATE abonents SET charged_from = $1 WHERE id = 1', [november(10, '09:00')])
  fixture.at(november(11))
  t.match(await fixture.run(), { charged: 0 })
})

t.test('an active promise payment costs the price of its service each day', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(10))
  await fixture.subscriber(1, { tarif_id: null })
  await fixture.sql('UPDATE uslugas SET price = $1 WHERE id = 30353', [5 * ruble])
  await fixture.run()
  await fixture.link(1, 30353, { system_type: 11, create_date: november(10, '15:00'), end_time: november(12, '15:00') })
  for (const day of [11, 12, 13]) {
    fixture.at(november(day))
    await fixture.run()
  }
  t.same(await fixture.lines(1), [
    '-5.00 Обещанный платёж за 11 ноября 2026',
    '-5.00 Обещанный платёж за 12 ноября 2026',
  ])
  t.same(
    await fixture.sql('SELECT DISTINCT op_type_id::int AS type, usluga_id::int AS usluga FROM finance_operations'),
    [{ type: 3, usluga: 30353 }],
  )
})

t.test('no promise is charged where the setting or the price says so', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(10), { LK_PROMISE_PAY_DAILY_CHARGE: '0' })
  await fixture.subscriber(1, { tarif_id: null })
  await fixture.link(1, 30353, { system_type: 11, create_date: november(9), end_time: november(12) })
  await fixture.sql('UPDATE uslugas SET price = $1 WHERE id = 30353', [5 * ruble])
  await fixture.run()
  await fixture.ledger.settings.set({ LK_PROMISE_PAY_DAILY_CHARGE: true })
  await fixture.sql('UPDATE uslugas SET price = 0 WHERE id = 30353')
  await fixture.run()
  t.same(await fixture.lines(1), [])
})

t.test('who is deleted in a charged month gets the days after back, once', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), { countt: 2 })
  await fixture.subscriber(2, { create_date: november(11) })
  await fixture.subscriber(3)
  await fixture.run()
  fixture.at(november(12))
  await fixture.run()
  fixture.at(november(20, '18:00'))
  for (const id of [1, 2]) await fixture.remove(id)
  fixture.at(november(21))
  t.match(await fixture.run(), { given_back: 3, given_back_amount: '600.00' })
  await fixture.run()
  t.same(await fixture.lines(1), [
    whole,
    '-600.00 Услуга IPTV × 2 за ноябрь 2026',
    '200.00 Перерасчёт Home за 21–30 ноября 2026',
    '200.00 Перерасчёт IPTV за 21–30 ноября 2026',
  ])
  t.same(await fixture.lines(2), [
    '-400.00 Абонплата Home за 11–30 ноября 2026',
    '200.00 Перерасчёт Home за 21–30 ноября 2026',
  ])
  t.same(await fixture.lines(3), [whole])
  t.same(await fixture.sql('SELECT DISTINCT op_type_id::int AS type FROM finance_operations WHERE op_summa > 0'), [
    { type: 41 },
  ])
})

t.test('never more is given back than was charged', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.run()
  await fixture.sql('UPDATE tarifs SET price = 9000 * 10000000000::int8 WHERE id = 1')
  fixture.at(november(2))
  await fixture.remove(1)
  fixture.at(november(3))
  await fixture.run()
  t.same(await fixture.lines(1), [whole, '600.00 Перерасчёт Home за 3–30 ноября 2026'])
})

t.test('a reversed charge is not given back again', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.run()
  await fixture.ask(1, { kind: 'reverse', operationId: null })
  await fixture.remove(1)
  fixture.at(november(3))
  t.match(await fixture.run(), { given_back: 0, charged: 0 })
})

/** Reverses the operation with this description. */
async function reverse(fixture: BillingFixture, id: number, descr: string): Promise<string> {
  const [found] = await fixture.sql(
    'SELECT op_id FROM finance_operations WHERE abonent_id = $1 AND descr = $2 ORDER BY op_id LIMIT 1',
    [id, descr],
  )
  const command = { kind: 'reverseAny', operationId: operationId(String(found!.op_id)), reason: 'test' } as const
  const outcome = await fixture.ask(id, command)
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind
}

t.test(
  'a charge of which a part was given back is reversed after that part, and its month is not charged again',
  async (t) => {
    const fixture = await BillingFixture.open(t, shared, first)
    await fixture.subscriber(1)
    const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }))
    await fixture.run()
    const [home, iptv] = ['Абонплата Home за ноябрь 2026', 'Услуга IPTV за ноябрь 2026']
    fixture.at(november(16, '12:00'))
    await fixture.ask(1, { kind: 'endService', subscriberId: subscriberId(1), linkId: link })
    t.equal(await reverse(fixture, 1, iptv), 'givenBack', 'the service')
    await fixture.tariff(1, 3)
    t.equal(await reverse(fixture, 1, home), 'givenBack', 'the tariff')
    t.equal(await reverse(fixture, 1, 'Перерасчёт Free за 16–30 ноября 2026'), 'done')
    t.equal(await reverse(fixture, 1, home), 'done', 'after the settlement has been reversed')
    t.equal(await reverse(fixture, 1, home), 'alreadyReversed')
    t.equal(await reverse(fixture, 1, iptv), 'givenBack', 'what was given back for another thing does not count')
    await fixture.tariff(1, 1)
    t.match(await fixture.run(), { charged: 0, given_back: 0 })
  },
)

t.test('the charge of a day is held up by what was given back for that day alone', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: 'daily' })
  await fixture.subscriber(1)
  await fixture.run()
  fixture.at(november(11))
  await fixture.run()
  await fixture.tariff(1, 3)
  t.equal(await reverse(fixture, 1, 'Абонплата Home за 11 ноября 2026'), 'givenBack')
  t.equal(await reverse(fixture, 1, 'Абонплата Home за 10 ноября 2026'), 'done')
})

t.test('the charge of a return is that of a month, also when it was made on the day of the return', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.run()
  fixture.at(november(10, '12:00'))
  await fixture.remove(1)
  await fixture.run()
  fixture.at(november(16, '12:00'))
  await fixture.remove(1, false)
  await fixture.run()
  fixture.at(november(20, '12:00'))
  await fixture.remove(1)
  await fixture.run()
  const returned = 'Абонплата Home за 16–30 ноября 2026'
  t.equal(await reverse(fixture, 1, returned), 'givenBack', 'ten of its days were given back')
  t.equal(await reverse(fixture, 1, 'Перерасчёт Home за 21–30 ноября 2026'), 'done')
  t.equal(await reverse(fixture, 1, returned), 'done')
})

t.test('a refund is not reversed while the days after a return are charged again', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.link(1, await fixture.usluga({ price: 300 * ruble }))
  await fixture.run()
  fixture.at(november(10, '12:00'))
  await fixture.remove(1)
  fixture.at(november(11))
  await fixture.run()
  fixture.at(november(16, '12:00'))
  await fixture.remove(1, false)
  fixture.at(november(17))
  await fixture.run()
  const pairs = [
    ['Перерасчёт Home за 11–30 ноября 2026', 'Абонплата Home за 16–30 ноября 2026'],
    ['Перерасчёт IPTV за 11–30 ноября 2026', 'Услуга IPTV за 16–30 ноября 2026'],
  ] as const
  for (const [refund, charge] of pairs) {
    t.equal(await reverse(fixture, 1, refund), 'givenBack', refund)
    t.equal(await reverse(fixture, 1, charge), 'done', charge)
    t.equal(await reverse(fixture, 1, refund), 'done', 'after that was reversed')
  }
  t.match(await fixture.run(), { charged: 0, given_back: 0 })
})

t.test('a reversal of last month takes nothing from what is given back for this one', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2026-09-30T21:05:00Z')
  await fixture.subscriber(1)
  await fixture.run()
  fixture.at(first)
  await fixture.run()
  t.equal(await reverse(fixture, 1, 'Абонплата Home за октябрь 2026'), 'done')
  fixture.at(november(10, '12:00'))
  await fixture.remove(1)
  fixture.at(november(11))
  await fixture.run()
  t.equal((await fixture.lines(1)).at(-1), '400.00 Перерасчёт Home за 11–30 ноября 2026')
})

t.test(
  'a refund that was reversed charges its days, and who is brought back does not pay for them twice',
  async (t) => {
    const fixture = await BillingFixture.open(t, shared, first)
    await fixture.subscriber(1)
    await fixture.run()
    fixture.at(november(10, '12:00'))
    await fixture.remove(1)
    fixture.at(november(11))
    await fixture.run()
    t.equal(await reverse(fixture, 1, 'Перерасчёт Home за 11–30 ноября 2026'), 'done')
    fixture.at(november(16, '12:00'))
    await fixture.remove(1, false)
    fixture.at(november(17))
    t.match(await fixture.run(), { charged: 0, given_back: 0 })
  },
)

t.test('who is brought back in the month of a refund pays for the rest of it, every time', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.link(1, await fixture.usluga({ price: 300 * ruble }))
  await fixture.run()
  fixture.at(november(10, '12:00'))
  await fixture.remove(1)
  fixture.at(november(11))
  await fixture.run()
  fixture.at(november(16, '12:00'))
  await fixture.remove(1, false)
  fixture.at(november(17))
  await fixture.run()
  await fixture.run()
  fixture.at(november(20, '12:00'))
  await fixture.remove(1)
  fixture.at(november(21))
  await fixture.run()
  await fixture.run()
  t.same(await fixture.lines(1), [
    whole,
    '-300.00 Услуга IPTV за ноябрь 2026',
    '400.00 Перерасчёт Home за 11–30 ноября 2026',
    '200.00 Перерасчёт IPTV за 11–30 ноября 2026',
    '-300.00 Абонплата Home за 16–30 ноября 2026',
    '-150.00 Услуга IPTV за 16–30 ноября 2026',
    '200.00 Перерасчёт Home за 21–30 ноября 2026',
    '100.00 Перерасчёт IPTV за 21–30 ноября 2026',
  ])
})

t.test('deleted and brought back between two runs: nothing has happened', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.run()
  await fixture.remove(1)
  await fixture.remove(1, false)
  fixture.at(november(2))
  await fixture.run()
  t.same(await fixture.lines(1), [whole])
})

t.test('a planned change of tariff comes before the charge of its month', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1, { next_tarif_id: 2, next_tarif_date: '2026-11-01T00:00:00+03:00' })
  await fixture.subscriber(2, { next_tarif_id: 2, next_tarif_date: november(16, '12:00') })
  await fixture.subscriber(3, { next_tarif_id: 1, next_tarif_date: '2026-11-01T00:00:00+03:00' })
  t.match(await fixture.run(), { tariffs_changed: 1, charged: 3 })
  t.same(await fixture.lines(1), ['0.00 Смена тарифа: Home → Fast', '-900.00 Абонплата Fast за ноябрь 2026'])
  t.same(await fixture.lines(2), [whole])
  fixture.at(november(16, '13:00'))
  t.match(await fixture.run(), { tariffs_changed: 1, charged: 0 })
  t.same((await fixture.lines(2)).sort(), [
    '-150.00 Перерасчёт Fast за 16–30 ноября 2026',
    whole,
    '0.00 Смена тарифа: Home → Fast',
  ])
  t.same(
    await fixture.sql('SELECT tarif_id::int AS tarif, next_tarif_id, next_tarif_date FROM abonents ORDER BY id'),
    [2, 2, 1].map((tarif) => ({ tarif, next_tarif_id: null, next_tarif_date: null })),
  )
})

t.test('what a charge says in the ledger', async (t) => {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.subscriber(1)
  await fixture.run()
  const rows =
    await fixture.sql(`SELECT op_type_id::int AS type, op_summa, usluga_id, abonent_id::int AS abonent, account_id::int AS account,
    owner_id, op_date, isbuhdoc, storno FROM finance_operations`)
  t.same(rows, [
    {
      type: 32,
      op_summa: String(-600 * ruble),
      usluga_id: null,
      abonent: 1,
      account: 1,
      owner_id: null,
      op_date: new Date(first),
      isbuhdoc: true,
      storno: false,
    },
  ])
  t.same(await fixture.sql('SELECT key FROM money_keys'), [{ key: 'charge:1:tariff:2026-11' }])
})
