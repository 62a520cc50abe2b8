import t from 'tap'
import { BillingStand, type Line } from '../../support/billing.ts'

/** 00:05 in Moscow on the first of November. */
const first = '2026-10-31T21:05:00Z'
const november = (day: number, time = '00:05') => `2026-11-${String(day).padStart(2, '0')}T${time}:00+03:00`
const ruble = 10_000_000_000
const whole = '-600.00 Абонплата Home за ноябрь 2026'

type Prepared = readonly [what: string, prepare: (id: number, stand: BillingStand) => Promise<unknown>, lines: Line[]]

t.test('who is charged for the month on its first day', async (t) => {
  const stand = await BillingStand.open(t, first)
  const cases: Prepared[] = [
    ['a subscriber', async () => {}, [whole]],
    ['a debtor', (id) => stand.sql('UPDATE admin_accounts SET ostatok = -5, credit = 5 WHERE id = $1', [id]), [whole]],
    ['blocked by an operator', (id) => stand.block(id, 'operator', true), [whole]],
    ['blocked by own wish', (id) => stand.block(id, 'client', true), []],
    ['frozen', (id) => stand.sleep(id, november(20)), []],
    ['frozen until a moment ago', (id) => stand.sleep(id, november(1, '00:01')), [whole]],
    ['deleted', (id) => stand.remove(id), []],
    ['without a tariff', (id) => stand.set(id, { tarif_id: null }), []],
    ['on a free tariff', (id) => stand.set(id, { tarif_id: 3 }), []],
    ['with a contract that begins later', (id) => stand.set(id, { create_date: november(5) }), []],
  ]
  for (const [at, [, prepare]] of cases.entries()) {
    await stand.subscriber(at + 1)
    await prepare(at + 1, stand)
  }
  t.match(await stand.run(), { from: '2026-11-01', to: '2026-11-01', charged: 4, amount: '2400.00', failed: 0 })
  for (const [at, [what, , lines]] of cases.entries()) t.same(await stand.lines(at + 1), lines, what)
  t.match(await stand.run(), { charged: 0, amount: '0.00', skipped: 0, failed: 0 }, 'once')
})

t.test('who becomes chargeable during the month pays from that day', async (t) => {
  const stand = await BillingStand.open(t, first)
  const rest = ['-420.00 Абонплата Home за 10–30 ноября 2026']
  const cases: (readonly [...Prepared, on: (id: number) => Promise<unknown>])[] = [
    ['a new contract', (id) => stand.set(id, { create_date: november(10, '15:00') }), rest, async () => {}],
    [
      'back from a block of one’s own',
      (id) => stand.block(id, 'client', true),
      rest,
      (id) => stand.block(id, 'client', false),
    ],
    ['a freeze that is over', (id) => stand.sleep(id, november(10, '12:00')), rest, async () => {}],
    ['a freeze that is taken away', (id) => stand.sleep(id, november(25)), rest, (id) => stand.wake(id)],
    ['brought back', (id) => stand.remove(id), rest, (id) => stand.remove(id, false)],
    ['a tariff after none', (id) => stand.set(id, { tarif_id: null }), rest, (id) => stand.tariff(id, 1)],
    ['a tariff after a free one', (id) => stand.set(id, { tarif_id: 3 }), rest, (id) => stand.tariff(id, 1)],
    [
      'a short block in a month that has been charged',
      async () => {},
      [whole],
      async (id) => {
        await stand.block(id, 'client', true)
        await stand.block(id, 'client', false)
      },
    ],
  ]
  for (const [at, [, prepare]] of cases.entries()) {
    await stand.subscriber(at + 1)
    await prepare(at + 1, stand)
  }
  await stand.run()
  stand.at(november(10, '15:30'))
  for (const [at, [, , , on]] of cases.entries()) await on(at + 1)
  stand.at(november(11))
  t.match(await stand.run(), { from: '2026-11-01', to: '2026-11-11', charged: 7, failed: 0 })
  for (const [at, [what, , lines]] of cases.entries()) {
    const charges = (await stand.lines(at + 1)).filter((line) => !line.includes('Смена'))
    t.same(charges, lines, what)
  }
})

t.test('a block of one’s own for the minutes of every run does not make the month free', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.block(1, 'client', true)
  await stand.run()
  t.same(await stand.lines(1), [], 'away so far')
  stand.at(november(1, '00:10'))
  await stand.block(1, 'client', false)
  stand.at(november(1, '23:59'))
  await stand.block(1, 'client', true)
  stand.at(november(2))
  await stand.run()
  t.same(await stand.lines(1), [whole], 'was back on the first')
  stand.at(november(3))
  await stand.run()
  t.equal((await stand.lines(1)).length, 1)
})

t.test('a tariff or a service that gets a price is charged from then on', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1, { tarif_id: 3 })
  const service = await stand.usluga({ price: 0 })
  await stand.link(1, service)
  await stand.link(1, await stand.usluga({ name: 'Own', price: 300 * ruble }), { summ: 0 })
  await stand.run()
  t.same(await stand.lines(1), [])
  // The tables note the real time, so the clock is set to it.
  stand.at(new Date().toISOString())
  await stand.sql('UPDATE tarifs SET price = $1 WHERE id = 3', [600 * ruble])
  await stand.sql('UPDATE uslugas SET price = $1 WHERE id = $2', [600 * ruble, service])
  await stand.sql('UPDATE users_uslugas SET summ = NULL WHERE summ = 0')
  stand.at(new Date(Date.now() + 1000).toISOString())
  await stand.run()
  const [row] = await stand.sql('SELECT to_char(priced_from AT TIME ZONE $1, $2) AS month FROM tarifs WHERE id = 3', [
    'Europe/Moscow',
    'DD',
  ])
  const lines = await stand.lines(1)
  t.equal(lines.length, 3, 'the month of the change')
  if (row!.month !== '01') for (const line of lines) t.notMatch(line, /^-[36]00\.00/, 'and not for the days before')
})

t.test('services: own price, sum, price, count, term and switch', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1, { tarif_id: null })
  const iptv = await stand.usluga({ name: 'IPTV', price: 300 * ruble })
  const sum = await stand.usluga({ name: 'Sum', price: 300 * ruble, summa: 150 * ruble })
  await stand.link(1, iptv)
  await stand.link(1, iptv, { summ: 0 })
  await stand.link(1, iptv, { summ: 100 * ruble, countt: 3 })
  await stand.link(1, sum, { countt: 2 })
  await stand.link(1, iptv, { countt: 0 })
  await stand.link(1, iptv, { enabled: false })
  await stand.link(1, iptv, { end_time: '2026-10-31T20:00:00Z' })
  await stand.link(1, iptv, { end_time: november(11, '00:00') })
  await stand.link(1, iptv, { create_date: november(16, '10:00') })
  await stand.link(1, 30353, { summ: 100 * ruble, end_time: november(20) })
  await stand.link(1, -3, { summ: 100 * ruble, end_time: november(20) })
  await stand.link(1, iptv, { system_type: 11, end_time: november(20) })
  t.match(await stand.run(), { charged: 4, amount: '1000.00' })
  t.same((await stand.lines(1)).sort(), [
    '-100.00 Услуга IPTV за 1–10 ноября 2026',
    '-300.00 Услуга IPTV × 3 за ноябрь 2026',
    '-300.00 Услуга IPTV за ноябрь 2026',
    '-300.00 Услуга Sum × 2 за ноябрь 2026',
  ])
  stand.at(november(17))
  await stand.run()
  t.same((await stand.lines(1)).slice(4), ['-150.00 Услуга IPTV за 16–30 ноября 2026'])
  const rows = await stand.sql('SELECT DISTINCT op_type_id::int AS type FROM finance_operations')
  t.same(rows, [{ type: 3 }])
})

t.test('a service that is switched on again is charged from then on', async (t) => {
  const stand = await BillingStand.open(t, new Date().toISOString())
  await stand.subscriber(1, { tarif_id: null })
  const link = await stand.link(1, await stand.usluga({ price: 300 * ruble }), { enabled: false })
  await stand.sql('UPDATE users_uslugas SET enabled = true WHERE id = $1', [link])
  const [row] = await stand.sql('SELECT charged_from FROM users_uslugas WHERE id = $1', [link])
  t.type(row!.charged_from, Date)
  await stand.sql('UPDATE users_uslugas SET countt = 2 WHERE id = $1', [link])
  t.same(await stand.sql('SELECT charged_from FROM users_uslugas WHERE id = $1', [link]), [row], 'it was on already')
})

t.test('an active promise payment costs the price of its service each day', async (t) => {
  const stand = await BillingStand.open(t, november(10))
  await stand.subscriber(1, { tarif_id: null })
  await stand.sql('UPDATE uslugas SET price = $1 WHERE id = 30353', [5 * ruble])
  await stand.run()
  await stand.link(1, 30353, { system_type: 11, create_date: november(10, '15:00'), end_time: november(12, '15:00') })
  for (const day of [11, 12, 13]) {
    stand.at(november(day))
    await stand.run()
  }
  t.same(await stand.lines(1), ['-5.00 Обещанный платёж за 11 ноября 2026', '-5.00 Обещанный платёж за 12 ноября 2026'])
  t.same(await stand.sql('SELECT DISTINCT op_type_id::int AS type, usluga_id::int AS usluga FROM finance_operations'), [
    { type: 3, usluga: 30353 },
  ])
})

t.test('no promise is charged where the setting or the price says so', async (t) => {
  const stand = await BillingStand.open(t, november(10), { chargesPromises: false })
  await stand.subscriber(1, { tarif_id: null })
  await stand.link(1, 30353, { system_type: 11, create_date: november(9), end_time: november(12) })
  await stand.sql('UPDATE uslugas SET price = $1 WHERE id = 30353', [5 * ruble])
  await stand.run()
  stand.policy = { ...stand.policy, chargesPromises: true }
  await stand.sql('UPDATE uslugas SET price = 0 WHERE id = 30353')
  await stand.run()
  t.same(await stand.lines(1), [])
})

t.test('who is deleted in a charged month gets the days after back, once', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.link(1, await stand.usluga({ price: 300 * ruble }), { countt: 2 })
  await stand.subscriber(2, { create_date: november(11) })
  await stand.subscriber(3)
  await stand.run()
  stand.at(november(12))
  await stand.run()
  stand.at(november(20, '18:00'))
  for (const id of [1, 2]) await stand.remove(id)
  stand.at(november(21))
  t.match(await stand.run(), { given_back: 3, given_back_amount: '600.00' })
  await stand.run()
  t.same(await stand.lines(1), [
    whole,
    '-600.00 Услуга IPTV × 2 за ноябрь 2026',
    '200.00 Перерасчёт Home за 21–30 ноября 2026',
    '200.00 Перерасчёт IPTV за 21–30 ноября 2026',
  ])
  t.same(await stand.lines(2), [
    '-400.00 Абонплата Home за 11–30 ноября 2026',
    '200.00 Перерасчёт Home за 21–30 ноября 2026',
  ])
  t.same(await stand.lines(3), [whole])
  t.same(await stand.sql('SELECT DISTINCT op_type_id::int AS type FROM finance_operations WHERE op_summa > 0'), [
    { type: 41 },
  ])
})

t.test('never more is given back than was charged', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.run()
  await stand.sql('UPDATE tarifs SET price = 9000 * 10000000000::int8 WHERE id = 1')
  stand.at(november(2))
  await stand.remove(1)
  stand.at(november(3))
  await stand.run()
  t.same(await stand.lines(1), [whole, '600.00 Перерасчёт Home за 3–30 ноября 2026'])
})

t.test('a reversed charge is not given back again', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.run()
  await stand.ask(1, { kind: 'reverse', operationId: null })
  await stand.remove(1)
  stand.at(november(3))
  t.match(await stand.run(), { given_back: 0, charged: 0 })
})

t.test('who is brought back in the month of a refund pays for the rest of it, every time', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.link(1, await stand.usluga({ price: 300 * ruble }))
  await stand.run()
  stand.at(november(10, '12:00'))
  await stand.remove(1)
  stand.at(november(11))
  await stand.run()
  stand.at(november(16, '12:00'))
  await stand.remove(1, false)
  stand.at(november(17))
  await stand.run()
  await stand.run()
  stand.at(november(20, '12:00'))
  await stand.remove(1)
  stand.at(november(21))
  await stand.run()
  await stand.run()
  t.same(await stand.lines(1), [
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
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.run()
  await stand.remove(1)
  await stand.remove(1, false)
  stand.at(november(2))
  await stand.run()
  t.same(await stand.lines(1), [whole])
})

t.test('a planned change of tariff comes before the charge of its month', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1, { next_tarif_id: 2, next_tarif_date: '2026-11-01T00:00:00+03:00' })
  await stand.subscriber(2, { next_tarif_id: 2, next_tarif_date: november(16, '12:00') })
  await stand.subscriber(3, { next_tarif_id: 1, next_tarif_date: '2026-11-01T00:00:00+03:00' })
  t.match(await stand.run(), { tariffs_changed: 1, charged: 3 })
  t.same(await stand.lines(1), ['0.00 Смена тарифа: Home → Fast', '-900.00 Абонплата Fast за ноябрь 2026'])
  t.same(await stand.lines(2), [whole])
  stand.at(november(16, '13:00'))
  t.match(await stand.run(), { tariffs_changed: 1, charged: 0 })
  t.same((await stand.lines(2)).sort(), [
    '-150.00 Перерасчёт Fast за 16–30 ноября 2026',
    whole,
    '0.00 Смена тарифа: Home → Fast',
  ])
  t.same(
    await stand.sql('SELECT tarif_id::int AS tarif, next_tarif_id, next_tarif_date FROM abonents ORDER BY id'),
    [2, 2, 1].map((tarif) => ({ tarif, next_tarif_id: null, next_tarif_date: null })),
  )
})

t.test('what a charge says in the ledger', async (t) => {
  const stand = await BillingStand.open(t, first)
  await stand.subscriber(1)
  await stand.run()
  const rows =
    await stand.sql(`SELECT op_type_id::int AS type, op_summa, usluga_id, abonent_id::int AS abonent, account_id::int AS account,
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
  t.same(await stand.sql('SELECT key FROM money_keys'), [{ key: 'charge:1:tariff:2026-11' }])
})
