import { randomUUID } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { dayOf } from '../../src/domain/calendar.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { zoneOfNoon } from '../support/noon.ts'
import { openProgram } from '../support/opened-program.ts'
import { adminPassword, type Json } from '../support/program.ts'
import { fetch } from '../support/published.ts'
import { ruble, simulateNas } from '../support/provider.ts'
import { untilAnswer } from '../support/until.ts'
import { Watcher } from '../support/watcher.ts'

const url = await testDatabaseUrl(t)
const timeZone = zoneOfNoon()
// The charges of a night are half a day away there too.
const days = { TOLLGATE_SETTING_TIME_ZONE: timeZone, TOLLGATE_SETTING_JOB_TIME_BILLING_WORKER: '00:05' }
const program = await openProgram(t, { DATABASE_URL: url, ...days })
const database = new pg.Client({ connectionString: url })
await database.connect()
const nas = await simulateNas(program, '127.0.0.61')
t.teardown(async () => {
  await nas.stop()
  await database.end()
})
const rows = async (text: string, values: unknown[] = []): Promise<Json[]> => (await database.query(text, values)).rows

const door = '/admin/Abonents/create/'
const create = async (body: object, key = ''): Promise<{ status: number; body: Json }> => {
  const headers = { 'X-Session-Hash': program.session, 'Content-Type': 'application/json' }
  const response = await fetch(program.address.http + door, {
    method: 'POST',
    headers: key === '' ? headers : { ...headers, 'Idempotency-Key': key },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

/** A busy program refuses with 503, and may have written it all the same, so it is asked again under one key. */
const createdAtLast = async (body: object): Promise<{ status: number; body: Json }> => {
  const key = randomUUID()
  return await untilAnswer(
    () => create(body, key),
    ({ status }) => status !== 503,
  )
}

const tariff = await program.create('Tarif', { name: 'Home', price: 600 * ruble, speed_mbit: 100 })
const off = await program.create('Tarif', { name: 'Gone', price: 0, enabled: false })
const tv = await program.create('Usluga', { name: 'Television', price: 100 * ruble })
const gone = await program.create('Usluga', { name: 'Gone', price: 0, enabled: false })
const city = await program.create('Homes', { kind: 'city', name: 'Tver' })
const street = await program.create('Homes', { kind: 'street', name: 'Sovetskaya', parent: city.id })
const house = await program.create('Homes', { kind: 'house', name: '7', parent: street.id })
const pool = await program.create('IpPull', { name: 'small', network: '10.7.0.0/30', gateway: '10.7.0.1' })
const closed = await program.create('IpPull', { name: 'closed', network: '10.8.0.0/30', enabled: false })
const device = await program.create('Switch', { name: 'sw', ip: '10.9.0.1', ports_count: 8 })

/** Everything that a new subscriber may leave behind. */
const counted = [
  'admin_accounts',
  'abonents',
  'users',
  'users_uslugas',
  'finance_operations',
  'money_keys',
  'audit_operations',
  'outbox',
]
const tables = async (): Promise<Json> =>
  (await rows(`SELECT ${counted.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join(', ')}`))[0]

const whole = {
  name: 'Ivan Petrov',
  contract_number: 'K-0041',
  sms: '+79161234567',
  home: house.id,
  flat: '12',
  tarif: tariff.id,
  login: { login: 'ivan', password: 'line-word', ip: '10.7.0.2', mac: 'AA-BB-CC-00-00-41', switch: device.id, port: 3 },
  services: [tv.id],
  payment: { amount: '750.50', op_type_id: 7, descr: 'In cash' },
}

t.test('a new subscriber is made as a whole, hears of the payment, and the line opens at once', async (t) => {
  const watcher = await new Watcher(program.address.http, program.session).open(['finance'])
  t.teardown(() => watcher.close())
  const made = await create(whole)
  t.match(made, {
    status: 200,
    body: {
      ok: true,
      abonent: {
        name: 'Ivan Petrov',
        contract_number: 'K-0041',
        tarif: tariff.id,
        next_tarif: null,
        address: 'Tver, Sovetskaya, 7, кв. 12',
        enabled: true,
      },
      account: { balance: '750.50', debit: '750.50', credit: '0.00', clients_count: 1 },
      login: {
        login: 'ivan',
        ip: '10.7.0.2',
        mac: 'aa:bb:cc:00:00:41',
        switch: device.id,
        port: 3,
        enabled: true,
        password: null,
      },
      operation: { op_summa: '750.50', op_type: 7, descr: 'In cash', source: 'manual' },
    },
  })
  t.match(await nas.signIn('ivan', 'line-word', 'AA-BB-CC-00-00-41'), { kind: 'accepted' }, 'RADIUS accepts at once')
  const { abonent, account, login, operation } = made.body
  t.match(await watcher.seen(({ type }) => type === 'payment.credited'), { account_id: account.id, amount: '750.50' })
  const audits = await rows(
    `SELECT table_name, object_id, action, user_name, organization_id::int AS organization FROM audit_operations
      WHERE (table_name, object_id) IN (('ABONENTS', $1), ('ADMIN_ACCOUNTS', $2), ('USERS', $3), ('FINANCE_OPERATIONS', $4))
        OR table_name = 'USERS_USLUGA' ORDER BY id`,
    [abonent.id, account.id, login.id, operation.op_id].map(String),
  )
  t.same(
    audits.map(({ table_name, action }) => `${table_name} ${action}`),
    [
      'ADMIN_ACCOUNTS create',
      'ABONENTS create',
      'USERS create',
      'USERS_USLUGA create',
      'FINANCE_OPERATIONS create',
      'ADMIN_ACCOUNTS operation',
    ],
  )
  t.ok(audits.every(({ user_name, organization }) => user_name === 'admin' && organization === 1))
  t.notMatch(JSON.stringify(await rows(`SELECT diff FROM audit_operations WHERE table_name = 'USERS'`)), 'line-word')
  t.match(
    await rows(`SELECT kind, payload->>'template' AS template FROM outbox WHERE subscriber_id = $1`, [abonent.id]),
    [{ kind: 'notify', template: 'payment_credited' }],
  )
  t.match(
    await rows('SELECT usluga_id::int AS usluga, enabled FROM users_uslugas WHERE abonent_id = $1', [abonent.id]),
    [{ usluga: tv.id, enabled: true }],
  )
  const proof = await program.rest('POST', '/admin/jobs/verify_ledger/run/')
  t.match(proof.body, { ok: true })
  t.match((await program.rest('GET', `/rest_api/v2/AdminAccounts/${account.id}/`)).body, { ostatok: 750.5 * ruble })
})

t.test('what is left out is proposed, and a repeat of the request gets the same answer', async (t) => {
  const shown = await program.rest('GET', door)
  t.match(
    shown.body,
    { ok: true, contract_number: 'K-0042', login: 'k-0042' },
    'the next number goes on from the newest',
  )
  t.strictSame(shown.body.tariffs, [{ id: tariff.id, name: 'Home', price: '600.00' }])
  t.strictSame(shown.body.services, [{ id: tv.id, name: 'Television', price: '100.00' }], 'what is off is not offered')
  const body = { name: 'Anna', login: {}, payment: { amount: 5 } }
  const first = await create(body, 'anna')
  t.match(first, {
    status: 200,
    body: { abonent: { contract_number: 'K-0042' }, login: { login: 'k-0042', password: /^[a-z2-9]{10}$/ } },
  })
  t.match(
    await nas.signIn('k-0042', first.body.login.password, 'station'),
    { kind: 'accepted' },
    'with the proposed password',
  )
  t.same(await create(body, 'anna'), first)
  t.match(await create({ ...body, name: 'Olga' }, 'anna'), { status: 409, body: { code: 'key_taken' } })
  await program.rest('PATCH', `/rest_api/v2/Users/${first.body.login.id}/`, { password: 'her own word' })
  t.match(
    await create(body, 'anna'),
    { status: 200, body: { login: { password: null } } },
    'a newer password is told to nobody',
  )

  const twice = await Promise.all(['x', 'x'].map((key) => create({ name: 'Both' }, key)))
  t.same(twice[0], twice[1], 'two at once are one, without a payment too')
  t.equal((await rows(`SELECT FROM abonents WHERE name = 'Both'`)).length, 1)
  t.match(twice[0], { status: 200, body: { abonent: { contract_number: 'K-0043' }, login: null, operation: null } })

  const many = await Promise.all(Array.from({ length: 6 }, (_, n) => createdAtLast({ name: `Crowd ${n}`, login: {} })))
  t.same(new Set(many.map(({ status }) => status)), new Set([200]))
  t.equal(new Set(many.map(({ body: made }) => made.login.login)).size, 6, 'nobody is proposed the same')
  const long = await createdAtLast({ name: 'Long', contract_number: 'k'.repeat(255), login: {} })
  t.equal(long.body.login.login, 'k'.repeat(244), 'a name that RADIUS carries')

  await program.rest('POST', '/admin/settings/system/', { CONTRACT_NUMBER_PATTERN: 'A-{year}/####' })
  const year = dayOf(new Date(), timeZone).slice(0, 4)
  t.match((await create({ name: 'By pattern' })).body.abonent, { contract_number: `A-${year}/0001` })
  t.match((await create({ name: 'By pattern' })).body.abonent, { contract_number: `A-${year}/0002` })
  t.match((await program.rest('GET', door)).body, { contract_number: `A-${year}/0003`, login: `a-${year}-0003` })
  await program.rest('POST', '/admin/settings/system/', { CONTRACT_NUMBER_PATTERN: '' })
})

t.test('a tariff from a later day is planned, from today it begins at once', async (t) => {
  const later = await create({ name: 'Later', tarif: tariff.id, from: '2099-02-01' })
  t.match(later.body.abonent, {
    tarif: null,
    next_tarif: tariff.id,
    next_tarif_date: /^2099-02-01T00:00:00[+-]\d\d:00$/,
  })
  const today = dayOf(new Date(), timeZone)
  t.match((await create({ name: 'Today', tarif: tariff.id, from: today })).body.abonent, {
    tarif: tariff.id,
    next_tarif: null,
  })
})

const person = { name: 'Nobody', tarif: tariff.id, login: {}, services: [tv.id], payment: { amount: 1 } }
/** Each part refused in turn: what is wrong about it, and the code at the field. */
const refusals: readonly (readonly [body: object, codes: object])[] = [
  [{ name: undefined }, { name: 'required' }],
  [{ name: '' }, { name: 'required' }],
  [{ contract_number: 'K-0041' }, { contract_number: 'taken' }],
  [{ home: 987_654 }, { home: 'missing' }],
  [{ parent: 987_654 }, { parent: 'missing' }],
  [{ birth_date: 'yesterday' }, { birth_date: 'wrong' }],
  [{ tarif: 987_654 }, { tarif: 'missing' }],
  [{ tarif: off.id }, { tarif: 'off' }],
  [{ from: '2001-01-01' }, { from: 'past' }],
  [{ from: '2099-01-01', tarif: null }, { tarif: 'required' }],
  [{ login: 'ivan' }, { login: 'wrong' }],
  [{ login: { login: 'ivan' } }, { 'login.login': 'taken' }],
  [{ login: { password: '{NT}x' } }, { 'login.password': 'wrong' }],
  [{ login: { ip: '10.7.0.2' } }, { 'login.ip': 'taken' }],
  [{ login: { ip: '10.7.0.1' } }, { 'login.ip': 'reserved' }],
  [{ login: { ip: '2001:db8::1' } }, { 'login.ip': 'wrong' }],
  [{ login: { mac: 'aabb.cc00.0041' } }, { 'login.mac': 'taken' }],
  [{ login: { pool: 987_654 } }, { 'login.pool': 'missing' }],
  [{ login: { pool: closed.id } }, { 'login.pool': 'off' }],
  [{ login: { pool: pool.id } }, { 'login.pool': 'full' }],
  [{ login: { switch: device.id, port: 9 } }, { 'login.port': 'wrong' }],
  [{ login: { port: 2 } }, { 'login.port': 'wrong' }],
  [{ services: 'all' }, { services: 'wrong' }],
  [{ services: [tv.id, 987_654] }, { services: 'missing' }],
  [{ services: [gone.id] }, { services: 'off' }],
  [{ services: [-4] }, { services: 'wrong' }],
  [{ payment: 5 }, { payment: 'wrong' }],
  [{ payment: {} }, { 'payment.amount': 'required' }],
  [{ payment: { amount: '0' } }, { 'payment.amount': 'wrong' }],
  [{ payment: { amount: '1.005' } }, { 'payment.amount': 'wrong' }],
  [{ payment: { amount: 1, op_type_id: 9 } }, { 'payment.op_type_id': 'wrong' }],
  [{ payment: { amount: 1, op_type_id: 987_654 } }, { 'payment.op_type_id': 'missing' }],
  [
    { contract_number: 'K-0041', login: { login: 'ivan', ip: '10.7.0.2' }, services: [gone.id] },
    { contract_number: 'taken', 'login.login': 'taken', 'login.ip': 'taken', services: 'off' },
  ],
]

t.test('whatever part is refused, nothing is written, and the field says why', async (t) => {
  const before = await tables()
  for (const [wrong, codes] of refusals) {
    const { status, body } = await create({ ...person, ...wrong }, `refused ${JSON.stringify(wrong)}`)
    t.match({ status, ...body }, { status: 400, ok: false, code: 'wrong_field', codes }, JSON.stringify(wrong))
    t.same(Object.keys(body.errors), Object.keys(body.codes))
    t.same(Object.keys(body.codes).sort(), Object.keys(codes).sort(), JSON.stringify(wrong))
  }
  const tooMuch = await create({ ...person, payment: { amount: '922337203.00' } })
  t.match(tooMuch.status, 200, 'the largest sum that an account holds')
  const after = await tables()
  t.equal(after.abonents, before.abonents + 1)
  t.equal(after.money_keys, before.money_keys, 'a refusal takes no key')
})

t.test('a connection that breaks before the commit leaves nothing behind', async (t) => {
  const before = await tables()
  // The last statement of the transaction waits for this lock, with everything else inserted.
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE finance_operations IN SHARE MODE')
  const answer = create(person, 'cut')
  const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE 'WITH%' AND pid <> pg_backend_pid()`
  let cut: Json[] = []
  while (cut.length === 0) cut = await rows(waiting)
  await rows('SELECT pg_terminate_backend($1)', [cut[0].pid])
  t.equal((await answer).status, 503)
  await holder.query('ROLLBACK')
  await holder.end()
  t.same(await tables(), before)
  const again = await create(person, 'cut')
  t.equal(again.status, 200, 'and the same request is carried out when it is repeated')
})

t.test('rights and organizations', async (t) => {
  await rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
  await rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (20, 2, 'North'), (30, 3, 'South')`)
  const signedIn = async (username: string, role: string) => {
    const password = 'quite-a-long-word'
    const staff = { username, password, role, organizations: [2] }
    const made = await program.rest('POST', '/admin/dictionary/staff_crud/', staff)
    t.equal(made.status, 200)
    const query = new URLSearchParams({ api: '1', username, password, format: 'json' })
    const { hash } = (await (await fetch(`${program.address.http}/admin/?${query}`)).json()) as { hash: string }
    return async (body: object) => {
      const headers = { 'X-Session-Hash': hash, 'Content-Type': 'application/json' }
      const response = await fetch(program.address.http + door, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as Json }
    }
  }
  const operator = await signedIn('north', 'operator')
  t.match((await operator({ name: 'Of the north' })).body.abonent, { organization: 2 }, 'no folder: the first of his')
  t.match((await operator({ name: 'In a folder', parent: 20 })).body.abonent, { organization: 2, parent: 20 })
  t.match(await operator({ name: 'Too far', parent: 30 }), { status: 400, body: { codes: { parent: 'missing' } } })
  const token = { current_password: adminPassword, name: 'no money', scopes: ['read', 'write'] }
  const { body: made } = await program.rest('POST', '/admin/settings/tokens/', token)
  const byToken = async (body: object) => {
    const headers = { Authorization: `Bearer ${made.token}`, 'Content-Type': 'application/json' }
    return (await fetch(program.address.http + door, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  t.equal(await byToken({ name: 'With money', payment: { amount: 1 } }), 403, 'a payment needs the right money')
  t.equal(await byToken({ name: 'Without money' }), 200)
  t.equal((await (await signedIn('looker', 'viewer'))({ name: 'No' })).status, 403)
  t.equal((await (await signedIn('desk', 'cashier'))({ name: 'No', payment: { amount: 1 } })).status, 403)
})
