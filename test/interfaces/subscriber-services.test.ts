import t from 'tap'
import { billingWorker } from '../../src/billing/jobs/billing/worker.ts'
import { verifyLedger } from '../../src/billing/jobs/ledger/verification.ts'
import { zoneOfNoon } from '../support/noon.ts'
import { fetch } from '../support/published.ts'
import { type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const timeZone = zoneOfNoon()
await office.settings.set({ TIME_ZONE: timeZone })
const root = await office.staff('root')
const viewer = await office.staff('viewer', 'viewer', [1])
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])

const ruble = 10_000_000_000
const doors = '/admin/Abonents/users_usluga_crud/'
const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const tariff = await made('/rest_api/v2/Tarif/', { name: 'Home', price: 600 * ruble })
let contracts = 0
const subscriber = (): Promise<Json> => {
  const contract_number = String(++contracts)
  const create_date = '2020-01-01T00:00:00Z'
  return made('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number, tarif: tariff.id, create_date })
}
const usluga = (fields: object = {}): Promise<Json> =>
  made('/rest_api/v2/Usluga/', { name: 'IPTV', price: 300 * ruble, ...fields })

const audits = (id: number) =>
  office.rows(
    `SELECT action, diff, organization_id::int AS organization, user_name FROM audit_operations
     WHERE table_name = 'USERS_USLUGA' AND object_id = $1 ORDER BY id`,
    [String(id)],
  )

t.test('a service is added, shown, changed and deleted, each with its audit', async (t) => {
  const { id: abonent_id } = await subscriber()
  const { id: usluga_id } = await usluga()
  const given = await root.post(doors, { abonent_id, usluga_id, summ: '99.90', countt: 2, end_time: '2030-06-30' })
  t.match(given, {
    status: 200,
    body: {
      ok: true,
      abonent_id,
      usluga_id,
      name: 'IPTV',
      summ: '99.90',
      countt: 2,
      amount: '199.80',
      enabled: true,
      end_time: /^2030-06-30T23:59:59.999[+-]\d\d:00$/,
      is_promise: false,
    },
  })
  const { id } = given.body
  const { ok, ...record } = given.body
  t.same((await root.get(`${doors}${id}/`)).body, { ok, ...record })
  t.same((await root.get(`${doors}?abonent_id=${abonent_id}`)).body, { ok, items: [record] })

  const form = new URLSearchParams({ summ: '', end_time: '', enabled: '0', comment: 'by phone' })
  const changed = await fetch(`${office.base}${doors}${id}/`, { method: 'POST', headers: root.headers, body: form })
  t.match(await changed.json(), {
    ok: true,
    summ: null,
    amount: '600.00',
    end_time: null,
    enabled: false,
    comment: 'by phone',
  })
  t.match((await root.post(`${doors}${id}/`, {})).body, { ok: true, enabled: false }, 'nothing named, nothing changed')
  t.same((await root.post(`${doors}${id}/`, { _delete: 1 })).body, { ok: true })
  t.equal((await root.get(`${doors}${id}/`)).status, 404)
  t.match(await audits(id), [
    {
      action: 'create',
      diff: { abonent_id: [null, abonent_id], summ: [null, '99.90'] },
      organization: 1,
      user_name: 'root',
    },
    { action: 'change', diff: { summ: ['99.90', null], enabled: [true, false], comment: [null, 'by phone'] } },
    { action: 'delete', diff: { usluga_id: [usluga_id, null] } },
  ])
  t.equal((await audits(id)).length, 3)
})

t.test('a service that is deleted and added again is charged once for the month', async (t) => {
  const { id: abonent_id } = await subscriber()
  const { id: usluga_id } = await usluga()
  const policy = { timeZone, mode: 'monthly', chargesPromises: false } as const
  const worker = billingWorker(office.database.pool, office.accounts, () => policy)
  const charges = async () => {
    await worker.run(new Date(), new AbortController().signal)
    const text = 'SELECT count(*)::int AS times FROM finance_operations WHERE abonent_id = $1 AND usluga_id = $2'
    return (await office.rows(text, [abonent_id, usluga_id]))[0].times
  }
  const { id: first } = await made(doors, { abonent_id, usluga_id })
  t.equal(await charges(), 1)
  await made(`${doors}${first}/`, { _delete: 1 })
  const { id: second } = await made(doors, { abonent_id, usluga_id })
  t.not(second, first)
  t.equal(await charges(), 1, 'the charge of the first record is that of the second')
  await made(`${doors}${second}/`, { _delete: 1 })
  await made(doors, { abonent_id, usluga_id })
  t.equal(await charges(), 1, 'and of the third')
  await made(doors, { abonent_id, usluga_id })
  t.equal(await charges(), 2, 'one more at the same time is one more')
  const client = await office.database.pool.connect()
  t.match(await verifyLedger(client).finally(() => client.release()), { broken: 0 })
})

t.test('what cannot be is refused in words', async (t) => {
  const { id: abonent_id } = await subscriber()
  const { id: usluga_id } = await usluga()
  const { id: off } = await usluga({ enabled: false })
  const gone = await subscriber()
  await root.delete(`/rest_api/v2/Abonents/${gone.id}/`)
  const cases: [body: object, error: RegExp][] = [
    [{ usluga_id }, /abonent_id: This field is required/],
    [{ abonent_id }, /usluga_id: This field is required/],
    [{ abonent_id, usluga_id: 987_654 }, /no such service/],
    [{ abonent_id, usluga_id: off }, /switched off/],
    [{ abonent_id: gone.id, usluga_id }, /deleted/],
    [{ abonent_id, usluga_id: 30353 }, /promise_pay/],
    [{ abonent_id, usluga_id: -3 }, /promise_pay/],
    [{ abonent_id, usluga_id, summ: '1.234' }, /^summ: /],
    [{ abonent_id, usluga_id, summ: -1 }, /^summ: /],
    [{ abonent_id, usluga_id, countt: 0 }, /^countt: /],
    [{ abonent_id, usluga_id, countt: 1.5 }, /^countt: /],
    [{ abonent_id, usluga_id, end_time: 'tomorrow' }, /^end_time: /],
    [{ abonent_id, usluga_id, enabled: 'maybe' }, /^enabled: /],
    [{ abonent_id, usluga_id, comment: 7 }, /^comment: /],
    [{ abonent_id, usluga_id, _delete: 1 }, /_delete/],
  ]
  for (const [body, error] of cases)
    t.match(await root.post(doors, body), { status: 400, body: { ok: false, error } }, JSON.stringify(body))
  t.equal((await root.post(doors, { abonent_id: 987_654, usluga_id })).status, 404)
  const { id } = await made(doors, { abonent_id, usluga_id })
  const other = await subscriber()
  t.match(await root.post(`${doors}${id}/`, { abonent_id: other.id }), { status: 400, body: { error: /stays/ } })
  t.match(await root.post(`${doors}${id}/`, { usluga_id: off }), { status: 400 })
  t.equal((await viewer.post(`${doors}${id}/`, { enabled: false })).status, 403)
  t.equal((await viewer.get(`${doors}${id}/`)).status, 200)
})

t.test('another organization sees and changes nothing of it', async (t) => {
  const { id: abonent_id } = await subscriber()
  const { id: usluga_id } = await usluga()
  const { id } = await made(doors, { abonent_id, usluga_id })
  t.equal((await north.get(`${doors}?abonent_id=${abonent_id}`)).status, 404)
  t.equal((await north.post(doors, { abonent_id, usluga_id })).status, 404)
  t.equal((await north.post(`${doors}${id}/`, { _delete: 1 })).status, 404)
  t.equal((await north.delete(`${doors}${id}/`)).status, 404)
  t.equal((await root.get(`${doors}${id}/`)).status, 200)
  t.same(await root.delete(`${doors}${id}/`), { status: 200, body: { ok: true } })
  t.equal((await root.delete(`${doors}${id}/`)).status, 404)
})

t.test('a promise payment that is disabled or deleted ends, and its limit is returned', async (t) => {
  const cases: [body: object, why: string][] = [
    [{ enabled: false }, 'disabled'],
    [{ _delete: 1 }, 'deleted'],
  ]
  for (const [body, why] of cases) {
    const { id, account } = await subscriber()
    await made('/rest_api/v2/FinanceOperations/', { account, op_type: 9, op_summa: 100 * ruble })
    const { promise } = await made(`/admin/Abonents/promise_pay/${id}/`, { limit: '200.00' })
    const link = (await root.get(`${doors}?abonent_id=${id}`)).body.items[0]
    t.match(link, { id: promise.promise_id, usluga_id: 30353, limit: '200.00', is_promise: true })
    t.match(await root.post(`${doors}${link.id}/`, { summ: '5.00' }), {
      status: 400,
      body: { error: /promise payment/ },
    })
    t.match(await root.post(`${doors}${link.id}/`, { enabled: true }), { status: 400 })

    const ended = await root.post(`${doors}${link.id}/`, body)
    t.match(ended, { status: 200, body: { ok: true, ended: true } })
    const operation = (await root.get(`/rest_api/v2/FinanceOperations/${ended.body.operation_id}/`)).body
    t.match(operation, { op_type: 31, op_summa: -200 * ruble, storno: true })
    t.match((await root.get(`/rest_api/v2/Abonents/${id}/`)).body, { promise_pay: null, block: { b_negbal: true } })
    t.same((await root.get(`${doors}?abonent_id=${id}`)).body.items, [])
    t.match((await audits(link.id)).at(-1), { action: 'end', diff: { reason: why } })
    t.equal((await root.post(`${doors}${link.id}/`, body)).status, 404, 'and is gone')
  }
})

t.test('what is left of a promise that is no more can be put away', async (t) => {
  const { id: abonent } = await subscriber()
  const [row] = await office.rows(
    'INSERT INTO users_uslugas (abonent_id, usluga_id, "limit") VALUES ($1, 30353, 5) RETURNING id::int',
    [abonent],
  )
  t.match(await root.post(`${doors}${row.id}/`, { enabled: false }), { status: 200, body: { enabled: false } })
  t.same((await root.post(`${doors}${row.id}/`, { _delete: true })).body, { ok: true })
})
