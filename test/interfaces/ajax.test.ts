import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { nasId } from '../../src/domain/ids.ts'
import { ajaxRoutes } from '../../src/interfaces/admin/network/ajax.ts'
import { ReverseLookup } from '../../src/interfaces/admin/network/reverse-lookup.ts'
import { parseIpv4 } from '../../src/network/radius/wire/address.ts'
import { startServer } from '../platform/http/parts.ts'
import { fetch } from '../support/published.ts'
import { Caller, openOffice } from './admin-office.ts'

/** A name server on UDP that knows one address, says of another that it has no name, and leaves the rest unanswered. */
async function nameServer(): Promise<{ socket: Socket; address: string; asked: () => number }> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (query, from) => {
    asked++
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const name = question.toString('latin1')
    const known = name.startsWith('\x018\x018\x018\x018')
    if (!known && !name.startsWith('\x019')) return
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(known ? 1 : 0, 6)
    header.writeUInt32BE(0, 8)
    const host = Buffer.from('\x04line\x04home\x04test\x00', 'latin1')
    const record = Buffer.from([0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 60, 0, host.length])
    socket.send(Buffer.concat([header, question, ...(known ? [record, host] : [])]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { socket, address: `127.0.0.1:${socket.address().port}`, asked: () => asked }
}

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (1, 2, 'North')`)
const create = async (model: string, body: object): Promise<number> => {
  const made = await root.post(`/rest_api/v2/${model}/`, body)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.id
}
const small = await create('IpPull', { name: 'small', network: '10.1.0.0/29', gateway: '10.1.0.1' })
const wide = await create('IpPull', { name: 'wide', network: '10.2.0.0/16' })
const closed = await create('IpPull', { name: 'closed', network: '10.3.0.0/24', enabled: false })
const six = await create('IpPull', { name: 'six', network: '2001:db8::/64' })
const sw = await create('Switch', { name: 'sw', ip: '10.9.0.1', ports_count: 4 })
const bare = await create('Switch', { name: 'no size', ip: '10.9.0.2' })
const owner = await create('Abonents', { name: 'Owner', contract_number: '1' })
const stranger = await create('Abonents', { name: 'Stranger', contract_number: '2', parent: 1 })
const login = (fields: object) => create('Users', { password: 'secret', ...fields })
const ivan = await login({
  abonent: owner,
  login: 'ivan',
  mac: 'AA:BB:CC:00:00:01',
  ip: '10.1.0.2',
  switch: sw,
  switch_port: 2,
})
const anna = await login({ abonent: owner, login: 'anna', switch: sw, switch_port: 3 })
const foreign = await login({
  abonent: stranger,
  login: 'foreign',
  mac: 'AA:BB:CC:00:00:09',
  switch: sw,
  switch_port: 4,
})

const { access, sessions } = office
const names = await nameServer()
const { server, base } = await startServer(
  ajaxRoutes({
    ...office,
    pools: access.pools,
    reverseLookup: new ReverseLookup([names.address]),
  }),
  { signIn: office.signIn },
)
t.teardown(async () => {
  await server.stop()
  names.socket.close()
})
const at = (caller: Caller) => new Caller(base, caller.headers)
const admin = at(root)
const here = at(await office.staff('here', 'viewer', [1]))

t.test('the next free address is neither fixed nor leased, and stays free', async (t) => {
  const ask = (pool: number | string = '') => admin.get(`/admin/ajax/ippull_get/${pool ? `${pool}/` : ''}`)
  const first = { status: 200, body: { msg: 'ok', ip: '10.1.0.3', mask: '255.255.255.248' } }
  t.strictSame(await ask(small), first, 'network, gateway and the address of a login are passed over')
  t.strictSame(await ask(small), first)
  t.strictSame(await ask(), first, 'the first enabled pool that has one')
  t.strictSame((await ask(wide)).body, { msg: 'ok', ip: '10.2.0.1', mask: '255.255.0.0' })
  for (const last of [3, 4, 5, 6]) access.pools.hold(anna, last, parseIpv4(`10.1.0.${last}`)!)
  t.match(await ask(small), { status: 200, body: { msg: /no free address/, ip: undefined } })
  t.match((await ask()).body, { msg: 'ok', ip: '10.2.0.1' })
  access.pools.leave(anna, 4, parseIpv4('10.1.0.4')!)
  t.match((await ask(small)).body, { msg: 'ok', ip: '10.1.0.4' })
  await office.rows(`UPDATE users SET ip = '10.1.0.4' WHERE id = $1`, [anna])
  await access.refresh({ users: [anna] })
  t.match((await ask(small)).body, { msg: /no free address/ })
  for (const pool of [closed, six]) t.match((await ask(pool)).body, { msg: /gives out no/ })
  for (const pool of [99, 'x']) t.match(await ask(pool), { status: 404, body: { ok: false } })
})

t.test('the MAC is that of the live session, else of the login', async (t) => {
  const ask = (id: unknown, caller = admin) => caller.get(`/admin/ajax/user_getinfo/?user_id=${id}&cmd=GetMac`)
  t.strictSame(await ask(ivan), { status: 200, body: { msg: 'ok', mac: 'aa:bb:cc:00:00:01' } })
  t.match(await ask(anna), { status: 200, body: { msg: /no MAC/ } })
  sessions.add({
    id: 1,
    nasId: nasId(1),
    nasIp: '127.0.0.1',
    nasIdentity: { ipAddress: null, ipv6Address: null, identifier: null },
    acctSessionId: 's1',
    login: 'ivan',
    userLogin: 'ivan',
    userId: ivan,
    subscriberId: owner,
    organizationId: 1,
    ip: null,
    offeredIp: null,
    delegatedIpv6Prefix: null,
    ipv6Prefix: null,
    mac: 'de:ad:be:ef:00:01',
    callingStationId: 'DE-AD-BE-EF-00-01',
    nasPort: null,
    inGarden: null,
    startedAtMs: 1,
    receivedAtMs: 1,
    reportedAtMs: 1,
    sessionTime: 0,
    inputOctets: 0n,
    outputOctets: 0n,
  })
  t.strictSame((await ask(ivan)).body, { msg: 'ok', mac: 'de:ad:be:ef:00:01' })
  t.match((await ask(ivan, here)).body, { msg: 'ok' })
  const missing = await ask(999, here)
  t.match(missing, { status: 404, body: { ok: false, error: 'Not found.' } })
  t.strictSame(await ask(foreign, here), missing)
  for (const wrong of ['', 'x', '-1', '9'.repeat(30)]) t.equal((await ask(wrong)).status, 404)
  t.match(await admin.get(`/admin/ajax/user_getinfo/?user_id=${ivan}&cmd=Reboot`), {
    status: 400,
    body: { msg: String },
  })
})

t.test('ports of a switch, with the one of the login and those of others', async (t) => {
  const ask = (user: unknown, of: unknown, caller = admin) =>
    caller.get(`/admin/ajax/user_get_switch_port_list/?user_id=${user}&switch_id=${of}`)
  t.strictSame((await ask(ivan, sw)).body, [
    { pk: 1, name: '1', selected: false },
    { pk: 2, name: '2', selected: true },
    { pk: 3, name: '3 (anna)', selected: false },
    { pk: 4, name: '4 (foreign)', selected: false },
  ])
  t.match((await ask(ivan, sw, here)).body[3], { name: '4 (taken)' }, 'a foreign login stays unnamed')
  t.match((await ask('', sw)).body, [{}, { name: '2 (ivan)', selected: false }, {}, {}], 'a login that is yet to be')
  t.strictSame((await ask(ivan, bare)).body, [])
  t.equal((await ask(foreign, sw, here)).status, 404)
  for (const [user, of] of [
    [999, sw],
    ['x', sw],
    [ivan, 999],
    [ivan, ''],
  ])
    t.equal((await ask(user, of)).status, 404)
})

t.test('reverse DNS answers in time, whatever the name server does', async (t) => {
  const ask = (ip: string) => admin.get(`/admin/Users/resolve_dns/${ip}/`)
  t.strictSame(await ask('8.8.8.8'), {
    status: 200,
    body: { msg: 'ok', ip: '8.8.8.8', name: 'line.home.test', names: ['line.home.test'] },
  })
  t.strictSame(await ask('8.8.8.9'), { status: 200, body: { msg: 'The address has no name.' } })
  for (const wrong of ['x', '8.8.8', '8.8.8.8.8', '%20'])
    t.match(await ask(wrong), { status: 400, body: { msg: String } })
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ask(n === 0 ? '2001:db8::1' : `192.0.2.${100 + n}`)),
  )
  t.equal(many.filter(({ status, body }) => status === 200 && /did not answer/.test(body.msg)).length, 16)
  t.equal(many.filter(({ status }) => status === 503).length, 4)
  t.ok(names.asked() > 17)
})

t.test('nobody asks without a sign-in', async (t) => {
  for (const path of ['/admin/ajax/ippull_get/', `/admin/ajax/user_getinfo/?user_id=${ivan}&cmd=GetMac`]) {
    t.equal((await fetch(base + path)).status, 401)
  }
})
