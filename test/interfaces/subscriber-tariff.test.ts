import t from 'tap'
import { billingWorker } from '../../src/billing/jobs/billing/worker.ts'
import { verifyLedger } from '../../src/billing/jobs/ledger/verification.ts'
import { dayOf } from '../../src/domain/calendar.ts'
import { dayPart } from '../../src/domain/charges.ts'
import { formatRubles, moneyFromUnits } from '../../src/domain/money.ts'
import { zoneOfNoon } from '../support/noon.ts'
import { fetch } from '../support/published.ts'
import { untilAnswer } from '../support/until.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const timeZone = zoneOfNoon()
await office.settings.set({ TIME_ZONE: timeZone })
const root = await office.staff('root')
const viewer = await office.staff('viewer', 'viewer', [1])
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])

const ruble = 10_000_000_000
const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const home = await made('/rest_api/v2/Tarif/', { name: 'Home', price: 600 * ruble })
const fast = await made('/rest_api/v2/Tarif/', { name: 'Fast', price: 900 * ruble })
const slow = await made('/rest_api/v2/Tarif/', { name: 'Slow', price: 300 * ruble })
const ended = await made('/rest_api/v2/Tarif/', { name: 'Of last year', price: 100 * ruble, enabled: false })
let contracts = 0
const subscriber = async (paid = 1000): Promise<Json> => {
  const create_date = '2020-01-01T00:00:00Z'
  const contract_number = String(++contracts)
  const record = await made('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number, tarif: home.id, create_date })
  await made('/rest_api/v2/FinanceOperations/', { account: record.account, op_type: 7, op_summa: paid * ruble })
  return record
}
const chargeAll = () => {
  const policy = { timeZone, mode: 'monthly', chargesPromises: false } as const
  const worker = billingWorker(office.database.pool, office.accounts, () => policy)
  return worker.run(new Date(), new AbortController().signal)
}
const operations = async (id: number): Promise<Json[]> =>
  office.rows(
    `SELECT op_type_id::int AS type, (op_summa / 100000000)::int AS kopecks, descr FROM finance_operations
      WHERE abonent_id = $1 ORDER BY op_id`,
    [id],
  )
const keyed = async (who: Caller, path: string, body: object, key: string): Promise<Json> => {
  const headers = { ...who.headers, 'Content-Type': 'application/json', 'Idempotency-Key': key }
  const response = await fetch(office.base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}
const kopecks = (rubles: string) => Math.round(Number(rubles) * 100)
const door = (id: number) => `/admin/Abonents/tariff/${id}/`

t.test('what the preview says is what the change then does', async (t) => {
  const { id } = await subscriber()
  await chargeAll()
  const seen = (await root.get(`${door(id)}?tarif=${fast.id}`)).body
  t.match(seen, {
    ok: true,
    tarif: { id: home.id, name: 'Home', price: '600.00' },
    planned: null,
    refusal: null,
    offered: [{ name: 'Fast' }, { name: 'Home' }, { name: 'Slow' }],
    now: { access: 'open', operations: [{ description: /^Перерасчёт Fast за / }] },
    later: {
      access: 'open',
      operations: [],
      balance: '400.00',
      charges: [{ name: 'Fast', amount: '900.00', times: 1 }],
    },
  })
  t.match(seen.now.charges, [{ kind: 'tariff', name: 'Fast', amount: '900.00', day: /-01$/ }])
  const given = await keyed(root, door(id), { tarif: fast.id, when: 'now' }, 'click')
  t.match(given, { status: 200, body: { ok: true, tarif: { id: fast.id }, planned: null } })
  const moved = (await operations(id)).slice(1)
  t.match(moved, [
    { type: 33, kopecks: 0, descr: 'Смена тарифа: Home → Fast' },
    { type: 32, kopecks: kopecks(seen.now.operations[0].amount), descr: seen.now.operations[0].description },
  ])
  t.equal((await root.get(`/admin/Abonents/subscribers/${id}/`)).body.subscriber.balance, seen.now.balance)

  t.same(await keyed(root, door(id), { tarif: fast.id, when: 'now' }, 'click'), given, 'the same click again')
  t.match(await keyed(root, door(id), { tarif: slow.id, when: 'now' }, 'click'), { status: 409 })
  t.equal((await operations(id)).length, 3, 'nothing has moved twice')

  const back = (await root.get(`${door(id)}?tarif=${slow.id}`)).body.now
  t.match(back.operations, [{ amount: /^\d/ }], 'a cheaper one gives back')
  await made(door(id), { tarif: slow.id, when: 'now' })
  t.match((await operations(id)).at(-1), { type: 41, kopecks: kopecks(back.operations[0].amount) })
  const client = await office.database.pool.connect()
  t.match(await verifyLedger(client).finally(() => client.release()), { broken: 0 })
})

t.test('a change is planned, seen, taken back, and gives way to another, with its audit', async (t) => {
  const { id } = await subscriber()
  const planned = await keyed(root, door(id), { tarif: fast.id, when: 'next_month' }, 'plan')
  t.match(planned.body, {
    ok: true,
    tarif: { id: home.id },
    planned: { id: fast.id, name: 'Fast', from: /-01T00:00:00[+-]\d\d:00$/ },
  })
  t.same(await keyed(root, door(id), { tarif: fast.id, when: 'next_month' }, 'plan'), planned)
  const card = (await root.get(`/admin/Abonents/subscribers/${id}/`)).body.subscriber
  t.match(card, { tarif_name: 'Home', next_tarif_name: 'Fast', next_tarif_date: planned.body.planned.from })
  t.match((await root.get(`/admin/Abonents/services/${id}/`)).body, {
    tarif: { name: 'Home' },
    planned: { name: 'Fast' },
    charges: [{ name: 'Home' }, { name: 'Fast', amount: '900.00' }],
  })
  const cancel = `/admin/Abonents/tariff_cancel/${id}/`
  t.match((await root.post(cancel)).body, { ok: true, tarif: { id: home.id }, planned: null })
  t.match((await root.post(cancel)).body, { ok: true, planned: null }, 'twice is once')

  await made(door(id), { tarif: slow.id, when: 'next_month' })
  t.match((await made(door(id), { tarif: fast.id, when: 'now' })).planned, null, 'a change at once drops the plan')
  const log = (await root.get(`/admin/Abonents/log/${id}/`)).body.items
  const plans = log.flatMap(({ user, changes }: Json) =>
    changes.filter(({ field }: Json) => field === 'next_tarif').map((change: Json) => ({ user, ...change })),
  )
  t.match(plans, [
    { user: 'root', before_name: 'Slow', after_name: null },
    { before_name: null, after_name: 'Slow' },
    { before_name: 'Fast', after_name: null },
    { before_name: null, after_name: 'Fast' },
  ])
})

t.test('what cannot be is refused in words, before and at the change', async (t) => {
  const { id } = await subscriber()
  const gone = await subscriber()
  await root.delete(`/rest_api/v2/Abonents/${gone.id}/`)
  const cases: [subscriber: number, tarif: number, code: string][] = [
    [id, ended.id, 'tariff_off'],
    [id, home.id, 'tariffSame'],
    [id, 987_654, 'tariffMissing'],
    [gone.id, fast.id, 'deleted'],
  ]
  for (const [whose, tarif, code] of cases) {
    t.match((await root.get(`${door(whose)}?tarif=${tarif}`)).body, { refusal: { code }, now: null, later: null })
    for (const when of ['now', 'next_month'])
      t.match(await root.post(door(whose), { tarif, when }), { status: 400, body: { ok: false, code } }, code)
  }
  t.match(await root.post(door(id), { tarif: fast.id, when: 'soon' }), {
    status: 400,
    body: { errors: { when: /now/ } },
  })
  t.match(await root.get(`${door(id)}?tarif=x`), { status: 400 })
})

t.test('who may not, does not; and another organization sees nothing', async (t) => {
  const { id } = await subscriber()
  const wish = { tarif: fast.id, when: 'now' }
  t.equal((await viewer.get(`${door(id)}?tarif=${fast.id}`)).status, 200)
  t.equal((await viewer.post(door(id), wish)).status, 403)
  t.equal((await viewer.post(`/admin/Abonents/tariff_cancel/${id}/`)).status, 403)
  t.equal((await north.get(`${door(id)}?tarif=${fast.id}`)).status, 404)
  t.equal((await north.post(door(id), wish)).status, 404)
  t.equal((await north.post(`/admin/Abonents/tariff_cancel/${id}/`)).status, 404)
  t.equal((await north.get(`/admin/Abonents/services/${id}/`)).status, 404)
  t.equal((await north.get(`/admin/Abonents/service_offer/${id}/?usluga_id=1`)).status, 404)
  t.match((await root.get(door(id))).body.tarif, { name: 'Home' })
})

t.test('a service is seen with its price before it is given, and twice the same click gives it once', async (t) => {
  const { id } = await subscriber(5000)
  const iptv = await made('/rest_api/v2/Usluga/', { name: 'IPTV', price: 300 * ruble })
  const offer = `/admin/Abonents/service_offer/${id}/`
  const seen = (await root.get(`${offer}?usluga_id=${iptv.id}`)).body
  t.match(seen, {
    ok: true,
    name: 'IPTV',
    month: '300.00',
    present: 0,
    charges: [{ kind: 'service' }, { amount: '300.00' }],
  })
  t.match((await root.get(`${offer}?usluga_id=${iptv.id}&summ=100&countt=2`)).body, { month: '200.00' })
  t.equal((await root.get(`${offer}?usluga_id=987654`)).status, 404)
  t.equal((await root.get(offer)).status, 400)
  const doors = '/admin/Abonents/users_usluga_crud/'
  const wish = { abonent_id: id, usluga_id: iptv.id }
  const both = await Promise.all([keyed(root, doors, wish, 'twice'), keyed(root, doors, wish, 'twice')])
  t.same(both[0], both[1])
  t.match(both[0], { status: 200, body: { ok: true, name: 'IPTV' } })
  t.equal((await keyed(root, doors, { ...wish, countt: 2 }, 'twice')).status, 409)
  const tab = async () => (await root.get(`/admin/Abonents/services/${id}/`)).body
  t.match((await tab()).services, [{ name: 'IPTV', amount: '300.00', not_charged: null, charged_through: null }])
  t.equal((await tab()).services.length, 1)
  await chargeAll()
  const [charged] = (await operations(id)).filter(({ type }) => type === 3)
  t.equal(-charged.kopecks, kopecks(seen.charges[0].amount), 'the worker takes what was seen')
  const { services, charges, next_charge } = await tab()
  t.match(services, [{ charged_through: /^\d{4}-\d\d-\d\d$/ }])
  t.match(charges, [
    { name: 'Home', amount: '600.00' },
    { name: 'IPTV', amount: '300.00' },
  ])
  t.same(next_charge, { day: charges[0].day, amount: '900.00' }, 'all of that day')

  await made(`${doors}${services[0].id}/`, { _delete: true })
  t.match(
    (await root.get(`${offer}?usluga_id=${iptv.id}`)).body.charges,
    [{ amount: '300.00', day: /-01$/ }],
    'this month is paid',
  )
  t.match(await keyed(root, doors, wish, 'twice'), { status: 409 }, 'what it gave is gone')
})

t.test('the limit of a promise is taken back on the day of its end', async (t) => {
  const { id } = await subscriber()
  const until = new Date(Date.now() + 3 * 86_400_000)
  await made(`/rest_api/v2/promise_pay/${id}/`, { limit: 300, end_time: until.toISOString() })
  const { charges } = (await root.get(`/admin/Abonents/services/${id}/`)).body
  const end = charges.find(({ kind }: Json) => kind === 'promiseEnd')
  t.match(end, { day: dayOf(until, timeZone), amount: '300.00', from: null, to: null })
})

t.test('what is given back for a service that is taken away is seen before, and is given back once', async (t) => {
  const { id } = await subscriber(5000)
  const iptv = await made('/rest_api/v2/Usluga/', { name: 'Radio', price: 900 * ruble })
  const doors = '/admin/Abonents/users_usluga_crud/'
  const give = () => made(doors, { abonent_id: id, usluga_id: iptv.id })
  const service = async () => (await root.get(`/admin/Abonents/services/${id}/`)).body.services[0]
  const fresh = await give()
  t.match(await service(), { gives_back: '0.00' }, 'nothing has been charged yet')
  t.same(await made(`${doors}${fresh.id}/`, { _delete: true, give_back: true }), { ok: true })
  const { id: link } = await give()
  await chargeAll()
  const { gives_back } = await service()
  const before = await operations(id)
  const taken = await Promise.all([1, 2].map(() => root.post(`${doors}${link}/`, { _delete: true, give_back: true })))
  t.ok(taken.every(({ status }) => status === 200 || status === 404))
  const moved = (await operations(id)).slice(before.length)
  // On the last day of a month nothing is left of it.
  const expected = { type: 41, kopecks: kopecks(gives_back), descr: /^Перерасчёт Radio за/ }
  t.match(moved, gives_back === '0.00' ? [] : [expected], 'twice the same click gives back once')
  t.equal(moved.length, gives_back === '0.00' ? 0 : 1)
  t.same((await root.get(`/admin/Abonents/services/${id}/`)).body.services, [])
  t.equal((await viewer.post(`${doors}${link}/`, { _delete: true, give_back: true })).status, 403)
  const log = (await root.get(`/admin/Abonents/log/${id}/`)).body.items
  t.ok(log.some(({ kind, action, user }: Json) => kind === 'service' && action === 'delete' && user === 'root'))
})

t.test(
  'many get a tariff at once or from the next month, as the preview says, and each that cannot is named',
  async (t) => {
    const many = '/admin/Abonents/tariff_many/'
    const [rich, poor, fit, gone] = [await subscriber(), await subscriber(600), await subscriber(), await subscriber()]
    await chargeAll()
    await made(door(fit.id), { tarif: fast.id, when: 'now' })
    await root.delete(`/rest_api/v2/Abonents/${gone.id}/`)
    const ids = [rich, poor, fit, gone].map(({ id }) => id)
    const one = (await root.get(`${door(rich.id)}?tarif=${fast.id}`)).body.now.operations[0].amount
    const seen = (await root.post(`${many}preview/`, { ids, tarif: fast.id, when: 'now' })).body
    t.match(seen, {
      ...{ ok: true, total: 4, changing: 2, same: 1, refused: [{ code: 'deleted', count: 1 }], from: null },
      ...{ charged: (-2 * Number(one)).toFixed(2), given_back: '0.00', monthly: '600.00', closing: 1 },
      sample: [{ id: rich.id }, { id: poor.id }],
    })
    t.equal((await operations(rich.id)).length, 1, 'a preview writes nothing')
    const done = async (body: object): Promise<Json> => {
      const { run } = await made(many, body)
      const runAsNow = async () => (await root.get(`/admin/runs/${run.id}/`)).body.run
      return untilAnswer(runAsNow, ({ state }: Json) => state !== 'running')
    }
    const run = await done({ ids, tarif: fast.id, when: 'now' })
    t.match(run, {
      ...{ kind: 'tariffs', state: 'done', asked: { tarif: { id: fast.id, name: 'Fast' }, from: null } },
      result: { changed: 2, same: 1, refused: 1 },
    })
    t.match((await root.get(`/admin/runs/${run.id}/faults/`)).body.items, [
      { record: gone.id, reason: 'The subscriber is deleted.' },
    ])
    for (const { id } of [rich, poor])
      t.match((await operations(id)).at(-1), { type: 32, kopecks: kopecks(one) }, 'charged as foreseen')
    const closed = (await root.get(`/admin/Abonents/subscribers/${poor.id}/`)).body.subscriber
    t.match(closed, { enabled: false, blocks: ['debt'] })

    const later = { ids: [rich.id, poor.id], tarif: slow.id, when: 'next_month' }
    await made(door(fit.id), { tarif: slow.id, when: 'next_month' })
    const all = { ids, tarif: slow.id, when: 'next_month' }
    t.match((await root.post(`${many}preview/`, all)).body, {
      ...{ total: 4, changing: 2, same: 1, refused: [{ code: 'deleted', count: 1 }], monthly: '-1200.00' },
      sample: [{ id: rich.id }, { id: poor.id }],
    })
    const planned = (await root.post(`${many}preview/`, later)).body
    t.match(planned, {
      changing: 2,
      from: /-01$/,
      charged: '0.00',
      given_back: '0.00',
      monthly: '-1200.00',
      closing: 0,
    })
    t.match(await done(later), { asked: { from: planned.from }, result: { changed: 2, same: 0 } })
    t.match((await root.post(`${many}preview/`, later)).body, { changing: 0, same: 2, sample: [] })
    t.match(await done(later), { result: { changed: 0, same: 2 } })
    const dropped = { ids: [rich.id], tarif: home.id, when: 'now' }
    const back = (await root.post(`${many}preview/`, dropped)).body
    t.match(back, { charged: '0.00', given_back: (-Number(one)).toFixed(2), monthly: '-300.00' })
    await done(dropped)
    t.match((await root.get(door(rich.id))).body, { tarif: { id: home.id }, planned: null })

    const kept = { tarif: fast.id, when: 'now' }
    const refusals: [body: object, status: number, code?: string][] = [
      [{ ids, tarif: 999_999, when: 'now' }, 400, 'tariffMissing'],
      [{ ids, tarif: ended.id, when: 'now' }, 400, 'tariff_off'],
      [{ ids, tarif: fast.id, when: 'yesterday' }, 400, 'wrong_field'],
      [{ ids, filter: {}, ...kept }, 400, 'wrong_field'],
      [kept, 400, 'wrong_field'],
      [{ ids: [rich.id, 999_999], ...kept }, 403],
    ]
    for (const [body, status, code] of refusals)
      for (const path of [many, `${many}preview/`]) {
        const answer = await root.post(path, body)
        t.equal(answer.status, status, `${path} ${JSON.stringify(body)}`)
        if (code) t.equal(answer.body.code, code)
      }
    t.equal((await viewer.post(many, { ids, ...kept })).status, 403)
    t.equal((await north.post(many, { ids, ...kept })).status, 403)
    const foreign = await subscriber()
    await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [foreign.id])
    t.match((await north.post(`${many}preview/`, { filter: {}, ...kept })).body, {
      total: 1,
      sample: [{ id: foreign.id }],
    })
    const client = await office.database.pool.connect()
    t.match(await verifyLedger(client).finally(() => client.release()), { broken: 0 })
  },
)

t.test('where each day is charged, the next charge is that of one day', async (t) => {
  const { id } = await subscriber()
  await chargeAll()
  await office.settings.set({ TARIFF_CHARGE_MODE: 'daily' })
  const { charges, next_charge } = (await root.get(`/admin/Abonents/services/${id}/`)).body
  await office.settings.set({ TARIFF_CHARGE_MODE: 'monthly' })
  const [{ day, amount, times }] = charges
  t.match({ amount, day }, { amount: '600.00', day: /-01$/ })
  t.ok(times >= 28)
  t.same(next_charge, { day, amount: formatRubles(dayPart(moneyFromUnits(600 * ruble), day)) })
})
