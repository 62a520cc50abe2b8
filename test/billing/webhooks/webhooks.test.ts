import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { Webhooks } from '../../../src/billing/webhooks/webhooks.ts'
import { testEvent } from '../../../src/domain/webhook-events.ts'
import { eventSchemas } from '../../../src/interfaces/admin/webhooks/events.ts'
import { packet } from '../../support/accounting.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { batchOf } from '../../support/nas.ts'
import { until } from '../../support/until.ts'
import { Caller, type Json, openOffice } from '../../interfaces/admin-office.ts'
import { isSigned, Receiver } from './receiver.ts'

const receiver = await Receiver.start(t)
const clock = new ManualClock(new Date())
const office = await openOffice(t, { clock })
const { ledger } = office.database
const signedIn = await office.staff('root')
const tokenOrder = { name: 'test', scopes: ['read', 'write', 'money', 'system'], current_password: 'root-password' }
const { token } = (await signedIn.post('/admin/settings/tokens/', tokenOrder)).body
/** The clock moves on for days, which a session would not survive. */
const root = new Caller(office.base, { Authorization: `Bearer ${token}` })
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const folder = (await root.post('/admin/dictionary/folders_crud/', { name: 'Northern street', organization: 2 })).body
await office.webhooks.start()
t.teardown(() => office.webhooks.stop())

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** Waits are longer by up to a tenth. */
const wait = (ms: number) => clock.advance(ms * 1.1 + 1)

let contracts = 0
async function newSubscriber(fields: Json = {}): Promise<Json> {
  contracts++
  const name = `Subscriber ${contracts}`
  const { body } = await root.post('/rest_api/v2/Abonents/', { name, contract_number: `C-${contracts}`, ...fields })
  return body
}
const unitsPerRuble = 10_000_000_000
async function post(of: Json, type: number, rubles: number): Promise<Json> {
  const order = { account: of.account, abonent: of.id, op_type: type, op_summa: rubles * unitsPerRuble }
  const { status, body } = await root.post('/rest_api/v2/FinanceOperations/', order)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}
const pay = (of: Json, rubles: number) => post(of, 7, rubles)
const owe = (of: Json, rubles: number) => post(of, 9, rubles)

const endpoints = '/admin/webhooks/endpoints/'
type Made = { readonly id: number; readonly secret: string; readonly path: string }
async function endpoint(name: string, events: readonly string[], more: object = {}): Promise<Made> {
  const path = `/${name}`
  const { status, body } = await root.post(endpoints, { url: receiver.url + path, events, ...more })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return { id: body.endpoint.id, secret: body.secret, path }
}
const shown = async ({ id }: Made): Promise<Json> => (await root.get(`${endpoints}${id}/`)).body.endpoint
const removed = async ({ id }: Made) => t.equal((await root.delete(`${endpoints}${id}/`)).status, 200)
const deliveries = async ({ id }: Made, query = ''): Promise<Json[]> =>
  (await root.get(`/admin/webhooks/deliveries/?endpoint=${id}&sort=id&${query}`)).body.items
/** What has become due is looked at when the clock moves. */
const moved = (ms = 0) => clock.advance(ms)
const received = (path: string, count: number, stepMs = 0) =>
  until(() => {
    moved(stepMs)
    return receiver.at(path).length >= count
  })
/** Once they are so: what the receiver has answered is written a moment later. */
async function inStates({ id }: Made, ...wanted: string[]): Promise<void> {
  const text = `SELECT coalesce(string_agg(state || ' ' || attempts, ', ' ORDER BY id), '') AS states
    FROM webhook_deliveries WHERE endpoint_id = $1`
  await until(async () => {
    moved()
    const [found] = await office.rows(text, [id])
    return found.states === wanted.join(', ')
  })
}

/** The ledger's commits while something is done, by the parts of their statements, and what they order. */
async function commitsOf(deed: () => Promise<unknown>): Promise<{ names: string[]; orders: string[] }> {
  const [last] = await office.rows('SELECT coalesce(max(id), 0) AS id FROM outbox')
  const names: string[] = []
  const { query } = ledger
  ledger.query = ((statement: { name?: string }, ...rest: unknown[]) => {
    names.push(statement.name ?? '')
    return Reflect.apply(query, ledger, [statement, ...rest])
  }) as typeof query
  await deed()
  ledger.query = query
  const orders = await office.rows('SELECT kind FROM outbox WHERE id > $1 ORDER BY id', [last.id])
  return { names: names.filter((name) => name.startsWith('commit:')), orders: orders.map(({ kind }) => kind) }
}

t.test('events that nobody wants cost nothing', async (t) => {
  const ivan = await newSubscriber()
  const usual = await commitsOf(() => pay(ivan, 10))
  t.match(usual, { names: [/^commit:/], orders: ['notify'] })
  const other = await endpoint('other', ['session.started'])
  t.same(await commitsOf(() => pay(ivan, 10)), usual)
  await root.put(`/rest_api/v2/Abonents/${ivan.id}/`, { name: 'Ivan' })
  t.same(await office.rows(`SELECT * FROM outbox WHERE kind = 'webhook'`), [])
  await root.post(`${endpoints}${other.id}/`, { events: ['payment.credited'] })
  t.same((await commitsOf(() => pay(ivan, 10))).orders, ['notify', 'webhook'])
  await received(other.path, 1)
  await inStates(other, 'delivered 1')
  await removed(other)
  t.same(await commitsOf(() => pay(ivan, 10)), usual, 'and nothing again without the endpoint')
})

t.test('what happens to a subscriber is told in order, signed', async (t) => {
  const names = [
    'payment.credited',
    'payment.reversed',
    'payment.deleted',
    'subscriber.blocked',
    'subscriber.unblocked',
  ]
  const all = await endpoint('all', [...names, 'subscriber.created', 'subscriber.changed', 'subscriber.deleted'])
  const ivan = await newSubscriber()
  await owe(ivan, 50)
  const paid = await pay(ivan, 150)
  await root.post(`/admin/Abonents/finops_reverse/${paid.op_id}/`, { reason: 'by mistake' })
  const again = await pay(ivan, 60)
  t.equal((await root.delete(`/rest_api/v2/FinanceOperations/${again.op_id}/`)).status, 204)
  const changed = { email: 'ivan@example.org', comment: 'x' }
  t.equal((await root.put(`/rest_api/v2/Abonents/${ivan.id}/`, changed)).status, 200)
  t.equal((await root.delete(`/rest_api/v2/Abonents/${ivan.id}/`)).status, 204)
  await received(all.path, 11)
  t.same(receiver.types(all.path), [
    'subscriber.created',
    'subscriber.blocked',
    'payment.credited',
    'subscriber.unblocked',
    'payment.reversed',
    'subscriber.blocked',
    'payment.credited',
    'subscriber.unblocked',
    'payment.deleted',
    'subscriber.changed',
    'subscriber.deleted',
  ])
  for (const one of receiver.at(all.path)) {
    t.ok(isSigned(all.secret, one), one.body.type)
    const { id: abonent_id, account: account_id, contract_number } = ivan
    t.match(one.body.data, { abonent_id, account_id, contract_number, organization_id: 1 }, one.body.type)
  }
  const [, blocked, credited, , reversed] = receiver.at(all.path).map(({ body }) => body.data)
  t.match(blocked, { reasons: ['debt'], reasons_before: [] })
  t.match(credited, { op_id: paid.op_id, op_type: 7, amount: '150.00', balance: '100.00' })
  t.match(reversed, { op_id: paid.op_id, amount: '150.00', balance: '-50.00' })
  t.same(receiver.at(all.path)[9]!.body.data.changed, ['comment', 'email'])
  t.equal(new Set(receiver.at(all.path).map(({ id }) => id)).size, 11, 'each has an id of its own')
  await removed(all)
})

t.test('a failure holds up the subscriber, and nobody else, until the next attempt', async (t) => {
  const money = await endpoint('money', ['payment.credited'])
  const [ivan, petr] = [await newSubscriber(), await newSubscriber()]
  receiver.answers.set(money.path, 500)
  await pay(ivan, 1)
  await received(money.path, 1)
  await inStates(money, 'waiting 1')
  receiver.answers.delete(money.path)
  await pay(ivan, 2)
  await pay(petr, 3)
  await received(money.path, 2)
  t.same(amounts(money), ['1.00', '3.00'])
  await inStates(money, 'waiting 1', 'waiting 0', 'delivered 1')
  const [first, second] = await deliveries(money)
  t.match(first, { status: 500, error: 'The answer was 500.', is_behind: false })
  t.match(second, { is_behind: true, next_try_at: null, abonent_id: ivan.id, abonent_name: ivan.name })
  t.match(await shown(money), { waiting: 2, failing_since: null, last_error: null }, 'petr was told since')
  wait(5 * secondMs)
  await received(money.path, 4)
  t.same(amounts(money), ['1.00', '3.00', '1.00', '2.00'])
  const [tried, , repeated] = receiver.at(money.path)
  t.same([repeated!.id, repeated!.text], [tried!.id, tried!.text], 'the same again')
  t.ok(repeated!.timestamp >= tried!.timestamp + 5, 'signed with the time of now')
  t.ok(isSigned(money.secret, repeated!))
  await inStates(money, 'delivered 2', 'delivered 1', 'delivered 1')
  await removed(money)
})

const amounts = ({ path }: Made) => receiver.at(path).map(({ body }) => body.data.amount)

t.test(
  'a delivery is given up after the last attempt, and an endpoint that fails for days is switched off',
  async (t) => {
    const lost = await endpoint('lost', ['payment.credited'])
    receiver.answers.set(lost.path, 503)
    const ivan = await newSubscriber()
    await pay(ivan, 1)
    await pay(ivan, 2)
    const waits = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)
    for (const [index, ms] of waits.entries()) {
      await inStates(lost, `waiting ${index + 1}`, 'waiting 0')
      clock.advance(ms - 1)
      t.equal(receiver.at(lost.path).length, index + 1, 'not before its time')
      wait(0.1 * ms)
      await received(lost.path, index + 2)
    }
    await inStates(lost, 'failed 10', 'waiting 1')
    t.same(new Set(amounts(lost).slice(0, 10)), new Set(['1.00']))
    t.match(await shown(lost), { enabled: true, failed: 1, waiting: 1, last_error: 'The answer was 503.' })
    // It has failed for three days by now.
    await office.rows(`UPDATE webhook_endpoints SET failing_since = failing_since - interval '2 days' WHERE id = $1`, [
      lost.id,
    ])
    wait(5 * secondMs)
    await received(lost.path, 12)
    await inStates(lost, 'failed 10', 'waiting 2')
    t.match(await shown(lost), { enabled: false, off_reason: 'failing', waiting: 1 })
    const audit = await office.rows(
      `SELECT diff FROM audit_operations WHERE table_name = 'WEBHOOK_ENDPOINTS' AND user_name = 'webhooks'`,
    )
    t.match(audit, [{ diff: { enabled: [true, false], off_reason: [null, 'failing'] } }])
    const before = receiver.at(lost.path).length
    await pay(ivan, 3)
    receiver.answers.delete(lost.path)
    await root.post(`${endpoints}${lost.id}/`, { enabled: true })
    await received(lost.path, before + 1)
    t.equal(amounts(lost).at(-1), '2.00', 'what waited goes on; what happened meanwhile is not told')
    await pay(ivan, 4)
    await received(lost.path, before + 2)
    t.equal(amounts(lost).at(-1), '4.00')
    await inStates(lost, 'failed 10', `delivered ${before - 9}`, 'delivered 1')
    await removed(lost)
  },
)

t.test('an endpoint that says 410 is switched off, and a redirect is not followed', async (t) => {
  const gone = await endpoint('gone', ['payment.credited'])
  const moved = await endpoint('moved', ['payment.credited'])
  receiver.answers.set(gone.path, 410)
  receiver.answers.set(moved.path, (response) => response.writeHead(302, { Location: '/elsewhere' }).end())
  const ivan = await newSubscriber()
  await pay(ivan, 1)
  await inStates(gone, 'failed 1')
  t.match(await shown(gone), { enabled: false, off_reason: 'gone' })
  await inStates(moved, 'waiting 1')
  t.match(await deliveries(moved), [{ status: 302, error: 'The answer was 302.' }])
  t.same(receiver.at('/elsewhere'), [])
  await pay(ivan, 2)
  t.equal((await deliveries(gone)).length, 1)
  t.match(await root.post(`${endpoints}${gone.id}/test/`), { status: 409, body: { code: 'endpoint_off' } })
  await removed(gone)
  await removed(moved)
})

t.test('an endpoint may ask to be left alone for longer', async (t) => {
  const busy = await endpoint('busy', ['payment.credited'])
  receiver.answers.set(busy.path, (response) => response.writeHead(429, { 'Retry-After': '600' }).end())
  await pay(await newSubscriber(), 1)
  await inStates(busy, 'waiting 1')
  wait(minuteMs)
  t.equal(receiver.at(busy.path).length, 1)
  receiver.answers.delete(busy.path)
  clock.advance(10 * minuteMs)
  await inStates(busy, 'delivered 2')
  await removed(busy)
})

const list = async (query: string): Promise<Json[]> =>
  (await root.get(`/admin/webhooks/deliveries/?${query}`)).body.items

t.test('deliveries are sent again: one, all that were given up, all since a moment', async (t) => {
  const twice = await endpoint('twice', ['payment.credited'])
  const [ivan, petr] = [await newSubscriber(), await newSubscriber()]
  await pay(ivan, 1)
  await inStates(twice, 'delivered 1')
  clock.advance(minuteMs)
  const since = clock.now().toISOString()
  receiver.answers.set(twice.path, 500)
  await pay(petr, 2)
  await pay(petr, 3)
  await inStates(twice, 'delivered 1', 'waiting 1', 'waiting 0')
  const [first, second, third] = (await deliveries(twice)).map(({ id }) => id)
  const door = (id: number, deed: string) => root.post(`/admin/webhooks/deliveries/${id}/${deed}/`)
  t.match(await door(second, 'give_up'), {
    status: 200,
    body: { delivery: { state: 'failed', error: 'Given up by root.' } },
  })
  await inStates(twice, 'delivered 1', 'failed 1', 'waiting 1')
  t.match(await door(second, 'give_up'), { status: 409, body: { code: 'delivery_over' } })
  await door(third, 'give_up')
  receiver.answers.delete(twice.path)
  t.match(await door(first, 'replay'), { status: 200, body: { delivery: { state: 'waiting', attempts: 0 } } })
  await inStates(twice, 'delivered 1', 'failed 1', 'failed 1')
  const [sent, , , again] = receiver.at(twice.path)
  t.same([again!.id, again!.text], [sent!.id, sent!.text])
  t.ok(again!.timestamp >= sent!.timestamp + 60 && isSigned(twice.secret, again!), 'with the time of now')
  const all = (fields: object) => root.post(`${endpoints}${twice.id}/replay/`, fields)
  t.match(await all({}), { status: 200, body: { replayed: 2 } })
  await inStates(twice, 'delivered 1', 'delivered 1', 'delivered 1')
  t.same(amounts(twice).slice(4), ['2.00', '3.00'], 'in their order')
  t.match(await all({}), { body: { replayed: 0 } })
  t.match(await all({ state: 'all' }), { status: 400, body: { code: 'since_missing' } })
  t.match(await all({ state: 'all', since }), { body: { replayed: 2 } })
  await received(twice.path, 8)
  t.same(amounts(twice).slice(6), ['2.00', '3.00'])
  await inStates(twice, 'delivered 1', 'delivered 1', 'delivered 1')
  t.same(
    (await list(`abonent_id=${ivan.id}`)).map(({ id }) => id),
    [first],
  )
  t.same((await list(`endpoint=${twice.id}&state=delivered&event=payment.credited`)).length, 3)
  const { body } = await root.get(`/admin/webhooks/deliveries/${first}/`)
  t.same([body.delivery.body, body.delivery.answer], [sent!.text, 'answer 200'])

  const tested = (await root.post(`${endpoints}${twice.id}/test/`)).body.delivery
  t.match(tested, { event: testEvent, state: 'waiting', abonent_id: null })
  await received(twice.path, 9)
  t.equal(receiver.types(twice.path)[8], testEvent)
  await inStates(twice, 'delivered 1', 'delivered 1', 'delivered 1', 'delivered 1')
  await removed(twice)
})

t.test('two secrets sign while one is changed, and none is shown again', async (t) => {
  const safe = await endpoint('safe', ['payment.credited'])
  const rotated = await root.post(`${endpoints}${safe.id}/rotate_secret/`, { keep_hours: 2 })
  const { secret } = rotated.body
  t.match(secret, /^whsec_[\w+/]{43}=$/)
  const ivan = await newSubscriber()
  await pay(ivan, 1)
  await inStates(safe, 'delivered 1')
  const [during] = receiver.at(safe.path)
  t.same([isSigned(safe.secret, during!), isSigned(secret, during!)], [true, true])
  clock.advance(2 * hourMs)
  await pay(ivan, 2)
  await received(safe.path, 2)
  const [, after] = receiver.at(safe.path)
  t.same([isSigned(safe.secret, after!), isSigned(secret, after!)], [false, true])
  await inStates(safe, 'delivered 1', 'delivered 1')
  const told = JSON.stringify([(await root.get(endpoints)).body, (await root.get('/admin/audit/')).body])
  const [row] = await office.rows('SELECT secret, secret_before FROM webhook_endpoints WHERE id = $1', [safe.id])
  for (const known of [safe.secret, secret]) {
    t.notMatch(told, known)
    t.notMatch(JSON.stringify(row), known, 'the table has it sealed')
  }
  await removed(safe)
})

t.test("addresses of the provider's own network are refused", async (t) => {
  const create = (url: string) => root.post(endpoints, { url, events: ['payment.credited'] })
  for (const url of [
    'https://10.0.0.1/x',
    'http://169.254.169.254/latest/',
    'https://[::1]/',
    'https://[fd00::1]:8443/',
    'https://167772161/',
  ])
    t.match(await create(url), { status: 400, body: { code: 'private_address', errors: { url: /private/ } } }, url)
  for (const url of ['http://example.com/', 'ftp://127.0.0.1/', 'https://a:b@example.com/', '/relative', 'https://', 7])
    t.match(await create(url as string), { status: 400, body: { code: 'wrong_field' } }, String(url))
  const own = await endpoint('own', ['payment.credited'])
  const moved = await root.post(`${endpoints}${own.id}/`, { url: 'https://192.168.1.1/' })
  t.match(moved, { status: 400, body: { code: 'private_address' } })
  // An address that was allowed when it was written, or a name that means another one now.
  await office.rows(`UPDATE webhook_endpoints SET url = 'http://10.9.8.7/' WHERE id = $1`, [own.id])
  await pay(await newSubscriber(), 1)
  await inStates(own, 'waiting 1')
  t.match(await deliveries(own), [{ status: null, error: /private network/ }])
  await removed(own)
})

t.test('an endpoint is told of its organizations, and seen by who sees them', async (t) => {
  // The clock has moved on, and earlier sessions have ended.
  const admin = await office.staff('northerner', 'admin', [2])
  const operator = await office.staff('operator', 'operator', [2])
  const both = await endpoint('both', ['payment.credited'])
  const sent = { url: `${receiver.url}/north`, events: ['payment.credited'] }
  t.match(await admin.post(endpoints, { ...sent, organizations: [1, 2] }), {
    status: 400,
    body: { code: 'wrong_field' },
  })
  t.match(await admin.post(endpoints, { ...sent, organizations: null }), { status: 400 })
  t.match(await operator.post(endpoints, sent), { status: 403 })
  const { body } = await admin.post(endpoints, sent)
  t.match(body.endpoint, { organizations: [2], organization_names: ['North'] })
  const north: Made = { id: body.endpoint.id, secret: body.secret, path: '/north' }
  const [ours, theirs] = [await newSubscriber({ parent: folder.id }), await newSubscriber()]
  await pay(theirs, 1)
  await pay(ours, 2)
  await received(both.path, 2)
  await inStates(north, 'delivered 1')
  t.same(amounts(north), ['2.00'])
  t.same(
    (await admin.get(endpoints)).body.items.map(({ id }: Json) => id),
    [north.id],
  )
  t.same((await admin.get('/admin/webhooks/deliveries/')).body.items.length, 1)
  t.match(await admin.get(`${endpoints}${both.id}/`), { status: 404 })

  receiver.answers.set(both.path, 500)
  await pay(theirs, 3)
  await inStates(both, 'delivered 1', 'delivered 1', 'waiting 1')
  await root.post(`${endpoints}${both.id}/`, { organizations: [2] })
  await inStates(both, 'delivered 1', 'delivered 1', 'failed 1')
  const seen = (await admin.get(`/admin/webhooks/deliveries/?endpoint=${both.id}`)).body.items
  t.same(
    seen.map(({ abonent_id }: Json) => abonent_id),
    [ours.id],
    'what it was told of others before stays hidden',
  )
  t.match(await admin.post(`${endpoints}${both.id}/replay/`), { body: { replayed: 0 } }, 'and is not sent again')
  await removed(both)
  await removed(north)
})

/** Another life of the program on the same database; the one of before has been killed. */
async function nextLife(t: { teardown(deed: () => unknown): unknown }): Promise<Webhooks> {
  const { database, secrets, settings, log } = office
  const timeZone = () => settings.get('TIME_ZONE')
  const next = new Webhooks({ database, timeZone, http: office.outgoingHttp, secrets, clock, log, observe: () => {} })
  office.followers.webhooks = next
  t.teardown(database.onNotice((payload) => next.noticed(payload)))
  t.teardown(() => next.stop())
  await next.start()
  return next
}

t.test('what is committed is told after a kill, wherever it comes', async (t) => {
  const kept = await endpoint('kept', ['payment.credited'])
  const ivan = await newSubscriber()
  // Between the commit and everything else: from here on nobody of this life hears of commits.
  await office.webhooks.stop()
  await pay(ivan, 1)
  t.equal((await office.rows(`SELECT FROM outbox WHERE kind = 'webhook' AND done_at IS NULL`)).length, 1)
  const second = await nextLife(t)
  await received(kept.path, 1)
  await inStates(kept, 'delivered 1')
  await second.stop()
  // Between the request and the writing of its outcome: the delivery is claimed, and its lease ends.
  await office.rows(
    `UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, done_at = NULL, due_at = $2 WHERE endpoint_id = $1`,
    [kept.id, new Date(clock.now().getTime() + minuteMs)],
  )
  const third = await nextLife(t)
  clock.advance(59 * secondMs)
  t.equal(receiver.at(kept.path).length, 1)
  clock.advance(2 * secondMs)
  await received(kept.path, 2)
  const [one, other] = receiver.at(kept.path)
  t.same([other!.id, other!.text], [one!.id, one!.text], 'twice, with one id')
  await inStates(kept, 'delivered 1')
  await third.stop()
  await removed(kept)
})

t.test('sessions are told as they begin and end, and those that were lost are found', async (t) => {
  const lines = await endpoint('lines', ['session.started', 'session.ended'])
  const ivan = await newSubscriber()
  await root.post('/rest_api/v2/Users/', { abonent: ivan.id, login: 'ivan', password: 'x' })
  const nas = (await root.post('/rest_api/v2/Nas/', { name: 'bras', ip: '127.0.0.9', secret: 'secret' })).body
  const first = await nextLife(t)
  const tell = (one: Buffer) => office.accounting.sink(batchOf([{ nas: nas.id, packet: one }]))
  await tell(packet('start', { id: 'S', ip: '10.0.0.7' }))
  await received(lines.path, 1, secondMs)
  await tell(packet('stop', { id: 'S', ip: '10.0.0.7', time: 30, input: 7, output: 70, cause: 1 }))
  await received(lines.path, 2, secondMs)
  t.same(receiver.types(lines.path), ['session.started', 'session.ended'])
  const [start, end] = receiver.at(lines.path).map(({ body }) => body.data)
  t.match(start, { login: 'ivan', abonent_id: ivan.id, nas_id: nas.id, acct_session_id: 'S', ip: '10.0.0.7' })
  t.match(end, { session_time: 30, input_octets: 7, output_octets: 70, end_reason: 'User-Request' })
  await inStates(lines, 'delivered 1', 'delivered 1')

  await first.stop()
  const second = await nextLife(t)
  await second.stop()
  t.equal((await deliveries(lines)).length, 2, 'nothing is told twice')
  await office.rows('DELETE FROM webhook_deliveries')
  await nextLife(t)
  await received(lines.path, 4)
  t.same(
    receiver
      .at(lines.path)
      .slice(2)
      .map(({ id, text }) => [id, text]),
    receiver
      .at(lines.path)
      .slice(0, 2)
      .map(({ id, text }) => [id, text]),
    'what had not been written is told from the table of sessions, with the same ids',
  )
  await inStates(lines, 'delivered 1', 'delivered 1')
  await removed(lines)
})

t.test('everything that was sent is as the document says', async (t) => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addFormat('date-time', true)
  for (const { body } of receiver.received) {
    const schema = eventSchemas[body.type] as Json
    t.ok(ajv.validate(schema, body), `${body.type}: ${ajv.errorsText()}`)
    t.same(Object.keys(body.data).toSorted(), Object.keys(schema.properties.data.properties).toSorted(), body.type)
  }
})
