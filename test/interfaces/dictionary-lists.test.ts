import t from 'tap'
import { loginId, nasId, type SubscriberId } from '../../src/domain/ids.ts'
import { StoppedWatch } from '../support/stopped-watch.ts'
import { untilAnswer } from '../support/until.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t, { clock: new StoppedWatch() })
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (1, 2, 'North')`)
const north = await office.staff('north', 'admin', [2])
const central = await office.staff('central', 'admin', [1])

const made = async (path: string, body: object, caller: Caller = root): Promise<Json> => {
  const { status, body: record } = await caller.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const dictionary = (name: string, id: number | string = '') => `/admin/dictionary/${name}_crud/${id ? `${id}/` : ''}`
const items = async (path: string, caller: Caller = root): Promise<Json[]> => (await caller.get(path)).body.items
const namesOf = async (path: string) => (await items(path)).map(({ name }) => name)

const city = await made(dictionary('homes'), { kind: 'city', name: 'Tver' })
const street = await made(dictionary('homes'), { kind: 'street', name: 'Mira', parent: city.id })
const [ten, nine] = [
  await made(dictionary('homes'), { kind: 'house', name: '10', parent: street.id }),
  await made(dictionary('homes'), { kind: 'house', name: '9', parent: street.id }, north),
]
const slow = await made(dictionary('tarifs'), { name: 'Slow', price: '300.50', speed_mbit: 10 })
const fast = await made(dictionary('tarifs'), { name: 'Fast', price: '900', speed_mbit: 1000 })
await made(dictionary('tarifs'), { name: 'Any', price: '1500' })
const device = await made(dictionary('switches'), { name: 'sw-9', ip: '10.9.9.9', ports_count: 8, home: nine.id })

const subscriber = (number: number, more: object) =>
  made('/rest_api/v2/Abonents/', { name: `Client ${number}`, contract_number: String(number), ...more })
const clients = [
  await subscriber(1, { tarif: fast.id, home: nine.id }),
  await subscriber(2, { tarif: fast.id, home: nine.id, parent: 1 }),
  await subscriber(3, { tarif: slow.id, home: ten.id }),
  await subscriber(4, { tarif: fast.id, home: ten.id }),
]
const login = (at: number, port: number | null) =>
  made('/rest_api/v2/Users/', {
    ...{ abonent: clients[at].id, login: `line-${at}`, password: 'x', switch: device.id, switch_port: port },
  })
const lines = [await login(0, 2), await login(1, 1)]

/** A live session; its slot. */
const session = (at: number): number =>
  office.sessions.add({
    ...{
      id: at + 1,
      nasId: nasId(1),
      nasIp: '127.0.0.1',
      acctSessionId: `s${at}`,
      login: `line-${at}`,
      userLogin: null,
    },
    ...{ nasIdentity: { ipAddress: null, ipv6Address: null, identifier: null }, organizationId: 1 },
    ...{ userId: lines[at] ? loginId(lines[at].id) : null, subscriberId: clients[at].id as SubscriberId },
    ...{
      ip: '10.0.0.7',
      offeredIp: null,
      delegatedIpv6Prefix: null,
      ipv6Prefix: null,
      mac: null,
      callingStationId: null,
      nasPort: null,
    },
    ...{ inGarden: null, startedAtMs: 1, receivedAtMs: 1, reportedAtMs: 1 },
    ...{ sessionTime: 0, inputOctets: 0n, outputOctets: 0n },
  })

/** A session that has ended before the houses are read. */
const ended = (at: number, ago: string) =>
  office.rows(
    `INSERT INTO radius_sessions (login, abonent_id, nas_id, acct_session_id, started_at, updated_at, ended_at)
      VALUES ('x', $1, 1, $2, now() - interval '3 hours', now(), now() - $3::interval)`,
    [clients[at].id, `s${at} ${ago}`, ago],
  )

t.test('tariffs are listed with who has them, and archived ones apart', async (t) => {
  const list = '/admin/dictionary/tarifs/'
  t.same(await namesOf(list), ['Any', 'Fast', 'Slow'])
  t.same(await namesOf(`${list}?sort=-price`), ['Any', 'Fast', 'Slow'])
  t.same(await namesOf(`${list}?sort=speed`), ['Slow', 'Fast', 'Any'], 'unlimited is the fastest')
  t.same(await namesOf(`${list}?q=AS`), ['Fast'])
  const [most] = await items(`${list}?sort=-subscribers`)
  t.match(most, { name: 'Fast', price: '900.00', speed_mbit: 1000, subscribers: 3 })
  t.same(
    most.organizations.map(({ id, subscribers }: Json) => [id, subscribers]),
    [
      [1, 2],
      [2, 1],
    ],
  )
  t.match((await items(`${list}?sort=-subscribers`, north))[0], {
    subscribers: 1,
    organizations: [{ id: 2, subscribers: 1 }],
  })
  // A row that was brought over has no organization, and belongs to the default one.
  await office.rows('UPDATE abonents SET organization_id = NULL WHERE id = $1', [clients[0].id])
  const [same] = await items(`${list}?sort=-subscribers`)
  await office.rows('UPDATE abonents SET organization_id = 1 WHERE id = $1', [clients[0].id])
  t.same(same.organizations, most.organizations)
  const first = (await root.get(`${list}?limit=2&sort=price`)).body
  t.match(first, { items: [{ name: 'Slow' }, { name: 'Fast' }], total: 3, has_more_than_total: false })
  t.same(await namesOf(`${list}?limit=2&sort=price&cursor=${first.next_cursor}`), ['Any'])
  await made(dictionary('tarifs', slow.id), { enabled: false })
  t.same(await namesOf(`${list}?show=archived`), ['Slow'])
  t.same(await namesOf(list), ['Any', 'Fast'])
  t.match(await root.post(dictionary('tarifs'), { name: '', price: '-1' }), {
    status: 400,
    body: { errors: { name: /./, price: /./ } },
  })
  t.equal((await north.post(dictionary('tarifs'), { name: 'Own', price: '1' })).status, 403, 'tariffs are of everybody')
})

t.test('services are listed with who has them now, promise payments and archived ones apart', async (t) => {
  const list = '/admin/dictionary/uslugas/'
  const phone = await made(dictionary('uslugas'), { name: 'Phone', price: '99.50', is_public: true })
  const address = await made(dictionary('uslugas'), { name: 'Address', price: '0' })
  t.match(await items(list), [
    { name: 'Address', month: '0.00', subscribers: 0, organizations: [] },
    { name: 'Phone', month: '99.50', is_promise: false, is_public: true },
  ])
  const give = (at: number, more: object = {}) =>
    made('/admin/Abonents/users_usluga_crud/', { abonent_id: clients[at].id, usluga_id: phone.id, ...more })
  for (const at of [0, 1]) await give(at)
  // Twice the same is one subscriber, and what is taken away does not count.
  await give(0)
  await give(2, { enabled: false })
  t.match(await items(`${list}?sort=-subscribers`), [
    {
      name: 'Phone',
      subscribers: 2,
      organizations: [
        { id: 1, subscribers: 1 },
        { id: 2, subscribers: 1 },
      ],
    },
    { name: 'Address' },
  ])
  t.match((await items(`${list}?q=phone`, north))[0], { subscribers: 1 })
  t.same((await namesOf(`${list}?show=promises`)).length, 3)
  const changed = await made(dictionary('uslugas', -4), { summa: '250', end_count_days: 2 })
  t.match(changed, { id: -4, is_promise: true, summa: '250.00', end_count_days: 2 })
  t.match(await items(`${list}?show=promises&sort=price`), [{}, {}, { id: -4, month: '250.00', end_count_days: 2 }])
  await made(dictionary('uslugas', address.id), { enabled: false })
  t.same(await namesOf(`${list}?show=archived`), ['Address'])
  t.same(await namesOf(list), ['Phone'])
  t.match(await root.post(dictionary('uslugas'), { name: '', price: '-1' }), {
    status: 400,
    body: { errors: { name: /./, price: /./ } },
  })
  t.match(await root.delete(dictionary('uslugas', phone.id)), { status: 400, body: { code: 'record_in_use' } })
  t.match(await root.delete(dictionary('uslugas', 30353)), { status: 400, body: { code: 'fixed_service' } })
  t.equal((await north.post(dictionary('uslugas'), { name: 'Own', price: '1' })).status, 403, 'they are of everybody')
})

t.test('a payment card is written without REST, and its PIN is told to nobody', async (t) => {
  const card = await made(dictionary('cards'), { serial: 'SN-1', pin: '0042', nominal: '500.00', status: 'new' })
  t.match(card, { serial: 'SN-1', nominal: '500.00', status: 'new', used_date: null })
  await made(dictionary('cards', card.id), { status: 'active' })
  const { items: found } = (await root.get(`${dictionary('cards')}?q=sn`)).body
  t.match(found, [{ status: 'active' }])
  t.notMatch(JSON.stringify([card, found]), /0042|pin/)
  t.match(await root.post(dictionary('cards'), { serial: 'SN-1', pin: '1', nominal: '-1' }), {
    status: 400,
    body: { errors: { nominal: /./ } },
  })
  t.match(await root.post(dictionary('cards'), { serial: 'SN-1', pin: '1', nominal: '1' }), {
    status: 400,
    body: { codes: { serial: 'taken' } },
  })
  t.equal((await north.post(dictionary('cards'), { serial: 'N', pin: '1', nominal: '1' })).status, 403)
})

t.test('pages of cards follow each other by their serials, as plain SQL has them', async (t) => {
  for (let n = 0; n < 17; n++)
    await made(dictionary('cards'), { serial: `Ab${(n * 7) % 17}-${n % 3}`, pin: '1', nominal: '1' })
  for (const q of ['', 'B1', '-2', 'zz']) {
    const rows = await office.rows(
      `SELECT id FROM cards WHERE strpos(lower(serial), lower($1)) > 0 ORDER BY serial, id`,
      [q],
    )
    const found: Json[] = []
    for (let page = 1; page <= 1 + rows.length / 5; page++) {
      const { body } = await root.get(`${dictionary('cards')}?q=${q}&per_page=5&page=${page}`)
      t.equal(body.total, rows.length)
      found.push(...body.items)
    }
    t.same(
      found.map(({ id }) => id),
      rows.map(({ id }) => Number(id)),
      q,
    )
  }
})

t.test('the address tree is listed by level, and found by words', async (t) => {
  const list = '/admin/dictionary/homes/'
  t.match(await items(`${list}?kind=city`), [{ name: 'Tver', places: 1, subscribers: null }])
  t.match(await items(`${list}?parent=${city.id}`), [
    { name: 'Mira', address: 'Tver, Mira', places: 2, subscribers: 4 },
  ])
  t.match(await items(`${list}?parent=${street.id}`), [
    { name: '9', subscribers: 2, parent: street.id },
    { name: '10', subscribers: 2 },
  ])
  t.match((await items(`${list}?parent=${street.id}`, north))[0], { subscribers: 1 })
  t.same(await namesOf(`${list}?q=mir, 10 tve`), ['10'])
  t.same(await namesOf(`${list}?q=ira`), [], 'words are found by their beginning')
  const first = (await root.get(`${list}?limit=1&parent=${street.id}`)).body
  t.same(await namesOf(`${list}?limit=1&parent=${street.id}&cursor=${first.next_cursor}`), ['10'])
})

t.test('the address tree stays a tree, and names follow into the addresses', async (t) => {
  const refused = async (body: object, field: string, id: number | '' = '') => {
    const { status, body: said } = await root.post(dictionary('homes', id), body)
    t.equal(status, 400, JSON.stringify(body))
    t.ok(said.errors[field], JSON.stringify(said))
  }
  await refused({ kind: 'street', name: 'Nowhere' }, 'parent')
  await refused({ kind: 'street', name: 'Inner', parent: street.id }, 'parent')
  await refused({ kind: 'city', name: 'Inner', parent: city.id }, 'parent')
  await refused({ kind: 'street', name: 'MIRA', parent: city.id }, 'name')
  await refused({ kind: 'house' }, 'kind', city.id)
  t.equal((await north.post(dictionary('homes', street.id), { name: 'Pushkina' })).status, 403, 'others live there too')
  await made(dictionary('homes', street.id), { name: 'Pushkina' })
  const [{ address }] = await office.rows('SELECT address FROM abonents WHERE id = $1', [clients[0].id])
  t.equal(address, 'Tver, Pushkina, 9')
  t.match(await root.delete(dictionary('homes', ten.id)), { status: 400, body: { error: /subscribers: 2/ } })
})

t.test('a switch says who is on its ports', async (t) => {
  const list = '/admin/dictionary/switches/'
  t.match(await items(`${list}?q=pushkina`), [
    { name: 'sw-9', ip: '10.9.9.9', address: 'Tver, Pushkina, 9', logins: 2 },
  ])
  t.match(await items(`${list}?home=${city.id}&sort=-ip`), [{ name: 'sw-9' }])
  t.same(await items(`${list}?home=${ten.id}`), [])
  t.match(await items(list, north), [{ logins: 1 }])
  // A row that was brought over has no organization, and belongs to the default one.
  await office.rows('UPDATE abonents SET organization_id = NULL WHERE id = $1', [clients[0].id])
  t.match(await items(list, central), [{ logins: 1 }])
  await office.rows('UPDATE abonents SET organization_id = 1 WHERE id = $1', [clients[0].id])
  await office.rows('UPDATE abonents SET deleted = true WHERE id = $1', [clients[1].id])
  t.match([...(await items(list)), ...(await items(list, north))], [{ logins: 1 }, { logins: 0 }], 'of a deleted one')
  await office.rows('UPDATE abonents SET deleted = false WHERE id = $1', [clients[1].id])
  const slot = session(0)
  t.match(await items(`${list}${device.id}/ports/`), [
    { port: 1, login: 'line-1', online: false, ip: null },
    { port: 2, login: 'line-0', name: 'Client 1', address: 'Tver, Pushkina, 9', online: true, ip: '10.0.0.7' },
  ])
  t.match(await items(`${list}${device.id}/ports/`, north), [
    { port: 1, login: 'line-1', abonent_id: clients[1].id },
    { port: 2, login: null, abonent_id: null, online: null, ip: null },
  ])
  office.sessions.remove(slot)
  t.equal((await root.get(`${list}987654/ports/`)).status, 404)
  await made(dictionary('switches'), { name: 'sw-6', ip: '2001:db8::6' })
  await made(dictionary('switches'), { name: 'sw-10', ip: '10.10.9.9' })
  const read: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page: Json = (await root.get(`${list}?sort=ip&limit=1&cursor=${next}`)).body
    read.push(...page.items.map(({ name }: Json) => name))
    next = page.next_cursor
  }
  t.same(read, ['sw-9', 'sw-10', 'sw-6'], 'by the values of their addresses, a page after the other')
})

t.test('a house where everybody has gone offline comes first', async (t) => {
  const list = '/admin/radius/homes/'
  const slots = [session(2), session(2)]
  for (const at of [0, 1, 2]) await ended(at, '5 minutes')
  await ended(3, '2 hours')
  const found = (await root.get(list)).body
  t.match(found, {
    total: 2,
    items: [
      { id: nine.id, address: 'Tver, Pushkina, 9', subscribers: 2, online: 0, lost: 2 },
      { id: ten.id, subscribers: 2, online: 1, lost: 0 },
    ],
  })
  t.match(await items(`${list}?sort=-online`), [{ id: ten.id }, { id: nine.id }])
  t.match(await items(`${list}?show=down`), [{ id: nine.id }])
  t.match(await items(`${list}?home=${ten.id}`), [{ id: ten.id }])
  t.match(await items(list, north), [{ id: nine.id, subscribers: 1, lost: 1 }], 'of the own organizations')
  const first = (await root.get(`${list}?limit=1`)).body
  t.match(await items(`${list}?limit=1&cursor=${first.next_cursor}`), [{ id: ten.id }])
  const told = office.sessions.at(slots[0]!)
  for (const slot of slots) office.sessions.remove(slot)
  office.events.publish({ kind: 'sessionStopped', at: new Date(), session: { ...told, endedAt: new Date() } })
  t.match(await items(`${list}?home=${city.id}&sort=subscribers&show=lost`), [
    { id: ten.id, subscribers: 2, online: 0, lost: 1 },
    { id: nine.id, subscribers: 2, online: 0, lost: 2 },
  ])
})

t.test('houses follow who moves in, who is deleted, and who goes to another organization', async (t) => {
  const list = '/admin/radius/homes/?sort=-subscribers'
  const shown = async (expected: number[][], caller = root) => {
    const found = await untilAnswer(
      async () => (await items(list, caller)).map(({ id, subscribers }) => [id, subscribers]),
      (counts) => JSON.stringify(counts) === JSON.stringify(expected),
    )
    t.same(found, expected)
  }
  await shown([
    [ten.id, 2],
    [nine.id, 2],
  ])
  await root.put(`/rest_api/v2/Abonents/${clients[3].id}/`, { home: nine.id })
  await shown([
    [nine.id, 3],
    [ten.id, 1],
  ])
  await office.rows('UPDATE abonents SET deleted = true WHERE id = $1', [clients[2].id])
  await shown([[nine.id, 3]])
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [clients[3].id])
  await shown([[nine.id, 2]], north)
  // Too many to be named by a notice: all are read again.
  await office.rows(
    `INSERT INTO abonents (name, contract_number, account_id, home_id)
    SELECT 'Many', 'many ' || n, $1, $2 FROM generate_series(1, 600) AS n`,
    [clients[3].account, ten.id],
  )
  await shown([
    [ten.id, 600],
    [nine.id, 3],
  ])
})
