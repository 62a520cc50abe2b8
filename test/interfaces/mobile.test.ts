import { request } from 'node:http'
import t from 'tap'
import { testPool } from '../support/database.ts'
import { openProgram } from '../support/opened-program.ts'
import { Phone } from '../support/phone.ts'
import type { Json } from '../support/program.ts'
import { linePassword, ruble, signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'

const program = await openProgram(t)
const pool = testPool(t, program.databaseUrl!, 4)
const first = await Phone.of(program.address.http)
const clients = await signUp(program, 14)
let taken = 0

/** A phone of a client whom no other test has, because each has 30 requests a minute. */
async function aPhone(): Promise<{ phone: Phone; subscriber: number; account: number }> {
  const { login, subscriber, account } = clients[taken++]!
  const phone = first.another()
  await phone.signIn(login, linePassword)
  return { phone, subscriber, account }
}

const set = (values: Record<string, unknown>) => program.rest('POST', '/admin/settings/system/', values)
const post = (account: number, type: number, sum: number) =>
  program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: type, op_summa: sum * ruble })

t.test('the address of a WebSocket says so to a request without Upgrade, as a proxy passes it on', async (t) => {
  const phone = await fetch(`${first.base}/live`)
  t.match(
    [phone.status, await phone.json()],
    [426, { status: 'error', error: 'upgrade_required', message: /WebSocket/ }],
  )
  t.equal(phone.headers.get('upgrade'), 'websocket')
  const stranger = await fetch(`${program.address.http}/admin/live/`)
  t.match([stranger.status, await stranger.json()], [401, { ok: false, code: 'unauthorized' }])
  t.match(await program.rest('GET', '/admin/live/'), { status: 426, body: { ok: false, code: 'upgrade_required' } })
  // A proxy drops the Upgrade and passes on what only means something beside it.
  const key = { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version': '13' }
  for (const headers of [
    key,
    { ...key, Upgrade: 'h2c' },
    { ...key, Upgrade: 'websocket', 'Sec-WebSocket-Version': '7' },
  ])
    t.match(await asked(headers), { status: 426, version: '13' }, JSON.stringify(headers))
})

/** How a request for the WebSocket of phones is answered. */
function asked(headers: Record<string, string>): Promise<{ status: number | undefined; version: unknown }> {
  const sent = request(`${first.base}/live`, { headers: { Connection: 'Upgrade', ...headers } })
  return new Promise((resolve, reject) => {
    sent.once('response', (answer) => {
      resolve({ status: answer.statusCode, version: answer.headers['sec-websocket-version'] })
      answer.destroy()
    })
    sent.once('upgrade', (answer, tcp) => {
      resolve({ status: answer.statusCode, version: null })
      tcp.destroy()
    })
    sent.once('error', reject).end()
  })
}

t.test('every door of the specification is there, and none but the sign-in opens without a token', async (t) => {
  const doors = [
    ...['GET /account/status', 'GET /account/tariffs', 'POST /account/tariff', 'POST /account/change_password'],
    ...[
      'GET /account/voluntary_block',
      'POST /account/voluntary_block',
      'GET /finance/history',
      'GET /finance/charges',
    ],
    ...['GET /finance/promise_pay', 'POST /finance/promise_pay', 'DELETE /finance/promise_pay', 'POST /finance/pay'],
    ...['GET /account/mailings', 'POST /account/mailings'],
    ...['GET /support/tickets', 'POST /support/tickets', 'GET /support/tickets/1', 'POST /support/tickets/1'],
    ...['GET /services/list', 'POST /services/toggle', 'POST /push/register'],
  ]
  for (const door of doors) {
    const [method, path] = door.split(' ') as [string, string]
    const { status, body, headers } = await first.call(method, path, method === 'POST' ? {} : undefined)
    t.match([status, body], [401, { status: 'error', error: 'unauthorized', message: /Войдите/ }], door)
    t.match(headers.get('www-authenticate'), /^Bearer/)
  }
  const slash = await fetch(`${first.base}/branding/`)
  t.equal(slash.status, 200, 'a slash at the end does no harm')
  for (const [method, path, status] of [
    ['GET', '/nothing', 404],
    ['DELETE', '/account/status', 405],
    ['GET', '/auth/login', 405],
  ] as const) {
    const response = await fetch(first.base + path, { method, headers: { Authorization: 'Bearer x' } })
    const body = (await response.json()) as Json
    t.ok([status, 401].includes(response.status) && body.status === 'error', `${method} ${path}`)
  }
})

t.test('a client wants no mailings, and wants them again', async (t) => {
  const { phone, subscriber } = await aPhone()
  t.match(await phone.get('/account/mailings'), { status: 200, body: { enabled: true, since: null } })
  t.match((await phone.post('/account/mailings', { enable: false })).body, { enabled: false, since: /^\d{4}-/ })
  const { body } = await program.rest('GET', `/admin/messages/opt_out/${subscriber}/`)
  t.match(body, { on: true, user: `phone ${subscriber}` })
  t.match((await phone.post('/account/mailings', { enable: true })).body, { enabled: true, since: null })
})

t.test('a refusal has a code for programs and a text in the language of its reader', async (t) => {
  const { phone } = await aPhone()
  const texts: string[] = []
  for (const language of ['ru-RU,ru;q=0.9', 'en-US', 'de']) {
    phone.language = language
    const { status, body, headers } = await phone.post('/finance/pay', { amount: '1.001' })
    t.match([status, body], [400, { error: 'bad_amount' }])
    t.equal(headers.get('x-ratelimit-limit'), '30')
    texts.push(body.message)
  }
  t.match(texts, [/Сумма должна/, /The amount must/, /Сумма должна/])
  const form = await fetch(`${first.base}/auth/login`, { method: 'POST', body: new URLSearchParams({ contract: '1' }) })
  t.match([form.status, await form.json()], [415, { error: 'unsupported_media_type' }])
  const large = await fetch(`${first.base}/auth/login`, { method: 'POST', body: 'x'.repeat(1_100_000) })
  t.match([large.status, await large.json()], [413, { status: 'error', error: 'too_large', message: /МиБ/ }])
})

t.test('history by period and by days, in pages', async (t) => {
  const { phone, account } = await aPhone()
  for (let n = 1; n <= 5; n++) await post(account, 7, n)
  await post(account, 9, 4)
  const { body } = await phone.get('/finance/history?page=2&per_page=2')
  t.match(body, { page: 2, per_page: 2, total: 5, sum: '15.00' })
  t.same(
    body.items.map(({ amount }: Json) => amount),
    ['3.00', '2.00'],
  )
  t.match((await phone.get('/finance/charges?period=year')).body, {
    total: 1,
    sum: '-4.00',
    items: [{ amount: '-4.00' }],
  })
  t.match((await phone.get('/finance/history?from=2020-01-01&to=2020-12-31')).body, {
    total: 0,
    sum: '0.00',
    items: [],
  })
  t.match((await phone.get('/finance/history?per_page=1000')).body, { per_page: 100 })
  for (const query of [
    'period=week',
    'from=2026-02-30',
    'page=0',
    'per_page=x',
    'page=1.5',
    'from=2026-02-02&to=2026-02-01',
  ])
    t.match(await phone.get(`/finance/history?${query}`), { status: 400, body: { error: 'bad_request' } }, query)
})

t.test('a tariff from the next month on, and back', async (t) => {
  const { phone, subscriber } = await aPhone()
  const make = (name: string, more: object = {}) =>
    program.rest('POST', '/rest_api/v2/Tarif/', { name, price: 700 * ruble, is_public: true, ...more })
  const [open, hidden, over] = [
    (await make('Open')).body.id,
    (await make('Hidden', { is_public: false })).body.id,
    (await make('Over', { enabled: false })).body.id,
  ]
  for (const id of [hidden, over, 987_654])
    t.match(await phone.post('/account/tariff', { tariff_id: id }), {
      status: 404,
      body: { error: 'tariff_not_offered' },
    })
  const own = (await phone.get('/account/status')).body.tariff_id
  t.match(await phone.post('/account/tariff', { tariff_id: own }), { status: 400, body: { error: 'tariff_current' } })
  await set({ TARIFF_CHANGE: 'next_period' })
  const planned = await phone.post('/account/tariff', { tariff_id: open })
  t.match(planned.body, { status: 'ok', tariff_id: open, operation_id: null, effective_date: /^\d{4}-\d{2}-01$/ })
  t.match((await phone.get('/account/tariffs')).body.next, {
    id: open,
    name: 'Open',
    date: planned.body.effective_date,
  })
  t.equal((await phone.get('/account/status')).body.tariff_id, own, 'until then nothing changes')
  t.equal((await phone.post('/account/tariff', { tariff_id: own })).status, 200, 'the present one takes it back')
  t.equal((await phone.get('/account/tariffs')).body.next, null)
  await phone.post('/account/tariff', { tariff_id: open })
  await set({ TARIFF_CHANGE: 'immediate' })
  const chosen = await phone.post('/account/tariff', { tariff_id: open }, { 'Idempotency-Key': 'the new tariff' })
  t.ok(chosen.body.operation_id > 0)
  t.same((await phone.get('/account/tariffs')).body.next, null, 'what was planned is done')
  const again = await phone.post('/account/tariff', { tariff_id: open }, { 'Idempotency-Key': 'the new tariff' })
  t.same(again.body, chosen.body)
  await pool.query('UPDATE client_answers SET status = NULL, body = NULL')
  const afterCrash = await phone.post('/account/tariff', { tariff_id: open }, { 'Idempotency-Key': 'the new tariff' })
  t.match(afterCrash.body, { status: 'ok', tariff_id: open }, 'also when the first answer was never kept')
  t.equal((await program.rest('PUT', `/rest_api/v2/Abonents/${subscriber}/`, { tarif: own })).status, 200)
  await pool.query('DELETE FROM client_answers')
  const late = await phone.post('/account/tariff', { tariff_id: open }, { 'Idempotency-Key': 'the new tariff' })
  t.match(late.body, { status: 'ok', tariff_id: open }, 'nor is it made once more by a node that stood still')
  t.equal((await phone.get('/account/status')).body.tariff_id, own)
  const { rows } = await pool.query(
    `SELECT user_name, action, table_name FROM audit_operations WHERE object_id = $1 AND table_name = 'ABONENTS' AND user_name LIKE 'phone%'`,
    [String(subscriber)],
  )
  t.ok(rows.length >= 4, 'each choice stands in the audit')
})

t.test('services that are offered are switched, others are only shown', async (t) => {
  const { phone, subscriber } = await aPhone()
  const make = (name: string, isPublic: boolean) =>
    program.rest('POST', '/rest_api/v2/Usluga/', { name, price: 50 * ruble, is_public: isPublic })
  const [offered, fixed] = [(await make('Antivirus', true)).body.id, (await make('Static address', false)).body.id]
  await program.rest('POST', '/admin/Abonents/users_usluga_crud/', { abonent_id: subscriber, usluga_id: fixed })
  await pool.query('UPDATE uslugas SET is_public = true WHERE id = 30353')
  const { body } = await phone.get('/services/list')
  t.match(
    body.items.filter(({ id }: Json) => [offered, fixed, 30353].includes(id)),
    [
      { id: offered, enabled: false, can_toggle: true, price: '50.00' },
      { id: fixed, enabled: true, can_toggle: false },
    ],
    'a promise payment is no service',
  )
  const toggle = (id: number, enable: boolean) => phone.post('/services/toggle', { service_id: id, enable })
  t.match(await toggle(fixed, false), { status: 400, body: { error: 'service_fixed' } })
  t.match(await toggle(30353, true), { status: 404, body: { error: 'service_not_offered' } })
  await Promise.all([toggle(offered, true), toggle(offered, true), toggle(offered, true)])
  t.match((await toggle(offered, false)).body.service, { enabled: false })
  t.match((await toggle(offered, true)).body.service, { enabled: true })
  const { rows } = await pool.query('SELECT enabled FROM users_uslugas WHERE abonent_id = $1 AND usluga_id = $2', [
    subscriber,
    offered,
  ])
  t.same(rows, [{ enabled: true }], 'one row, however often it is switched')
})

t.test('tickets are seen by their client only; what the staff opened is there too', async (t) => {
  const [mine, other] = [await aPhone(), await aPhone()]
  const { id } = (await mine.phone.post('/support/tickets', { subject: 'a', body: 'b' })).body
  for (const path of [`/support/tickets/${id}`, '/support/tickets/0', '/support/tickets/99999999999999999999']) {
    t.match(await other.phone.get(path), { status: 404, body: { error: 'not_found' } })
    t.match(await other.phone.post(path, { body: 'let me in' }), { status: 404 })
  }
  t.same((await other.phone.get('/support/tickets')).body.items, [])
  await program.rest('PUT', `/rest_api/v2/Hdsk/${id}/`, { status: 'closed' })
  t.match((await mine.phone.post(`/support/tickets/${id}`, { body: 'not yet' })).body, { status: 'open' })
  const byStaff = { abonent: mine.subscriber, subject: 'Your debt', body: 'Please pay' }
  const opened = await program.rest('POST', '/rest_api/v2/Hdsk/', byStaff)
  const { body } = await mine.phone.get(`/support/tickets/${opened.body.id}`)
  t.match(body.messages, [{ id: 0, author: 'staff', body: 'Please pay' }])
  for (const wrong of [
    {},
    { subject: 'a' },
    { subject: ' ', body: 'b' },
    { subject: 'a', body: 7 },
    { subject: 'a\u0000', body: 'b' },
  ])
    t.match(await mine.phone.post('/support/tickets', wrong), { status: 400, body: { error: 'bad_request' } })
})

t.test('ten requests under one key at once are one', async (t) => {
  const { phone } = await aPhone()
  const key = { 'Idempotency-Key': 'once' }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => phone.post('/support/tickets', { subject: 'a', body: 'b' }, key)),
  )
  t.same(new Set(answers.map(({ body }) => body.id)).size, 1)
  t.same(new Set(answers.map(({ status }) => status)), new Set([201]))
  t.match(await phone.post('/support/tickets', { subject: 'a', body: 'c' }, key), { status: 409 })
  t.match(await phone.post('/support/tickets', { subject: '', body: 'b' }, { 'Idempotency-Key': 'x'.repeat(300) }), {
    status: 400,
  })
})

t.test('what another node took over meanwhile is not written by the one that stood still', async (t) => {
  const { phone, subscriber } = await aPhone()
  const service = (await program.rest('POST', '/rest_api/v2/Usluga/', { name: 'Film', price: 0, is_public: true })).body
  const written = async () =>
    (
      await pool.query(
        `SELECT (SELECT count(*) FROM hdsk_messages JOIN hdsks ON hdsks.id = hdsk_id WHERE abonent_id = $1) AS messages,
          (SELECT count(*) FROM users_uslugas WHERE abonent_id = $1) AS services`,
        [subscriber],
      )
    ).rows[0]
  const { id } = (await phone.post('/support/tickets', { subject: 'a', body: 'b' })).body
  const before = await written()
  // The other node is as quick as it can be: it takes over between what is written and the answer that is stored.
  await pool.query(`CREATE FUNCTION take_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE client_answers SET node = 2; RETURN NULL; END $$;
    CREATE TRIGGER take_over AFTER INSERT ON hdsk_messages EXECUTE FUNCTION take_over();
    CREATE TRIGGER take_over AFTER INSERT ON users_uslugas EXECUTE FUNCTION take_over()`)
  const works = [
    ['/support/tickets', { subject: 'c', body: 'd' }],
    [`/support/tickets/${id}`, { body: 'd' }],
    ['/services/toggle', { service_id: service.id, enable: true }],
  ] as const
  for (const [path, body] of works) {
    t.match(await phone.post(path, body, { 'Idempotency-Key': path }), { status: 503 }, path)
    t.strictSame(await written(), before, path)
  }
  await pool.query('DROP FUNCTION take_over CASCADE')
  for (const [path, body] of works)
    t.match(
      await phone.post(path, body, { 'Idempotency-Key': path }),
      { status: /20[01]/ },
      'and is done when repeated',
    )
  t.strictSame(await written(), { messages: '3', services: '1' })
})

t.test('what cannot be had is refused with the reason', async (t) => {
  const { phone, account } = await aPhone()
  t.match(await phone.post('/finance/pay', { amount: 10 }), { status: 503, body: { error: 'payment_unavailable' } })
  t.match((await phone.get('/finance/promise_pay')).body, { active: false, available: false, reason: 'min_age' })
  t.match(await phone.post('/finance/promise_pay'), { status: 400, body: { error: 'min_age' } })
  t.match(await phone.delete('/finance/promise_pay'), { status: 404, body: { error: 'no_promise' } })
  await post(account, 9, 5)
  t.match((await phone.get('/account/voluntary_block')).body, { can_enable: false, reason: 'отрицательный баланс' })
  t.match(await phone.post('/account/voluntary_block', { enable: true }), {
    status: 400,
    body: { error: 'already_blocked' },
  })
  t.match(await phone.post('/push/register', { token: 'abc', platform: 'symbian' }), { status: 400 })
  t.equal((await phone.post('/push/register', { token: 'abc', platform: 'ios' })).status, 200)
  await phone.post('/auth/logout', { push_token: 'abc' })
  t.equal((await pool.query('SELECT FROM push_devices')).rowCount, 0, 'a sign-out takes the device with it')
})

t.test('the form of gateway B', async (t) => {
  const { phone } = await aPhone()
  await program.rest('POST', '/admin/settings/payment/', {
    LK_GWB_FORM_URL: 'https://gwb.example/form',
    LK_GWB_MERCHANT_ID: '7',
    LK_GWB_SECRET_KEY: 'secret',
  })
  const { body } = await phone.post('/finance/pay', { amount: '100', system: 'gwb' })
  t.match(body, { status: 'ok', form_post: { action: 'https://gwb.example/form', fields: { WMI_MERCHANT_ID: '7' } } })
  t.same([body.action, body.fields], [body.form_post.action, body.form_post.fields], 'the shorter way too')
})

t.test('a signed-out phone may still sign out by its refresh token, and a deleted client not come in', async (t) => {
  const { phone, subscriber } = await aPhone()
  const [refresh, access] = [phone.refreshToken, phone.access]
  phone.access = ''
  t.equal((await phone.post('/auth/logout', { refresh })).status, 200)
  t.equal((await phone.post('/auth/logout', { refresh })).status, 401)
  phone.access = access
  t.equal((await phone.get('/account/status')).status, 401)
  const { login } = clients[taken - 1]!
  await phone.signIn(login, linePassword)
  const live = phone.live()
  await live.status()
  await program.rest('DELETE', `/rest_api/v2/Abonents/${subscriber}/`)
  t.equal((await live.end()).code, 4401)
  t.equal((await phone.get('/support/tickets')).status, 401, 'although the session was just seen')
  t.equal((await phone.refresh()).status, 401)
  t.equal((await phone.signIn(login, linePassword)).status, 401)
})

t.test('a password that the staff set signs every phone out', async (t) => {
  const { phone, subscriber } = await aPhone()
  const live = phone.live()
  await live.status()
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM users WHERE abonent_id = $1', [subscriber])
  const change = (body: object) => program.rest('PUT', `/rest_api/v2/Users/${rows[0]!.id}/`, body)
  t.equal((await change({ simultaneous_use: 2 })).status, 200)
  t.equal((await phone.get('/account/status')).status, 200, 'another change leaves them in')
  t.equal((await change({ password: 'of the office' })).status, 200)
  t.equal((await live.end()).code, 4401)
  t.equal((await phone.get('/account/status')).status, 401)
  t.equal((await phone.refresh()).status, 401)
  t.equal((await phone.signIn(clients[taken - 1]!.login, 'of the office')).status, 200)
})

t.test('the live status follows rows that somebody else writes', async () => {
  const { phone, subscriber, account } = await aPhone()
  const live = phone.live()
  const { tariff_id } = await live.status()
  await pool.query(`UPDATE abonents SET name = 'Renamed' WHERE id = $1`, [subscriber])
  await live.status(({ name }) => name === 'Renamed')
  await pool.query('UPDATE tarifs SET price = price + $2 WHERE id = $1', [tariff_id, ruble])
  await live.status(({ monthly_cost }) => monthly_cost === '601.00')
  await pool.query(
    `WITH made AS (INSERT INTO uslugas (name, price) VALUES ('Line', $2) RETURNING id)
     INSERT INTO users_uslugas (abonent_id, usluga_id) SELECT $1, id FROM made`,
    [subscriber, 9 * ruble],
  )
  await live.status(({ monthly_cost }) => monthly_cost === '610.00')
  await pool.query(`UPDATE uslugas SET price = $1 WHERE name = 'Line'`, [10 * ruble])
  await live.status(({ monthly_cost }) => monthly_cost === '611.00')
  const paid = await post(account, 7, 5)
  await live.status(({ last_payment }) => last_payment !== null)
  const change = { op_date: '2026-01-15T12:00:00Z' }
  await program.rest('PUT', `/rest_api/v2/FinanceOperations/${paid.body.op_id}/`, change)
  await live.status(({ last_payment }) => last_payment?.date === '15.01.2026')
  await live.close()
})
