import t from 'tap'
import { fetch } from '../support/published.ts'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const path = '/admin/settings/system/'
const byName = (body: { settings: { name: string }[] }, name: string) =>
  body.settings.find((setting) => setting.name === name)

t.test('the list has name, value, default, type, description and whether it is secret', async (t) => {
  const { status, body } = await root.get(path)
  t.equal(status, 200)
  t.same(byName(body, 'RADIUS_INTERIM_INTERVAL'), {
    name: 'RADIUS_INTERIM_INTERVAL',
    value: 300,
    default: 300,
    type: 'integer',
    description: 'Seconds between two accounting updates of a session',
    secret: false,
    must: 'be a whole number from 5 to 86400 seconds',
    format: 'integer',
    least: 5,
    most: 86_400,
  })
  t.match(byName(body, 'LK_GWA_SECRET_KEY'), { value: '', secret: true })
})

t.test('a change is in effect with the answer, masked and audited', async (t) => {
  const { status, body } = await root.post(path, { RADIUS_INTERIM_INTERVAL: '60', LK_GWA_SECRET_KEY: 'live_key' })
  t.match([status, body.ok, body.changed], [200, true, ['RADIUS_INTERIM_INTERVAL', 'LK_GWA_SECRET_KEY']])
  t.equal(office.settings.get('RADIUS_INTERIM_INTERVAL'), 60)
  t.match(byName((await root.get(path)).body, 'LK_GWA_SECRET_KEY'), { value: '***' })
  await root.post(path, { LK_GWA_SECRET_KEY: '***' })
  t.equal(office.settings.get('LK_GWA_SECRET_KEY'), 'live_key', 'a mask sent back changes nothing')
  const told = await office.rows(
    `SELECT object_id, user_name, address, diff FROM audit_operations WHERE table_name = 'SYSTEM_SETTINGS' ORDER BY id`,
  )
  t.match(told, [
    { object_id: 'RADIUS_INTERIM_INTERVAL', user_name: 'root', address: '127.0.0.1', diff: { value: [300, 60] } },
    { object_id: 'LK_GWA_SECRET_KEY', diff: { value: ['', '***'] } },
  ])
  t.equal(told.length, 2)
  t.notMatch(JSON.stringify(told), /live_key/)
})

t.test('who changed which setting last, and every change of one, for who sees all organizations', async (t) => {
  await root.post(path, { RADIUS_INTERIM_INTERVAL: 90 })
  const changes = '/admin/settings/changes/'
  const last = await root.get(changes)
  t.match(last, {
    status: 200,
    body: {
      items: [
        { name: 'LK_GWA_SECRET_KEY', user: 'root', before: '', after: '***' },
        { name: 'RADIUS_INTERIM_INTERVAL', user: 'root', before: 60, after: 90 },
      ],
    },
  })
  t.equal(last.body.items.length, 2)
  const one = (await root.get(`${changes}?name=RADIUS_INTERIM_INTERVAL`)).body.items
  t.match(one, [
    { before: 60, after: 90 },
    { before: 300, after: 60 },
  ])
  t.equal(one.length, 2)
  t.equal((await (await office.staff('north', 'admin', [1])).get(changes)).status, 403)
  await root.post(path, { RADIUS_INTERIM_INTERVAL: 60 })
})

t.test('a POST changes all settings or none, and names the error of each', async (t) => {
  const { status, body } = await root.post(path, { RADIUS_INTERIM_INTERVAL: 7, LK_GWA_VAT_CODE: 13, NO_SUCH: 1 })
  t.equal(status, 400)
  t.match(body, { ok: false, errors: { LK_GWA_VAT_CODE: /from 1 to 12/, NO_SUCH: 'There is no such setting.' } })
  t.notOk('RADIUS_INTERIM_INTERVAL' in body.errors)
  t.equal(office.settings.get('RADIUS_INTERIM_INTERVAL'), 60)
})

t.test('booleans are true or false, 1 or 0, and those as text', async (t) => {
  for (const [sent, value] of [
    [true, true],
    [0, false],
    ['1', true],
    ['false', false],
  ] as const) {
    await root.post(path, { LK_PROMISE_PAY_DAILY_CHARGE: sent })
    t.equal(office.settings.get('LK_PROMISE_PAY_DAILY_CHARGE'), value)
  }
  t.equal((await root.post(path, { LK_PROMISE_PAY_DAILY_CHARGE: 'yes' })).status, 400)
})

t.test('READ_ONLY_MODE can be switched off while it is on, and nothing else can be changed', async (t) => {
  t.equal((await root.post(path, { READ_ONLY_MODE: true })).status, 200)
  const refused = { status: 403, body: { ok: false, error: /READ_ONLY_MODE/ } }
  t.match(await root.post(path, { RADIUS_INTERIM_INTERVAL: 10 }), refused)
  t.match(await root.post(path, { READ_ONLY_MODE: false, RADIUS_INTERIM_INTERVAL: 10 }), refused)
  t.match(await root.post(path, { READ_ONLY_MODE: true }), refused)
  t.match(await root.post(path, {}), refused)
  t.match(await root.post('/admin/dictionary/folders_crud/', { name: 'x' }), refused)
  t.match(await root.post('/rest_api/v2/Tarif/', { name: 'x', price: 1 }), {
    status: 403,
    body: { detail: /READ_ONLY/ },
  })
  t.match(await root.delete('/admin/settings/tokens/1/'), refused)
  t.equal((await root.get(path)).status, 200)
  t.equal((await fetch(`${office.base}${path}`, { method: 'POST' })).status, 401, '401 comes before 403')
  t.equal((await root.post(path, { READ_ONLY_MODE: '0' })).status, 200)
  t.equal((await root.post('/admin/dictionary/folders_crud/', { name: 'x' })).status, 200)
})

t.test('settings are only for roles that have the right', async (t) => {
  for (const role of ['operator', 'cashier', 'viewer', 'integration']) {
    const caller = await office.staff(role, role, [1])
    t.equal((await caller.get(path)).status, 403, role)
    t.equal((await caller.post(path, { READ_ONLY_MODE: true })).status, 403, role)
  }
  t.equal((await (await office.staff('chief', 'admin', [1])).get(path)).status, 200)
})
