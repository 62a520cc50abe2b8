import t from 'tap'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const november = (day: number, time = '00:05') => `2026-11-${String(day).padStart(2, '0')}T${time}:00+03:00`
const ruble = 10_000_000_000
const ofDay = (day: number) => `-10.00 Услуга IPTV за ${day} ноября 2026`

type Times = { readonly on: string; readonly off: string; readonly again: string }

/** A service that a subscriber has switched on, off and on again. */
async function switched(fixture: BillingFixture, { on, off, again }: Times): Promise<number> {
  const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), { create_date: on })
  await fixture.switchOff(link, off)
  await fixture.switchOn(link, again)
  return link
}

t.test('a service that is off at midnight and on again before the run is charged for both days', async (t) => {
  for (const [mode, lines] of [
    ['monthly', ['-200.00 Услуга IPTV за 11–30 ноября 2026', ofDay(10)]],
    ['daily', [ofDay(10), ofDay(11)]],
  ] as const) {
    const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: mode })
    await fixture.subscriber(1, { tarif_id: null })
    await fixture.run()
    await switched(fixture, { on: november(10, '12:00'), off: november(10, '23:50'), again: november(11, '00:02') })
    fixture.at(november(11))
    await fixture.run()
    t.same((await fixture.lines(1)).sort(), [...lines].sort(), mode)
    t.match(await fixture.run(), { charged: 0, skipped: 0 }, 'once')
    fixture.at(november(12))
    await fixture.run()
    const [, , ...more] = await fixture.lines(1)
    t.same(more, mode === 'daily' ? [ofDay(12)] : [])
  }
})

t.test('a day that a run has charged already is not charged for a service that is on again', async (t) => {
  for (const mode of ['monthly', 'daily'] as const) {
    const fixture = await BillingFixture.open(t, shared, november(10), { TARIFF_CHARGE_MODE: mode })
    await fixture.subscriber(1, { tarif_id: null })
    await fixture.run()
    const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
      create_date: november(10, '12:00'),
    })
    await fixture.switchOff(link, november(10, '23:50'))
    fixture.at(november(11))
    await fixture.run()
    await fixture.switchOn(link, november(11, '09:00'))
    fixture.at(november(12))
    await fixture.run()
    const rest = mode === 'daily' ? [ofDay(11), ofDay(12)] : ['-200.00 Услуга IPTV за 11–30 ноября 2026']
    t.same(await fixture.lines(1), [ofDay(10), ...rest], mode)
  }
})

t.test('a service that was charged for its month costs nothing more when it is off and on again', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(1))
  await fixture.subscriber(1, { tarif_id: null })
  await fixture.run()
  const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), {
    create_date: november(2, '12:00'),
  })
  fixture.at(november(3))
  await fixture.run()
  const paid = ['-290.00 Услуга IPTV за 2–30 ноября 2026']
  t.same(await fixture.lines(1), paid)
  await fixture.switchOff(link, november(9, '23:50'))
  await fixture.switchOn(link, november(10, '00:02'))
  fixture.at(november(10))
  await fixture.run()
  t.same(await fixture.lines(1), paid)
})

t.test('the database notes for how long a service was on and cost something', async (t) => {
  const fixture = await BillingFixture.open(t, shared, november(10))
  await fixture.subscriber(1, { tarif_id: null })
  const link = await fixture.link(1, await fixture.usluga({ price: 300 * ruble }), { create_date: november(1) })
  const set = async (changes: string) =>
    (await fixture.sql(`UPDATE users_uslugas SET ${changes} WHERE id = ${link} RETURNING charged_from`))[0]!
  const uses = () => fixture.sql('SELECT link_id, begins_at, ends_at FROM ended_uses ORDER BY id')
  await set('enabled = false')
  const [use] = await uses()
  t.match(use, { link_id: String(link), begins_at: new Date(november(1)), ends_at: Date })
  const { charged_from: again } = await set('enabled = true')
  await set('enabled = false')
  t.match(await uses(), [use!, { begins_at: again, ends_at: Date }])
  await set('enabled = true, summ = 0')
  await set('enabled = false')
  await set('summ = 5')
  t.equal((await uses()).length, 2, 'it was free while it was on')
})
