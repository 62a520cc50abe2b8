import t from 'tap'
import { type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const made = async (model: string, fields: object): Promise<Json> =>
  (await root.post(`/rest_api/v2/${model}/`, fields)).body
await made('IpPull', { name: 'Centre', network: '10.1.0.0/24', gateway: '10.1.0.1' })
const device = await made('Switch', { name: 'sw', ip: '10.9.0.1', ports_count: 8 })
const ivan = await made('Abonents', { name: 'Ivan', contract_number: '000100' })
const petr = await made('Abonents', { name: 'Petr', contract_number: '000200' })
await made('Users', { abonent: petr.id, login: 'petr', password: 'x', ip: '10.1.0.9', mac: '02:00:00:00:00:09' })

const crud = '/admin/Abonents/logins_crud/'
const add = (fields: object = {}) => root.post(crud, { abonent_id: ivan.id, ...fields })

t.test('a login is given with a name and a password, changed, and taken away with its audit', async (t) => {
  const first = await add({ ip: '10.1.0.5', mac: '0200.0000.0005' })
  t.match(first, {
    status: 200,
    body: { login: { login: '000100', ip: '10.1.0.5', mac: '02:00:00:00:00:05', enabled: true }, password: /^\w{10}$/ },
  })
  const { id } = first.body.login
  const same = { ...first.body.login, switch: device.id, switch_port: 3, vlan: 7, ipv6_prefix: '2001:db8::/64' }
  t.match(await root.post(`${crud}${id}/`, same), {
    status: 200,
    body: { password: null, login: { ip: '10.1.0.5', switch_name: 'sw', switch_port: 3, vlan: 7 } },
  })
  t.match(await root.post(`${crud}${id}/`, { enabled: false }), { body: { login: { disabled_by_hand: true } } })
  t.match(await root.delete(`${crud}${id}/`), { status: 200, body: { deleted: id } })
  const audit = await office.rows(
    `SELECT action, diff FROM audit_operations WHERE table_name = 'USERS' AND object_id = $1 ORDER BY id`,
    [String(id)],
  )
  t.same([...new Set(audit.map(({ action }) => action))], ['create', 'change', 'delete'])
  t.notMatch(JSON.stringify(audit), first.body.password)
})

t.test('what another login has, or what none may have, is refused by its field', async (t) => {
  const codesOf = async (fields: object) => (await add(fields)).body.codes
  t.same(await codesOf({ login: 'petr' }), { login: 'taken' })
  t.same(await codesOf({ login: 'x'.repeat(254) }), { login: 'too_long' })
  t.same(await codesOf({ login: 'я'.repeat(127) }), { login: 'wrong' }, '254 bytes')
  t.same(await codesOf({ login: 'two\nlines' }), { login: 'wrong' })
  t.same(await codesOf({ ip: '10.1.0.9', mac: '02-00-00-00-00-09' }), { ip: 'taken', mac: 'taken' })
  t.same(await codesOf({ ip: '10.1.0.1' }), { ip: 'reserved' })
  t.same(await codesOf({ mac: 'no mac', ipv6_prefix: '10.0.0.0/24' }), {
    mac: 'not_mac',
    ipv6_prefix: 'wrong',
  })
  t.same(await codesOf({ switch: device.id, switch_port: 9 }), { switch_port: 'wrong' })
  t.same(await codesOf({ switch_port: 1 }), { switch_port: 'wrong' })
  t.equal((await office.rows('SELECT id FROM users')).length, 1, 'nothing was written')
  t.match(await root.post(crud, { abonent_id: 98_765 }), { status: 404 })
  const { login } = (await add()).body
  const change = async (fields: object) => (await root.post(`${crud}${login.id}/`, fields)).body.codes
  t.same(await change({ ip: '10.1.0.9' }), { ip: 'taken' })
  t.same(await change({ login: '' }), { login: 'required' })
  t.same(await change({ switch_port: 9 }), { switch_port: 'wrong' })
  t.match(await root.post(`${crud}${login.id}/`, { _delete: 1 }), { body: { deleted: login.id } })
})

t.test('a password is named or made, told once, and nowhere else', async (t) => {
  const { login } = (await add({ login: 'ivan' })).body
  const set = (fields: object) => root.post(`/admin/Abonents/logins_password/${login.id}/`, fields)
  const { body } = await set({})
  t.match(body.password, /^\w{10}$/)
  t.match(await set({ password: 'chosen word' }), { status: 200, body: { password: 'chosen word' } })
  t.same((await set({ password: '{NT}x' })).body.codes, { password: 'wrong' })
  t.same((await set({ password: 7 })).body.codes, { password: 'wrong' })
  const card = await root.get(`/admin/Abonents/subscribers/${ivan.id}/`)
  t.notMatch(JSON.stringify(card.body), /chosen word/)
  const reader = await office.staff('reader', 'viewer', [1])
  t.equal((await reader.post(`/admin/Abonents/logins_password/${login.id}/`, {})).status, 403)
})
