import t, { type Test } from 'tap'
import type { SimulatedNas } from '../../src/demo/simulated-nas.ts'
import { silentLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { openProgram } from '../support/opened-program.ts'
import type { Json } from '../support/program.ts'
import { type Client, linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { untilAnswer } from '../support/until.ts'

const password = 'tell-nobody-of-this'

type Answer = { status: number; body: Json }

/** The whole program, a NAS with live sessions, and SQL beside them. */
async function startFixture(t: Test, env: Readonly<Record<string, string>> = {}) {
  const program = await openProgram(t, { TOLLGATE_SETTING_SYSTEM_API_PASSWORD: password, ...env })
  const database = await openDatabase({
    url: program.databaseUrl!,
    log: silentLog,
    pool: { general: 2, ledger: 1 },
  })
  const cut: string[] = []
  const nas = await simulateNas(program, '127.0.0.41', (login) => cut.push(login))
  t.teardown(async () => {
    await nas.stop()
    await database.close()
  })
  const system = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const response = await fetch(`${program.address.http}/system_api/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(headers ?? { 'X-System-Password': password }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() } as Answer
  }
  return {
    program,
    nas,
    cut,
    system,
    get: (path: string) => system('GET', path),
    post: (path: string, body: unknown = {}) => system('POST', path, body),
    sql: async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows as Json[],
  }
}
type Fixture = Awaited<ReturnType<typeof startFixture>>

const station = (n: number) => `AA-BB-CC-00-00-0${n}`

async function online(nas: SimulatedNas, clients: readonly Client[]): Promise<void> {
  for (const [n, { login }] of clients.entries()) {
    const answer = await nas.signIn(login, linePassword, station(n + 1))
    if (answer.kind !== 'accepted') throw new Error(`${login} was not let in: ${JSON.stringify(answer)}`)
  }
}

t.test('the System API', async (t) => {
  const fixture = await startFixture(t)
  const clients = await signUp(fixture.program, 5)
  await online(fixture.nas, clients)
  await t.test('is open to listed addresses with the password only', (t) => door(t, fixture))
  await t.test('shows the state of the program', (t) => status(t, fixture))
  await t.test('lists sessions, live ones and those that ended', (t) => sessions(t, fixture, clients))
  await t.test('disconnects a login, a subscriber and a session', (t) => disconnects(t, fixture, clients))
  await t.test('runs a job and waits for it', (t) => jobs(t, fixture))
  await t.test('switches the read-only mode, which closes its other writes', (t) => readOnly(t, fixture))
  await t.test('reloads what somebody wrote without a notice', (t) => reload(t, fixture, clients))
  await t.test('refuses what an unknown proxy has passed on', (t) => forwarded(t, fixture))
  await t.test('obeys ВКЛ and ВЫКЛ by SMS', (t) => sms(t, fixture, clients))
  // The last, because it locks the address.
  await t.test('counts wrong passwords', (t) => guesses(t, fixture))
})

async function guesses(t: Test, { system, program }: Fixture) {
  const guess = (headers: Record<string, string>) => system('GET', 'status/', undefined, headers)
  for (let n = 0; n < 10; n++) t.match(await guess({}), { status: 403 }, 'no password is no guess')
  for (let n = 0; n < 5; n++) t.match(await guess({ 'X-System-Password': `guess ${n}` }), { status: 403 })
  const refused = { status: 429, body: { status: 'error', error: 'too_many_requests', message: String } }
  t.match(await guess({ 'X-System-Password': password }), refused)
  const response = await fetch(`${program.address.http}/system_api/status/`, {
    headers: { 'X-System-Password': password },
  })
  t.ok(Number(response.headers.get('retry-after')) > 0)
}

async function forwarded(t: Test, { system }: Fixture) {
  for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
    const headers = { 'X-System-Password': password, [header]: '203.0.113.9' }
    t.match(await system('GET', 'status/', undefined, headers), {
      status: 403,
      body: { error: 'forbidden', message: /TOLLGATE_TRUST_PROXY/ },
    })
  }
}

t.test('behind a trusted proxy the System API is open to the named client only', async (t) => {
  const fixture = await startFixture(t, { TOLLGATE_TRUST_PROXY: '127.0.0.0/8' })
  const ask = async (headers: Record<string, string>) =>
    (await fixture.system('GET', 'status/', undefined, { 'X-System-Password': password, ...headers })).status
  t.equal(await ask({}), 200, 'a program on the same machine')
  t.equal(await ask({ 'X-Forwarded-For': '203.0.113.9' }), 403)
  t.equal(await ask({ 'X-Forwarded-For': 'unknown' }), 403, 'a client whom the proxy does not name')
  t.equal(await ask({ Forwarded: 'for=127.0.0.1' }), 403)
  t.equal(await ask({ 'X-Forwarded-For': '127.0.0.1, 203.0.113.9' }), 403)
  t.equal(await ask({ 'X-Forwarded-For': '127.0.0.1' }), 200)
})

async function door(t: Test, { system, get, sql }: Fixture) {
  t.match(await get('status/'), { status: 200, body: { status: 'ok' } })
  const refused = { status: 403, body: { status: 'error', error: 'forbidden', message: String } }
  for (const headers of [{}, { 'X-System-Password': '' }, { 'X-System-Password': `${password}x` }]) {
    t.match(await system('GET', 'status/', undefined, headers), refused)
    t.match(await system('POST', 'no/such/operation/', {}, headers), refused, 'nor is it said what there is')
  }
  const missing = { status: 404, body: { status: 'error', error: 'not_found', message: String } }
  for (const path of ['nothing/', 'jobs/', 'jobs/process_blocks/', 'sessions/disconnect/x/']) {
    t.match(await get(path), missing, path)
    t.match(await system('POST', path, {}), missing, path)
  }
  t.match(await system('POST', 'status/', {}), { status: 405, body: { error: 'method_not_allowed' } })
  t.match(await system('POST', 'sms/', '{"phone":'), { status: 400, body: { status: 'error', error: 'bad_request' } })

  await sql(`UPDATE system_settings SET value = '192.0.2.0/24, 2001:db8::/32' WHERE name = 'SYSTEM_API_ALLOW'`)
  await untilAnswer(
    () => get('status/'),
    ({ status }) => status === 403,
  )
  await sql(`UPDATE system_settings SET value = '127.0.0.0/8' WHERE name = 'SYSTEM_API_ALLOW'`)
  await untilAnswer(
    () => get('status/'),
    ({ status }) => status === 200,
  )
}

async function status(t: Test, { get, program }: Fixture) {
  // The runs that begin with the program go on beside it.
  const blocksOf = ({ body }: Answer) => body.jobs.find(({ name }: Json) => name === 'process_blocks')
  const answer = await untilAnswer(
    () => get('status/'),
    (one) => blocksOf(one).last_run?.ok != null,
  )
  const { body } = answer
  t.match(body, {
    status: 'ok',
    ready: true,
    reason: null,
    read_only: false,
    database: { up: true, outbox_waiting: Number },
    radius: { ready: true, auth_port: program.address.authPort, acct_port: program.address.acctPort },
    sessions: { live: 5 },
    spool: { bytes: 0 },
    unanswered_nas: [],
    versions: { tollgate: String, node: process.versions.node, postgresql: /^\d/ },
  })
  t.match(blocksOf(answer), { last_run: { ok: true } })
}

const sessionFields = [
  'id',
  'login',
  'abonent_id',
  'nas_id',
  'nas_ip',
  'acct_session_id',
  'ip',
  'ipv6_prefix',
  'mac',
  'started_at',
  'updated_at',
  'session_time',
  'input_octets',
  'output_octets',
  'ended_at',
  'end_reason',
]

async function sessions(t: Test, { get, nas, program, sql }: Fixture, clients: readonly Client[]) {
  const all = (await get('sessions/')).body
  t.equal(all.sessions.length, 5)
  t.notOk('next' in all)
  t.strictSame(Object.keys(all.sessions[0]), sessionFields)
  const [one] = (await get('sessions/?login=line2')).body.sessions
  t.match(one, { login: 'line2', abonent_id: clients[1]!.subscriber, nas_ip: '127.0.0.41', ended_at: null })
  t.equal((await get(`sessions/?nas=${one.nas_id}`)).body.sessions.length, 5)
  t.equal((await get('sessions/?nas=127.0.0.41')).body.sessions.length, 5)
  t.equal((await get('sessions/?nas=::FFFF:127.0.0.41')).body.sessions.length, 5, 'in another spelling')
  t.equal((await get('sessions/?nas=192.0.2.1')).body.sessions.length, 0)
  const place = async (record: object) =>
    t.equal((await program.rest('PUT', `/rest_api/v2/Nas/${one.nas_id}/`, record)).status, 200)
  await place({ ip: null, network: '127.0.0.32/27' })
  for (const all of ['', '&all=1']) {
    t.equal((await get(`sessions/?nas=127.0.0.41${all}`)).body.sessions.length, 5, 'a NAS of a network')
    t.equal((await get(`sessions/?nas=127.0.0.42${all}`)).body.sessions.length, 0, 'another one of it')
  }
  await place({ ip: '127.0.0.41', network: null })
  t.equal((await get('sessions/?nas=77&login=line2')).body.sessions.length, 0)
  for (const wrong of ['nas=x', 'limit=0', 'limit=x', 'after=-1', 'all=maybe']) {
    t.match(await get(`sessions/?${wrong}`), { status: 400, body: { status: 'error' } }, wrong)
  }

  const paged: string[] = []
  for (let after: number | null = 0, pages = 0; after !== null; pages++) {
    const { body } = await get(`sessions/?limit=2&after=${after}`)
    paged.push(...body.sessions.map(({ login }: Json) => login))
    after = body.next ?? null
    if (after === null) t.equal(pages, 2)
  }
  t.strictSame(
    paged.sort(),
    clients.map(({ login }) => login),
  )

  const ending = nas.sessions.find(({ login }) => login === 'line5')!
  Object.assign(ending, { inputOctets: 5_000_000_000, outputOctets: 7 })
  await nas.account('stop', ending)
  t.equal((await get('sessions/?login=line5')).body.sessions.length, 0)
  // Memory knows before the table does, when the database is slow.
  const inTable = await untilAnswer(
    () => get('sessions/?login=line5&all=1'),
    ({ body }) => body.sessions[0]?.ended_at,
  )
  const [ended] = inTable.body.sessions
  t.strictSame(Object.keys(ended).sort(), [...sessionFields].sort())
  t.match(ended, { login: 'line5', input_octets: 5_000_000_000, output_octets: 7, ended_at: String })
  const stored = (await get('sessions/?all=1&limit=3')).body
  t.strictSame(
    stored.sessions.map(({ login }: Json) => login),
    ['line5', 'line4', 'line3'],
  )
  const rest = (await get(`sessions/?all=1&limit=3&after=${stored.next}`)).body
  t.strictSame(
    rest.sessions.map(({ login }: Json) => login),
    ['line2', 'line1'],
  )
  t.equal((await sql('SELECT count(*)::int AS count FROM radius_sessions'))[0].count, 5)
}

async function disconnects(t: Test, { get, post, cut, program }: Fixture, clients: readonly Client[]) {
  // The door waits for the answers of the NAS, but not for ever.
  const cutAre = async (...logins: string[]) => {
    await untilAnswer(
      async () => cut,
      ({ length }) => length >= logins.length,
    )
    t.strictSame(cut, logins)
  }
  t.match(await post('sessions/disconnect/', { login: 'line1' }), { status: 200, body: { status: 'ok', sent: 1 } })
  await cutAre('line1')
  const ended = (login: string) =>
    untilAnswer(
      () => get(`sessions/?login=${login}`),
      ({ body }) => body.sessions.length === 0,
    )
  await ended('line1')
  const stored = await untilAnswer(
    () => get('sessions/?login=line1&all=1'),
    ({ body }) => body.sessions[0]?.ended_at,
  )
  t.match(stored.body.sessions, [{ end_reason: 'Disconnect-ACK' }])
  t.match(
    await post('sessions/disconnect/', { login: 'line1' }),
    { body: { sent: 1 } },
    'the NAS is asked all the same',
  )

  const subscriber = clients[1]!.subscriber
  t.match(await post('sessions/disconnect/', { abonent_id: subscriber }), { body: { status: 'ok', sent: 1 } })
  await cutAre('line1', 'line2')

  const [{ id }] = (await get('sessions/?login=line3')).body.sessions
  t.match(await post('sessions/disconnect/', { session_id: String(id) }), { body: { status: 'ok', sent: 1 } })
  await cutAre('line1', 'line2', 'line3')
  await ended('line3')
  t.match(await post('sessions/disconnect/', { session_id: id }), { body: { status: 'ok', sent: 0 } }, 'it has ended')

  const bare = await program.rest('POST', '/rest_api/v2/Abonents/', { name: 'No line', contract_number: '900' })
  t.match(await post('sessions/disconnect/', { abonent_id: bare.body.id }), { body: { sent: 0 } })
  for (const body of [{ login: 'nobody' }, { abonent_id: 999 }, { abonent_id: 'x' }, { session_id: 999 }]) {
    t.match(await post('sessions/disconnect/', body), { status: 404, body: { error: 'not_found' } })
  }
  for (const body of [{}, { login: '' }, { login: 'line4', session_id: 1 }]) {
    t.match(await post('sessions/disconnect/', body), { status: 400 })
  }
}

async function jobs(t: Test, { post, sql }: Fixture) {
  t.match(await post('jobs/no_such_job/run/'), { status: 404, body: { status: 'error', error: 'not_found' } })
  t.match(await post('jobs/process_blocks/run/'), { status: 200, body: { status: 'ok', result: { accounts: Number } } })
  const [{ count }] = await sql(`SELECT count(*)::int AS count FROM job_runs WHERE name = 'process_blocks'`)
  t.ok(count >= 1)
  await sql('INSERT INTO admin_accounts (id, ostatok, debit) VALUES (990, 1, 1)')
  t.match(await post('jobs/verify_ledger/run/'), {
    status: 500,
    body: { status: 'error', error: 'job_failed', result: { broken: 1, faults: [{ account_id: 990 }] } },
  })
  await sql('DELETE FROM admin_accounts WHERE id = 990')
  t.match(await post('jobs/verify_ledger/run/'), { status: 200, body: { status: 'ok', result: { broken: 0 } } })
}

async function readOnly(t: Test, { get, post, sql, program }: Fixture) {
  t.match(await post('read_only/', { enable: 'perhaps' }), { status: 400, body: { status: 'error' } })
  t.match(await post('read_only/', { enable: true }), { status: 200, body: { status: 'ok', read_only: true } })
  t.match((await get('status/')).body, { read_only: true })
  for (const path of ['sessions/disconnect/', 'jobs/process_blocks/run/', 'reload/', 'sms/']) {
    t.match(await post(path, {}), { status: 403, body: { status: 'error', error: 'forbidden' } }, path)
  }
  t.equal((await program.rest('POST', '/rest_api/v2/Tarif/', { name: 'x', price: 1 })).status, 403)
  t.match(await post('read_only/', { enable: '0' }), { status: 200, body: { status: 'ok', read_only: false } })
  t.match(
    await sql(
      `SELECT user_name, address, action, diff FROM audit_operations WHERE object_id = 'READ_ONLY_MODE' ORDER BY id`,
    ),
    [
      { user_name: 'System API', address: '127.0.0.1', action: 'change', diff: { value: [false, true] } },
      { diff: { value: [true, false] } },
    ],
  )
}

async function reload(t: Test, { post, sql, nas }: Fixture, clients: readonly Client[]) {
  // Exempt from the triggers: nobody is told.
  await sql(
    `WITH quiet AS MATERIALIZED (SELECT set_config('tollgate.writer', 'on', false))
     UPDATE users SET login = 'renamed' FROM quiet WHERE login = $1`,
    [clients[3]!.login],
  )
  await sql(`SELECT set_config('tollgate.writer', '', false)`)
  t.match(await post('reload/'), { status: 200, body: { status: 'ok' } })
  t.match(await nas.signIn('renamed', linePassword, station(4)), { kind: 'accepted' })
  await sql(`UPDATE users SET login = $1 WHERE login = 'renamed'`, [clients[3]!.login])
}

async function sms(t: Test, { post, program, sql }: Fixture, clients: readonly Client[]) {
  const [one, two, three] = clients as [Client, Client, Client]
  const { rest } = { rest: program.rest.bind(program) }
  const abonent = async (client: Client) => (await rest('GET', `/rest_api/v2/Abonents/${client.subscriber}/`)).body
  await rest('PUT', `/rest_api/v2/Abonents/${one.subscriber}/`, { sms: '8 (900) 123-45-67' })
  const phone = '+79001234567'
  const say = (text: string, from: string = phone) => post('sms/', { phone: from, text })

  t.match(await say('выкл.'), { status: 200, body: { status: 'ok', reply: /приостановлен/ } })
  t.match(await abonent(one), { enabled: false, block: { b_own: true } })
  t.match(await say('ВЫКЛ'), { body: { status: 'ok', reply: /приостановлен/ } }, 'a repeat is no fault')
  t.match(await say(' Вкл ', '9001234567'), { body: { status: 'ok', reply: 'Доступ открыт.' } })
  t.match(await abonent(one), { enabled: true, block: { b_own: false } })
  t.match(
    await sql(
      `SELECT user_name, address FROM audit_operations WHERE table_name = 'ABONENTS_BLOCK' AND user_name LIKE 'sms%' ORDER BY id`,
    ),
    [{ user_name: `sms ${phone}`, address: '127.0.0.1' }, { user_name: 'sms 9001234567' }],
  )

  for (const text of ['привет', 'ДАМ', '']) {
    t.match(await say(text), { status: 200, body: { status: 'ok', reply: /ОП.*ВЫКЛ.*ВКЛ/ } }, text)
  }
  t.match(await say('ВЫКЛ', '+79990000000'), { status: 200, body: { status: 'error', reply: /не указан/ } })
  t.match(await abonent(one), { enabled: true })
  for (const body of [{}, { phone }, { phone: 'x', text: 'ВКЛ' }, { phone, text: 'x'.repeat(1001) }]) {
    t.match(await post('sms/', body), { status: 400, body: { status: 'error' } })
  }

  const move = (op_type: number) =>
    rest('POST', '/rest_api/v2/FinanceOperations/', { account: one.account, op_type, op_summa: ruble })
  await move(9)
  t.match(await say('ВЫКЛ'), { body: { status: 'error', reply: /отрицательный баланс/ } }, 'a debtor stays a debtor')
  t.match(await abonent(one), { block: { b_own: false, b_negbal: true } })
  const closed = 'доступ закрыт: отрицательный баланс.'
  t.match(await say('ВКЛ'), { body: { status: 'ok', reply: `Добровольной блокировки нет, ${closed}` } })
  await move(7)
  await say('ВЫКЛ')
  await move(9)
  t.match(await say('ВКЛ'), { body: { status: 'ok', reply: `Добровольная блокировка снята, но ${closed}` } })

  await rest('PUT', `/rest_api/v2/Abonents/${two.subscriber}/`, { sms: '+7 901 000 00 00' })
  await rest('PUT', `/rest_api/v2/Abonents/${three.subscriber}/`, { sms: '89010000000' })
  const family = '79010000000'
  t.match(await say('ВЫКЛ', family), { body: { status: 'error', reply: /нескольких договорах \(000002, 000003\)/ } })
  t.match(await say('ВЫКЛ 000003', family), { body: { status: 'ok' } })
  t.match(await abonent(two), { enabled: true })
  t.match(await abonent(three), { enabled: false, block: { b_own: true } })
  t.match(await say('ВЫКЛ 000001', family), { body: { status: 'error' } }, 'a contract of somebody else')
}
