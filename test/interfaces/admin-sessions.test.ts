import t from 'tap'
import { Client, secret } from '../network/radius/fixture.ts'
import { FakeNas, type NasAnswer } from '../support/nas.ts'
import { openProgram } from '../support/opened-program.ts'
import { adminPassword, type Json } from '../support/program.ts'
import { createStaff } from '../../src/platform/staff/staff-table.ts'
import { organizationId } from '../../src/domain/ids.ts'
import { Caller } from './admin-office.ts'
import { fetch } from '../support/published.ts'

const program = await openProgram(t)
const { database, sessions } = program.parts
const rows = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await database.pool.query(text, values)).rows
const signedIn = async (username: string, password: string) => {
  const query = new URLSearchParams({ api: '1', username, password, format: 'json' })
  const { hash } = (await (await fetch(`${program.address.http}/admin/?${query}`)).json()) as { hash: string }
  return new Caller(program.address.http, { 'X-Session-Hash': hash })
}
const root = await signedIn('admin', adminPassword)
const staff = async (username: string, role: string, organization: number) => {
  const password = `${username}-password`
  await createStaff(database.pool, {
    username,
    password,
    isSuperuser: false,
    role,
    organizations: [organizationId(organization)],
  })
  return await signedIn(username, password)
}

await rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const folder = (await root.post('/admin/dictionary/folders_crud/', { name: 'Northern street', organization: 2 })).body
const tarif = await program.create('Tarif', { name: 'usual', price: 0 })
await program.createLogin('ivan', tarif)
const petr = await program.createLogin('petr', tarif)
const northern = await program.create('Abonents', {
  name: 'Northerner',
  contract_number: '9',
  tarif: tarif.id,
  parent: folder.id,
})
await program.create('Users', { abonent: northern.id, login: 'north', password: 'word' })
const north = await staff('north', 'admin', 2)
const viewer = await staff('viewer', 'viewer', 1)

/** A NAS that sends accounting from its address and answers Disconnect there. */
async function nasOf(number: number, nas_type = 'generic') {
  const fake = await FakeNas.start({ id: number, ip: `127.0.0.${number}` })
  t.teardown(() => fake.close())
  fake.entry.secret = secret
  const { ip, coaPort } = fake.entry
  const { id } = await program.create('Nas', {
    name: `nas-${number}`,
    ip,
    secret,
    coa_port: coaPort,
    nas_type,
  })
  const { authPort, acctPort } = program.address
  const client = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, ip!)
  t.teardown(() => client.close())
  const tell = async (login: string, status: string, more: [string, unknown][] = []) => {
    const attributes = [['User-Name', login], ['Acct-Session-Id', `of-${login}`], ['Acct-Status-Type', status], ...more]
    await client.exchange(client.accounting(attributes), 'acct')
  }
  return { fake, id: id as number, tell }
}
const first = await nasOf(2)
const second = await nasOf(3)
const traffic = (seconds: number, up: number, down: number): [string, unknown][] => [
  ['Acct-Session-Time', seconds],
  ['Acct-Input-Octets', up],
  ['Acct-Output-Octets', down],
]
const from = (ip: string, mac: string): [string, unknown][] => [
  ['Framed-IP-Address', ip],
  ['Calling-Station-Id', mac],
]

const list = async (query: string, caller = root) => (await caller.get(`/admin/radius/sessions/?${query}`)).body
const logins = async (query: string, caller = root): Promise<string[]> =>
  (await list(query, caller)).items.map(({ login }: Json) => login)

await first.tell('ivan', 'Start', from('10.0.0.1', 'AA-BB-CC-00-00-01'))
await first.tell('petr', 'Start', from('10.0.0.2', 'AA-BB-CC-00-00-02'))
await second.tell('north', 'Start', from('10.0.0.3', 'AA-BB-CC-00-00-03'))
await second.tell('stranger', 'Start')
await first.tell('ivan', 'Interim-Update', traffic(100, 1_000, 2_000))

t.test('live sessions with what their last two records tell', async (t) => {
  const { items, total } = await list('login=ivan')
  t.equal(total, 1)
  t.match(items, [
    { login: 'ivan', nas_id: first.id, nas_name: 'nas-2', ip: '10.0.0.1', mac: 'aa:bb:cc:00:00:01', end_reason: null },
  ])
  const named = async (query: string) =>
    (await list(query)).items.map(({ login, abonent_name: name }: Json) => [login, name])
  const { name } = (await rows('SELECT name FROM abonents WHERE id = $1', [items[0].abonent_id]))[0]!
  t.strictSame(await named('login=ivan'), [['ivan', name]], 'whose it is')
  t.strictSame(await named('login=stranger'), [['stranger', null]])
  t.strictSame(items[0].rates, { input_bps: 80, output_bps: 160 })
  await first.tell('ivan', 'Interim-Update', traffic(200, 11_000, 102_000))
  t.strictSame((await list('login=ivan')).items[0].rates, { input_bps: 800, output_bps: 8_000 })
  await first.tell('ivan', 'Interim-Update', traffic(150, 6_000, 52_000))
  t.strictSame(
    (await list('login=ivan')).items[0].rates,
    { input_bps: 800, output_bps: 8_000 },
    'a late one tells nothing',
  )
  t.equal((await list('login=petr')).items[0].rates, null)
})

t.test('the names of live sessions are left out in an outage, and any other failure is seen', async (t) => {
  const { pool } = database
  const { query } = pool
  t.teardown(() => (pool.query = query))
  const ask = query.bind(pool) as (text: string, values?: unknown[]) => Promise<unknown>
  const fails = (code: string) => {
    const instead = `DO $$ BEGIN RAISE EXCEPTION 'as it fails' USING ERRCODE = '${code}'; END $$`
    const asked = (text: string, values?: unknown[]) =>
      /^SELECT id, name FROM abonents/.test(text) ? ask(instead) : ask(text, values)
    pool.query = asked as typeof query
  }
  fails('57P01')
  t.match((await list('login=ivan')).items, [{ login: 'ivan', abonent_name: null }])
  fails('42703')
  await t.rejects(list('login=ivan'), { message: / 500 is not in the document/ })
  t.equal((await root.get('/admin/radius/sessions/?login=stranger')).status, 200, 'nobody’s name is asked for')
})

t.test('live sessions by every filter, in every order, page by page', async (t) => {
  t.strictSame(await logins(`abonent=${petr.id}`), ['petr'])
  t.strictSame((await logins(`nas=${second.id}`)).sort(), ['north', 'stranger'])
  t.strictSame(await logins('ip=10.0.0.3'), ['north'])
  t.strictSame(await logins('mac=aabb.cc00.0002'), ['petr'])
  t.strictSame(await logins('mac=aabb.cc00.0002&login=ivan'), [])
  for (const [q, login] of [
    ['petr', 'petr'],
    ['10.0.0.1', 'ivan'],
    ['AABB.CC00.0003', 'north'],
  ])
    t.strictSame(await logins(`q=${q}`), [login], 'one field finds it')
  t.strictSame(await logins('from=2020-01-01&to=2020-12-31'), [])
  t.equal((await logins('from=2020-01-01')).length, 4)
  t.strictSame((await logins('sort=-output_octets'))[0], 'ivan')
  t.strictSame((await logins('sort=rate')).at(-1), 'ivan')
  const seen: string[] = []
  let query = 'sort=started_at&limit=1'
  for (let page = await list(query); ; page = await list(query)) {
    t.equal(page.total, 4)
    seen.push(...page.items.map(({ login }: Json) => login))
    if (page.next_cursor === null) break
    query = `sort=started_at&limit=1&cursor=${page.next_cursor}`
  }
  t.strictSame(seen, ['ivan', 'petr', 'north', 'stranger'])
  t.strictSame(await logins('', north), ['north'], 'of the organizations of the caller')
  t.strictSame(
    (await logins('', viewer)).sort(),
    ['ivan', 'petr', 'stranger'],
    'an unknown login is of the default one',
  )
  for (const wrong of [
    'state=old',
    'sort=ended_at',
    'sort=-started_at&state=ended',
    'ip=10.0.0',
    'mac=x',
    'cursor=e30',
    'nas=x',
  ])
    t.equal((await root.get(`/admin/radius/sessions/?${wrong}`)).status, 400, wrong)
})

t.test('what cannot be asked for with a disconnect', async (t) => {
  const ids = async (query: string) => (await list(query)).items.map(({ id }: Json) => id)
  const disconnect = (body: object, caller = root) => caller.post('/admin/radius/sessions/disconnect/', body)
  t.equal((await disconnect({})).status, 400)
  t.equal((await disconnect({ ids: [1], nas: first.id })).status, 400)
  t.equal((await disconnect({ ids: ['x'] })).status, 400)
  t.equal((await disconnect({ nas: 999 })).status, 404)
  t.equal((await disconnect({ ids: [123_456_789] })).status, 403)
  t.equal((await disconnect({ ids: [...(await ids('')), 123_456_789] })).status, 403, 'nothing is done then')
  t.equal((await disconnect({ ids: await ids('login=ivan') }, north)).status, 403)
  t.equal((await disconnect({ ids: await ids('login=ivan') }, viewer)).status, 403)
  t.match(await disconnect({ nas: first.id }, north), { body: { ok: true, sent: 0 } }, 'none that the caller may see')
  t.equal(first.fake.seen.length + second.fake.seen.length, 0)
  t.equal(sessions.size, 4)
})

const ended = async (count: number) => {
  for (;;) {
    const { items } = await list('state=ended')
    if (items.length >= count) return items
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const history = async (query: string, caller = root) => (await caller.get(`/admin/radius/coa/?${query}`)).body
const answered = async (count: number, query = '') => {
  for (;;) {
    const { items } = await history(query)
    if (items.length >= count) return items
    await new Promise((resolve) => setImmediate(resolve))
  }
}

t.test('marked sessions are disconnected where they are, with audit and history', async (t) => {
  const [{ id }] = (await list('login=ivan')).items
  t.match(await root.post('/admin/radius/sessions/disconnect/', { ids: [id] }), {
    status: 200,
    body: { ok: true, sent: 1 },
  })
  const [request] = await first.fake.received(1)
  t.match(request, { code: 40, authentic: true })
  t.equal(request!.text(44), 'of-ivan')
  t.match(await ended(1), [
    {
      id,
      login: 'ivan',
      abonent_name: String,
      nas_name: 'nas-2',
      end_reason: 'Disconnect-ACK',
      rates: null,
      input_octets: 11_000,
    },
  ])
  t.match(await answered(1), [
    {
      login: 'ivan',
      request: 'disconnect',
      result: 'ack',
      answer: 'done',
      nas_name: 'nas-2',
      session_id: id,
      attempts: 1,
      ms: Number,
    },
  ])
  const audit = await rows(`SELECT object_id, user_name, diff FROM audit_operations WHERE action = 'disconnect'`)
  t.match(audit, [{ object_id: String(id), user_name: 'admin', diff: { login: ['ivan', null] } }])
  const again = await root.post('/admin/radius/sessions/disconnect/', { ids: [id] })
  t.match(again, { status: 200, body: { ok: true, sent: 0 } }, 'one that has ended')
})

t.test('all sessions of a NAS, and a NAS that refuses', async (t) => {
  const answerOf: Record<string, NasAnswer> = { 'of-north': { nak: 503 }, 'of-stranger': { nak: 501 } }
  second.fake.answer = (request) => answerOf[request.text(44) ?? ''] ?? 'ack'
  t.match(await root.post('/admin/radius/sessions/disconnect/', { nas: second.id }), { body: { ok: true, sent: 2 } })
  const items = await answered(2, `nas=${second.id}`)
  t.strictSame(items.map(({ login, answer }: Json) => [login, answer]).sort(), [
    ['north', 'refused: there is no such session (503)'],
    ['stranger', 'refused: the NAS does not permit it (501)'],
  ])
  t.match(await ended(2), [{ login: 'north', end_reason: 'Disconnect-NAK' }, { login: 'ivan' }])
  t.strictSame(await logins(`nas=${second.id}`), ['stranger'], 'a session that the NAS keeps goes on')
  t.equal((await rows(`SELECT FROM audit_operations WHERE action = 'disconnect' AND table_name = 'NAS'`)).length, 1)
})

t.test('the history by every filter, page by page', async (t) => {
  const of = async (query: string, caller = root) =>
    (await history(query, caller)).items.map(({ login }: Json) => login)
  t.equal((await of('')).length, 3)
  t.strictSame(await of(`abonent=${northern.id}`), ['north'])
  t.strictSame(await of('result=ack'), ['ivan'])
  t.strictSame(await of('result=no_answer'), [])
  t.strictSame(await of('to=2020-01-01'), [])
  t.strictSame(await of('', north), ['north'], 'of the organizations of the caller')
  t.strictSame(await of('', viewer), ['ivan'], 'a login of nobody is of no organization')
  const page = await history('limit=2')
  const rest = await history(`limit=2&cursor=${page.next_cursor}`)
  t.strictSame([...page.items, ...rest.items], (await history('')).items)
  t.equal(rest.next_cursor, null)
  t.equal((await root.get('/admin/radius/coa/?result=maybe')).status, 400)
  t.strictSame(
    await of(`cursor=${Buffer.from('["x",1]').toString('base64url')}`),
    await of(''),
    'a cursor of another list',
  )
})

t.test('ended sessions by every filter, page by page, and one that lives again', async (t) => {
  await first.tell('petr', 'Stop', traffic(60, 1, 1))
  await first.tell('lost', 'Stop', traffic(60, 1, 1))
  t.strictSame(
    (await ended(4))
      .map(({ login }: Json) => login)
      .slice(0, 2)
      .sort(),
    ['lost', 'petr'],
    'also one without a Start',
  )
  for (const [query, expected] of [
    [`nas=${first.id}`, ['ivan', 'lost', 'petr']],
    [`abonent=${northern.id}`, ['north']],
    ['login=petr', ['petr']],
    ['ip=10.0.0.1', ['ivan']],
    ['ip=2001:db8::1', []],
    ['mac=AABBCC000002', ['petr']],
    ['to=2020-01-01', []],
    [`mac=AABBCC000002&nas=${second.id}`, []],
  ] as const)
    t.strictSame((await logins(`state=ended&${query}`)).sort(), expected, query)
  t.strictSame(await logins('state=ended', north), ['north'])
  for (const sort of ['ended_at', '-ended_at']) {
    const whole = (await list(`state=ended&sort=${sort}`)).items
    const page = await list(`state=ended&sort=${sort}&limit=3`)
    const rest = await list(`state=ended&sort=${sort}&limit=3&cursor=${page.next_cursor}`)
    t.strictSame([...page.items, ...rest.items], whole)
  }
  await rows(`UPDATE radius_sessions SET ended_at = NULL, end_reason = NULL WHERE login = 'petr'`)
  t.notOk((await logins('state=ended')).includes('petr'))
  await rows(`UPDATE radius_sessions SET ended_at = now(), end_reason = 'User-Request' WHERE login = 'petr'`)
  t.equal((await logins('state=ended'))[0], 'petr', 'and ends anew')
})

t.test('a CoA by hand tells the NAS what the login has, and the answer is told in words', async (t) => {
  const fast = await program.create('Tarif', { name: 'fast', price: 0, speed_mbit: 50 })
  const kolya = await program.createLogin('kolya', fast)
  const [third, plain] = [await nasOf(4, 'mikrotik'), await nasOf(5)]
  await third.tell('kolya', 'Start')
  await plain.tell('lost', 'Start')
  const idOf = async (login: string) => (await list(`login=${login}`)).items[0].id
  const [id, silent] = [await idOf('kolya'), await idOf('lost')]
  const coa = (body: object, caller = root) => caller.post('/admin/radius/sessions/coa/', body)
  t.equal((await coa({ id }, viewer)).status, 403)
  t.equal((await coa({ id }, north)).status, 404)
  t.equal((await coa({ id: 123_456_789 })).status, 404)
  t.equal((await coa({})).status, 400)
  t.match(await coa({ id: silent }), { status: 409, body: { code: 'coa_nothing' } })
  t.equal(third.fake.seen.length + plain.fake.seen.length, 0)

  t.match(await coa({ id }), {
    status: 200,
    body: { ok: true, result: 'ack', error_cause: null, answer: 'done', attempts: 1, ms: Number },
  })
  const [request] = await third.fake.received(1)
  t.match(request, { code: 43, authentic: true })
  t.equal(request!.text(44), 'of-kolya')
  t.match(request!.bytes.toString('latin1'), '50M/50M', 'the speed of the tariff')
  third.fake.answer = () => ({ nak: 503 })
  t.match((await coa({ id })).body, {
    ...{ result: 'nak', error_cause: 503, answer: 'refused: there is no such session (503)' },
  })
  t.strictSame(await logins(`nas=${third.id}`), ['kolya'], 'a refusal cuts nothing')
  t.match(await answered(2, `abonent=${kolya.id}`), [
    { request: 'coa', result: 'nak', session_id: id },
    { request: 'coa', result: 'ack', nas_name: 'nas-4' },
  ])
  const audits = await rows(
    `SELECT object_id, user_name FROM audit_operations WHERE action = 'coa' ORDER BY id DESC LIMIT 2`,
  )
  t.match(audits, [
    { object_id: String(id), user_name: 'admin' },
    { object_id: String(id), user_name: 'admin' },
  ])
  await root.post(`/admin/dictionary/nas_crud/${third.id}/`, { enabled: false })
  t.match(await coa({ id }), { status: 409, body: { code: 'nas_unreachable' } })
})

t.test('an Interim-Update stays within its page', async (t) => {
  const client = await database.pool.connect()
  try {
    // What earlier transactions of the connection did may still be counted here.
    const hot = async (): Promise<number> =>
      (
        await client.query(
          `SELECT n_tup_hot_upd::int4 AS hot FROM pg_stat_xact_user_tables WHERE relname = 'radius_sessions'`,
        )
      ).rows[0].hot
    await client.query('BEGIN')
    const before = await hot()
    await client.query(`SET LOCAL tollgate.writer = 'on'`)
    await client.query(
      `UPDATE radius_sessions SET updated_at = now(), session_time = 7, input_octets = 8, output_octets = 9 WHERE login = 'stranger'`,
    )
    t.equal((await hot()) - before, 1, 'as a HOT update, which writes to no index')
    await client.query('ROLLBACK')
  } finally {
    client.release()
  }
})
