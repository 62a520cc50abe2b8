import t from 'tap'
import { nasId, type SubscriberId } from '../../src/domain/ids.ts'
import { Conflicts, type Found, sessionsAtOnce } from '../../src/interfaces/admin/network/pools/conflicts.ts'
import type { PoolParts } from '../../src/interfaces/admin/network/pools/parts.ts'
import { parseIpv4 } from '../../src/network/radius/wire/address.ts'
import { fetch } from '../support/published.ts'
import { until, untilAnswer } from '../support/until.ts'
import { type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (1, 2, 'North')`)
const north = await office.staff('north', 'viewer', [2])
const create = async (model: string, body: object): Promise<number> => {
  const made = await root.post(`/rest_api/v2/${model}/`, body)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.id
}
const small = await create('IpPull', { name: 'a small one', network: '10.1.0.0/28', gateway: '10.1.0.1' })
const six = await create('IpPull', { name: 'six', network: '2001:db8::/64' })
const ivan = await create('Abonents', { name: 'Ivan', contract_number: '1' })
const olga = await create('Abonents', { name: 'Olga', contract_number: '2', parent: 1 })
const login = (abonent: number, name: string, more: object = {}) =>
  create('Users', { abonent, login: name, password: 'secret', ...more })
const own = await login(ivan, 'own', { ip: '10.1.0.2' })
const first = await login(ivan, 'first', { pool: small })
const second = await login(olga, 'second', { pool: small })
const { access, sessions } = office
const { pools } = access

let count = 0
const live = (user: number, name: string, ip: string) => {
  pools.hold(user, 0, parseIpv4(ip)!)
  return sessions.add({
    ...{ id: ++count, nasId: nasId(1), nasIp: '127.0.0.1', acctSessionId: `s${count}`, login: name, userLogin: name },
    ...{ nasIdentity: { ipAddress: null, ipv6Address: null, identifier: null }, userId: user, organizationId: 1 },
    ...{
      subscriberId: ivan as SubscriberId,
      ip,
      offeredIp: null,
      delegatedIpv6Prefix: null,
      ipv6Prefix: null,
      mac: null,
      callingStationId: null,
    },
    ...{
      nasPort: null,
      inGarden: null,
      startedAtMs: 1,
      receivedAtMs: 1,
      reportedAtMs: 1,
      sessionTime: 0,
      inputOctets: 0n,
      outputOctets: 0n,
    },
  })
}
live(own, 'own', '10.1.0.2')
live(first, 'first', '10.1.0.5')
live(second, 'second', '10.1.0.6')

const ownAddressOf = (login: number) => access.table.get(login)?.ip ?? -1
const conflictParts: PoolParts = { ...office, timeZone: () => 'Europe/Moscow', pools, sessions, ownAddressOf }

const path = '/admin/radius/pools/'

t.test('an address that two have is found, given twice or held by another', async (t) => {
  const found = async () => (await root.get(`${path}conflicts/`)).body.items
  const look = new Conflicts(conflictParts)
  t.same((await look.find()).items, [], 'none yet')
  const twin = await login(olga, 'twin', { ip: '10.1.0.2' })
  const far = await login(ivan, 'far', { ip: '192.0.2.7' })
  live(first, 'first', '192.0.2.7')
  live(second, 'second', '10.1.0.5')
  const items = [
    { code: 'given_twice', address: '10.1.0.2', pool_id: small, holders: [{ login_id: own }, { login_id: twin }] },
    { code: 'held_by_another', address: '192.0.2.7', pool_id: null, holders: [{ login_id: far }, { login_id: first }] },
    {
      code: 'held_by_another',
      address: '10.1.0.5',
      pool_id: small,
      holders: [{ login_id: first }, { login_id: second }],
    },
  ]
  const shown = await new Conflicts(conflictParts).find()
  t.equal(shown.items.length, 3)
  t.match(await found(), items, 'a look of this door is the first one')
  t.match((await root.get(`${path}conflicts/?pool=${small}`)).body.items.length, 2)
  t.match((await root.get(path)).body, { items: [{ conflicts: 2 }, { conflicts: 0 }], conflicts_elsewhere: 1 })
  t.match((await north.get(`${path}conflicts/`)).body.items[0].holders, [{ login: null }, { login: 'twin' }])
})

t.test('who prefers it does not wait for the look, and asks until it is through', async (t) => {
  const asked = async (id: number) => {
    const headers = { ...root.headers, Prefer: `respond-async; id=${id}` }
    const response = await fetch(`${root.base}${path}conflicts/?pool=${small}`, { headers })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const holder = await office.database.pool.connect()
  await holder.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE')
  t.same(await asked(1), { status: 202, body: { ok: true, counted: 0 } })
  await holder.query('COMMIT')
  holder.release()
  const { body } = await untilAnswer(
    () => asked(1),
    ({ status }) => status === 200,
  )
  t.same(body, (await root.get(`${path}conflicts/?pool=${small}`)).body)
})

t.test('each pool says how many of its addresses are used, free and own ones of logins', async (t) => {
  const { body } = await root.get(path)
  const [counted, other] = body.items
  t.match(counted, {
    ...{ id: small, name: 'a small one', network: '10.1.0.0/28', gateway: '10.1.0.1', family: 4, enabled: true },
    ...{ size: 13, used: 2, offered: 0, static: 1, free: 10 },
  })
  t.match(other, { id: six, family: 6, size: null, free: null })
  const { ok: _, logins, ...one } = (await root.get(`${path}${small}/`)).body
  t.same([one, logins], [counted, 2], 'one alone also says how many logins name it')
  t.equal((await root.get(`${path}987654/`)).status, 404)
  t.same((await root.get(`${path}${small}/free/?limit=2`)).body.items, ['10.1.0.3', '10.1.0.4'])
  t.same((await root.get(`${path}${small}/free/`)).body.items.length, 10)
  t.same((await root.get(`${path}${six}/free/`)).body.items, [])
})

t.test('a pool that overlaps another one says so, and counts what is taken there', async (t) => {
  const within = await create('IpPull', { name: 'within', network: '10.1.0.0/29' })
  const { items } = (await root.get(path)).body
  const [one, , other] = items
  t.same(one.overlaps, [{ id: within, name: 'within', network: '10.1.0.0/29' }])
  t.same(other.overlaps, [{ id: small, name: 'a small one', network: '10.1.0.0/28' }])
  t.match(other, { size: 6, used: 2, static: 1, free: 3 })
  t.match((await root.get(`${path}${within}/holders/`)).body.items, [{ address: '10.1.0.2' }, {}, {}])
  await root.delete(`/rest_api/v2/IpPull/${within}/`)
  t.same((await root.get(`${path}${small}/`)).body.overlaps, [])
})

t.test('who holds an address is told by pages, and nothing of another organization', async (t) => {
  const page = await root.get(`${path}${small}/holders/?limit=2`)
  t.match(page.body.items, [
    {
      address: '10.1.0.2',
      kind: 'static',
      is_live: true,
      holders: [{ login: 'own', name: 'Ivan', abonent_id: ivan }, { login: 'twin' }],
    },
    { address: '10.1.0.5', kind: 'session', is_live: true, holders: [{ login_id: first, login: 'first' }] },
  ])
  const rest = await root.get(`${path}${small}/holders/?limit=2&cursor=${page.body.next_cursor}`)
  t.match(rest.body, {
    items: [{ address: '10.1.0.6', holders: [{ login: 'second', name: 'Olga' }] }],
    next_cursor: null,
  })
  t.match((await root.get(`${path}${small}/holders/?kind=static`)).body.items, [{ address: '10.1.0.2' }])
  const seen = (await north.get(`${path}${small}/holders/`)).body.items
  const unseen = { login_id: null, login: null, abonent_id: null, name: null }
  t.same(
    seen.map(({ holders }: { holders: unknown[] }) => holders[0]),
    [unseen, unseen, { login_id: second, login: 'second', abonent_id: olga, name: 'Olga' }],
  )
  for (const wrong of ['999/holders/', 'x/holders/', '999/free/']) t.equal((await root.get(path + wrong)).status, 404)
  for (const wrong of ['cursor=x', 'limit=0', 'kind=all'])
    t.equal((await root.get(`${path}${small}/holders/?${wrong}`)).status, 400, wrong)
})

t.test('sessions are looked through in slices, with others in between, once for all who ask', async (t) => {
  let asked = 0
  let turns = 0
  const slices = 20
  const slots = slices * sessionsAtOnce
  const numbers = { nasId: new Float64Array(slots), userId: new Float64Array(slots) }
  const ips: (string | null)[] = Array.from({ length: slots }, () => null)
  for (let slot = 0; slot < slots; slot += sessionsAtOnce) {
    numbers.nasId[slot] = 1
    numbers.userId[slot] = first
    ips[slot] = '10.1.0.5'
  }
  const leaseAt = (address: number) => {
    if (address === parseIpv4('10.1.0.5')) asked++
    return pools.leaseAt(address)
  }
  const sessions = { view: { slots, numbers: numbers as never, ips } }
  const look = new Conflicts({ ...conflictParts, sessions, pools: { leaseAt } as never })
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve))
  })()
  await Promise.all([look.find(), look.find(), look.find()])
  isOver = true
  await others
  t.equal(asked, slices)
  t.ok(turns >= slices, 'the event loop goes round between two slices')
})

t.test('who has an address of its own is not looked for in the tables', async (t) => {
  const asked: string[] = []
  const pool = {
    query: (text: string, values?: unknown[]) => {
      asked.push(text)
      return office.database.pool.query(text, values)
    },
  }
  const near = await login(ivan, 'near', { ip: '192.0.2.8' })
  const columns = (user: number, ip: string) => ({
    slots: 1,
    numbers: { nasId: Float64Array.of(1), userId: Float64Array.of(user) } as never,
    ips: [ip],
  })
  const find = (user: number, ip: string) =>
    new Conflicts({ ...conflictParts, database: { pool: pool as never }, sessions: { view: columns(user, ip) } }).find()
  await until(() => ownAddressOf(near) === parseIpv4('192.0.2.8'))
  const held = ({ items }: Found) => items.filter(({ code }) => code === 'held_by_another')
  t.same([held(await find(near, '192.0.2.8')), asked.length], [[], 1], 'only what is given twice')
  t.match(held(await find(first, '192.0.2.8')), [{ address: '192.0.2.8', logins: [near, first] }])
  t.equal(asked.length, 3)
})
