import pg from 'pg'
import t from 'tap'
import { systemAuthor } from '../../src/domain/author.ts'
import { subscriberId } from '../../src/domain/ids.ts'
import { openProgram } from '../support/opened-program.ts'
import { fetch } from '../support/published.ts'
import { Client, secret } from '../network/radius/fixture.ts'
import type { Json } from '../support/program.ts'
import { until } from '../support/until.ts'

const program = await openProgram(t)
const { radius, settings, subscribers, database, metrics } = program.parts
const rows = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await database.pool.query(text, values)).rows
await rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const nas = await program.create('Nas', { name: 'bras', ip: '127.0.0.1', secret, nas_type: 'mikrotik' })
const tarif = await program.create('Tarif', { name: 'Home', price: 0, speed_mbit: 100 })
const ivan = await program.createLogin('ivan', tarif)
const anna = await program.createLogin('anna', tarif)
await rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [anna.id])
await program.parts.access.refresh({ subscribers: [anna.id] })
const client = await Client.open(radius, '127.0.0.1')
t.teardown(() => client.close())

const station: [string, unknown] = ['Calling-Station-Id', 'AA-BB-CC-00-00-01']
const wrong = (login: string) => client.pap(login, 'wrong', [station, ['NAS-Port-Id', 'eth1.7']])
/** What the workers have answered is a row within two seconds. */
const written = (number: number) =>
  until(async () => Number((await rows('SELECT count(*) FROM radius_auth_log'))[0].count) >= number)
const log = async (query = '', call = program): Promise<Json> =>
  (await call.rest('GET', `/admin/radius/log/?${query}`)).body
const reasons = async (query: string) => (await log(query)).items.map((item: Json) => [item.login, item.reason])

t.test('every reject is there with its exact reason', async (t) => {
  for (let n = 0; n < 3; n++) await wrong('ivan')
  await wrong('ivna')
  await wrong('anna')
  const block = { kind: 'setBlock', subscriberId: subscriberId(ivan.id), reason: 'operator', on: true } as const
  t.match(await subscribers.ask(block, systemAuthor('test')), { kind: 'done' })
  t.equal((await client.pap('ivan', 'word')).code, 'Access-Reject')
  t.equal((await client.pap('anna', 'word')).code, 'Access-Accept')
  await written(4)
  const { items, next_cursor: next } = await log()
  t.equal(next, null)
  t.strictSame(
    items.map(({ login, reason, abonent_id: id, result }: Json) => [login, reason, id, result]).sort(),
    [
      ['anna', 'wrong_password', anna.id, 'reject'],
      ['ivan', 'blocked_operator', ivan.id, 'reject'],
      ['ivan', 'wrong_password', ivan.id, 'reject'],
      ['ivna', 'unknown_login', null, 'reject'],
    ],
    'an accept is not, unless RADIUS_LOG_ACCEPTS is on',
  )
  const first = items.find((item: Json) => item.reason === 'wrong_password' && item.login === 'ivan')
  t.match(first, { nas_id: nas.id, nas_name: 'bras', abonent_name: 'ivan', mac: 'aa:bb:cc:00:00:01', port: 'eth1.7' })
  t.ok(first.count >= 1 && first.count <= 3, 'equal ones are counted')
  t.ok(Math.abs(Date.parse(first.at) - Date.now()) < 60_000)
})

t.test('it is filtered, and read page by page', async (t) => {
  t.strictSame(await reasons('login=ivna'), [['ivna', 'unknown_login']])
  t.strictSame(await reasons(`abonent=${ivan.id}&reason=wrong_password`), [['ivan', 'wrong_password']])
  t.strictSame(await reasons('reason=blocked_operator&mac=aabb.cc00.0001'), [])
  t.equal((await log('mac=aabb.cc00.0001')).items.length, 3)
  t.equal((await log(`nas=${nas.id}&result=reject`)).items.length, 4)
  t.equal((await log('nas=999')).items.length, 0)
  t.equal((await log('result=accept')).items.length, 0)
  t.equal((await log('from=2020-01-01&to=2020-12-31')).items.length, 0)
  t.equal((await log('from=2020-01-01')).items.length, 4)
  const read: Json[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page: Json = await log(`limit=3&cursor=${next}`)
    read.push(...page.items)
    next = page.next_cursor
  }
  t.strictSame(read, (await log()).items)
  for (const query of ['reason=hunger', 'result=maybe', 'nas=x', 'abonent=-', 'from=soon', 'cursor=x', 'limit=0'])
    t.equal((await program.rest('GET', `/admin/radius/log/?${query}`)).status, 400, query)
})

t.test('the reasons of the last hour are counted, the most frequent first', async (t) => {
  const count = async (query = '') => {
    const { items } = (await program.rest('GET', `/admin/radius/log/reasons/?${query}`)).body
    return Object.fromEntries(items.map(({ reason, count: number }: Json) => [reason, number]))
  }
  await rows(`UPDATE radius_auth_log SET count = 5 WHERE login = 'ivna'`)
  const { items } = (await program.rest('GET', '/admin/radius/log/reasons/')).body
  t.match(items, [{ reason: 'unknown_login', count: 5 }])
  t.same(items.map((item: Json) => item.reason).sort(), ['blocked_operator', 'unknown_login', 'wrong_password'])
  t.strictSame(await count(`abonent=${anna.id}`), { wrong_password: 1 })
  t.strictSame(await count('mac=aabb.cc00.0001&login=ivna'), { unknown_login: 5 })
  t.strictSame(await count(`nas=${nas.id + 1}`), {})
  t.equal((await program.rest('GET', '/admin/radius/log/reasons/?nas=x')).status, 400)
  // Soon after midnight that is the day before, which the log has no table for.
  await rows(`SELECT radius_auth_log_add_day(((now() - interval '61 minutes') AT TIME ZONE 'UTC')::date)`)
  await rows(`UPDATE radius_auth_log SET at = at - interval '61 minutes', count = 1 WHERE login = 'ivna'`)
  // Asked in other words than before, because a costly answer is kept for a while, and on a busy machine each may be one.
  t.strictSame(await count('login=ivna'), {}, 'what is older is not')
  await rows(`UPDATE radius_auth_log SET at = at + interval '61 minutes' WHERE login = 'ivna'`)
})

t.test('unknown logins are told once each, with whose MAC it is, until they have a login', async (t) => {
  const unknown = async (query = ''): Promise<Json> =>
    (await program.rest('GET', `/admin/radius/log/unknown/?${query}`)).body
  await rows(`UPDATE users SET mac = 'aa:bb:cc:00:00:01' WHERE login = 'ivan'`)
  await rows(
    `INSERT INTO radius_auth_log (at, id, accepted, reason, login, nas_id, mac, port, count)
    VALUES (now(), -1, false, 'unknown_login', 'ivna', $1, 'aa:bb:cc:00:00:01', 'eth2', 3),
      (now(), -2, false, 'unknown_login', 'aa-bb-cc-00-00-07', $1, 'aa:bb:cc:00:00:07', null, 1),
      (now(), -4, false, 'unknown_login', 'aa-bb:cc-00-00-08', $1, 'a phone', null, 1),
      (now(), -3, false, 'unknown_login', null, $1, null, null, 900)`,
    [nas.id],
  )
  const { items, total } = await unknown('q=IVN')
  t.equal(total, 1)
  t.match(items, [{ login: 'ivna', mac: 'aa:bb:cc:00:00:01', count: 4, nas_name: 'bras', port: 'eth2' }])
  t.match(items[0].owner, { login: 'ivan', abonent_id: ivan.id, name: 'ivan' })
  t.strictSame((await unknown()).items.length, 3, 'sums of many logins name nobody')
  t.match((await unknown('q=00:07')).items, [{ login: 'aa-bb-cc-00-00-07', owner: null }])
  await rows(`UPDATE users SET mac = 'aa:bb:cc:00:00:07' WHERE login = 'ivan'`)
  const names = (await unknown()).items.map(({ login }: Json) => login).sort()
  t.strictSame(names, ['aa-bb:cc-00-00-08', 'ivna'], 'whose MAC is that of a login by now has one')
  await rows(`UPDATE users SET mac = NULL WHERE login = 'ivan'`)
  await rows('DELETE FROM radius_auth_log WHERE id < 0')
})

t.test('staff of some organizations see their subscribers, and no unknown logins', async (t) => {
  const north = { username: 'north', password: 'northern-password', role: 'viewer', organizations: [2] }
  t.equal((await program.rest('POST', '/admin/dictionary/staff_crud/', north)).status, 200)
  const query = new URLSearchParams({ api: '1', username: 'north', password: north.password, format: 'json' })
  const { hash } = (await (await fetch(`${program.address.http}/admin/?${query}`)).json()) as { hash: string }
  const answer = await fetch(`${program.address.http}/admin/radius/log/`, { headers: { 'X-Session-Hash': hash } })
  const { items } = (await answer.json()) as Json
  t.match(items, [{ login: 'anna' }])
  const counted = await fetch(`${program.address.http}/admin/radius/log/reasons/`, {
    headers: { 'X-Session-Hash': hash },
  })
  t.strictSame(((await counted.json()) as Json).items, [{ reason: 'wrong_password', count: 1 }])
  for (const path of ['?reason=unknown_login', 'unknown/']) {
    const unknown = await fetch(`${program.address.http}/admin/radius/log/${path}`, {
      headers: { 'X-Session-Hash': hash },
    })
    t.strictSame(((await unknown.json()) as Json).items, [], path)
  }
  t.equal(items.length, 1)
})

t.test('accepts are there while the setting is on', async (t) => {
  await settings.set({ RADIUS_LOG_ACCEPTS: true })
  t.equal((await client.pap('anna', 'word', [station])).code, 'Access-Accept')
  await written(5)
  t.match((await log('result=accept')).items, [
    { login: 'anna', result: 'accept', reason: null, mac: 'aa:bb:cc:00:00:01', abonent_id: anna.id, count: 1 },
  ])
  await until(async () => (await metrics.text()).includes('tollgate_radius_log_rows_total 5'))
  t.match(await metrics.text(), /tollgate_radius_log_left_out_total\{left_out="lost"\} 0/)
})

t.test('what is being counted becomes rows when the program ends', async (t) => {
  for (let n = 0; n < 4; n++) await wrong('ivan')
  await program.stop()
  const after = new pg.Client({ connectionString: program.databaseUrl! })
  await after.connect()
  t.teardown(() => after.end())
  const found = await after.query(
    `SELECT sum(count) FROM radius_auth_log WHERE login = 'ivan' AND reason = 'wrong_password'`,
  )
  t.equal(Number(found.rows[0].sum), 7)
})
