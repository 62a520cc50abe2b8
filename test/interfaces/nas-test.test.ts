import t from 'tap'
import { systemAuthor } from '../../src/domain/author.ts'
import { subscriberId } from '../../src/domain/ids.ts'
import { FakeNas } from '../support/nas.ts'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
await office.disconnects.start()
t.teardown(() => office.disconnects.stop(0))
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (1, 2, 'North')`)
const north = await office.staff('north', 'admin', [2])

const create = async (model: string, body: object): Promise<Json> => {
  const made = await root.post(`/rest_api/v2/${model}/`, body)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body
}

const nasOf = async (number: number, nasType: string, fields: object = {}) => {
  const fake = await FakeNas.start({ id: number, ip: `127.0.0.${number}`, answer: () => ({ nak: 503 }) })
  t.teardown(() => fake.close())
  const { ip, secret, coaPort, name } = fake.entry
  const { id } = await create('Nas', { name, ip, secret, coa_port: coaPort, nas_type: nasType, ...fields })
  return { fake, id: id as number }
}
const mikrotik = await nasOf(1, 'mikrotik')
const [template] = await office.rows(`SELECT id FROM nas_templates WHERE name = 'Juniper, policies'`)
const juniper = await nasOf(2, 'juniper', { template: template.id })

const pool = (await create('IpPull', { name: 'pool', network: '10.1.0.0/30', gateway: '10.1.0.1' })).id
const tarif = await create('Tarif', {
  name: 'fast',
  price: 0,
  speed_mbit: 100,
  upload_mbit: 50,
  walled_garden: true,
})
let contracts = 0
const login = async (name: string, fields: object = {}, abonentFields: object = {}) => {
  const contract = String(++contracts)
  const abonent = await create('Abonents', { name, contract_number: contract, tarif: tarif.id, ...abonentFields })
  await create('Users', { abonent: abonent.id, login: name, password: 'secret', ...fields })
  return abonent
}
await login('ivan', { ip: '10.9.0.7' })
await login('pooled', { pool })
await login('northern', { ip: '10.9.0.8' }, { parent: 1 })

const ask = (id: number | string, body: object = {}, caller: Caller = root) =>
  caller.post(`/admin/radius/nas/${id}/test/`, body)
const decision = async (id: number, name: string, caller?: Caller) =>
  (await ask(id, { login: name }, caller)).body.decision
const attributeOf = ({ attributes }: Json, name: string): string | undefined =>
  attributes.find((one: Json) => one.name === name)?.value

t.test('without a login only the NAS is asked', async (t) => {
  const { status, body } = await ask(mikrotik.id)
  t.equal(status, 200)
  t.match(body, { ok: true, probe: { result: 'answered', ms: Number, error_cause: 503 } })
  t.notOk('decision' in body)
  t.strictSame(await office.rows('SELECT FROM coa_requests'), [], 'it is no Disconnect')
  t.equal((await ask(99)).status, 404)
  t.equal((await ask('x')).status, 404)
  t.match(await ask(mikrotik.id, { login: 'x'.repeat(254) }), { status: 400, body: { ok: false } })
  const viewer = await office.staff('viewer', 'viewer', [1])
  t.equal((await ask(mikrotik.id, {}, viewer)).status, 403)
})

t.test('the answer is that of the NAS and its template', async (t) => {
  const plain = await decision(mikrotik.id, 'ivan')
  t.match(plain, { result: 'accept', reason: null })
  t.strictSame(plain.attributes, [
    { name: 'Framed-IP-Address', value: '10.9.0.7' },
    { name: 'Acct-Interim-Interval', value: '300' },
    { name: 'Mikrotik-Rate-Limit', value: '50M/100M' },
  ])
  const other = await decision(juniper.id, 'ivan')
  t.equal(attributeOf(other, 'Framed-IP-Address'), '10.9.0.7')
  t.equal(attributeOf(other, 'Mikrotik-Rate-Limit'), undefined)
  t.ok(
    other.attributes.some(({ name }: Json) => name.startsWith('ERX-')),
    'as the template says',
  )
})

t.test('a login of radius_reply, with what is encrypted masked', async (t) => {
  await login('replied', {
    radius_reply: [
      { name: 'Mikrotik-Rate-Limit', value: '1M/1M' },
      { name: 'Tunnel-Password:1', value: 'open sesame' },
    ],
  })
  const { attributes } = await decision(mikrotik.id, 'replied')
  t.match(attributes.slice(-2), [
    { name: 'Mikrotik-Rate-Limit', value: '1M/1M' },
    { name: 'Tunnel-Password:1', value: /^•+$/ },
  ])
  t.notMatch(JSON.stringify(attributes), /sesame/)
})

t.test('a login in the garden is shown there, and one whom an operator blocked is rejected', async (t) => {
  const paused = await login('paused')
  const command = { kind: 'setBlock', subscriberId: subscriberId(paused.id), reason: 'client', on: true } as const
  t.match(await office.subscribers.ask(command, systemAuthor('test')), { kind: 'done' })
  const garden = await decision(mikrotik.id, 'paused')
  t.match(garden, { result: 'accept', reason: "walled garden, blocked: at the client's request" })
  t.equal(attributeOf(garden, 'Session-Timeout'), '600')
  t.ok(attributeOf(garden, 'Mikrotik-Address-List'))
  const blocked = await login('blocked')
  t.equal((await root.post(`/admin/abonents/block/${blocked.id}/`)).status, 302)
  t.strictSame(await decision(mikrotik.id, 'blocked'), {
    result: 'reject',
    reason: 'blocked: by the operator',
    code: 'blocked_operator',
    attributes: [{ name: 'Reply-Message', value: 'blocked: by the operator' }],
  })
})

t.test('the address of a pool is shown and stays free', async (t) => {
  const next = () => office.access.pools.nextFree(pool)
  const free = next()
  t.ok(free)
  for (let time = 0; time < 2; time++) {
    t.equal(attributeOf(await decision(mikrotik.id, 'pooled'), 'Framed-IP-Address'), '10.1.0.2')
  }
  t.strictSame(next(), free)
  const [user] = await office.rows(`SELECT id FROM users WHERE login = 'pooled'`)
  t.ok(office.access.pools.hold(Number(user.id), 0, free!.address))
  t.equal(attributeOf(await decision(mikrotik.id, 'pooled'), 'Framed-IP-Address'), '10.1.0.2', 'the one that it holds')
  await login('late', { pool })
  t.match(await decision(mikrotik.id, 'late'), { result: 'reject', reason: 'no free address' })
})

t.test('who is unknown, has no password or is of another organization', async (t) => {
  const unknown = {
    result: 'reject',
    reason: 'unknown login or wrong password',
    code: 'unknown_login',
    attributes: [{ name: 'Reply-Message', value: 'unknown login or wrong password' }],
  }
  t.strictSame(await decision(mikrotik.id, 'nobody'), unknown)
  t.strictSame(await decision(mikrotik.id, 'ivan', north), unknown, 'a login of another organization')
  t.match(await decision(mikrotik.id, 'northern', north), { result: 'accept' })
  await login('box', { mac: 'AA:BB:CC:00:00:05' })
  t.match(await decision(mikrotik.id, 'AABB.CC00.0005'), { result: 'accept' }, 'a MAC in any spelling')
  const [box] = await office.rows(`UPDATE users SET password = $1 WHERE login = 'box' RETURNING id`, [
    office.secrets.seal(''),
  ])
  await office.access.refresh({ users: [Number(box.id)] })
  t.strictSame(await decision(mikrotik.id, 'box'), { ...unknown, code: 'wrong_password' }, 'no password is right')
  t.match(await decision(mikrotik.id, 'aa-bb-cc-00-00-05'), { result: 'accept' })
})

t.test('names are read as those of the NAS, and a disabled NAS gets no answer', async (t) => {
  await root.call('PATCH', `/rest_api/v2/Nas/${juniper.id}/`, { realms: 'isp.example, !bad.example' })
  t.match(await decision(juniper.id, 'ivan@isp.example'), { result: 'accept' })
  t.match(await decision(juniper.id, 'ivan@bad.example'), { result: 'reject', reason: 'realm not accepted' })
  t.match(await decision(mikrotik.id, 'ivan@isp.example'), { result: 'reject' })
  await root.call('PATCH', `/rest_api/v2/Nas/${juniper.id}/`, { enabled: false })
  t.strictSame(await decision(juniper.id, 'ivan'), {
    result: 'dropped',
    reason: 'the NAS is disabled',
    code: null,
    attributes: [],
  })
})
