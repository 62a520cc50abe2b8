import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { SimulatedNas, type SimulatedSession } from '../../src/demo/simulated-nas.ts'
import type { SubscriberId } from '../../src/domain/ids.ts'
import { codes } from '../../src/network/radius/wire/packet.ts'
import { withConnection } from '../../src/platform/storage/connection.ts'
import { Client as RadiusClient } from '../network/radius/fixture.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { Phone } from '../support/phone.ts'
import { RunningProgram, type TestProgram } from '../support/program.ts'
import { fetch } from '../support/published.ts'
import { type Client, linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { until, untilAnswer } from '../support/until.ts'
import { Watcher } from '../support/watcher.ts'
import { emptyFolder } from './processes.ts'

t.test('what one node commits is true on the other: RADIUS, screens, actors and effects', async (t) => {
  const env = { DATABASE_URL: await testDatabaseUrl(t), TOLLGATE_SECRET_KEY: 'the key of both nodes' }
  const a = await openProgram(t, { ...env, TOLLGATE_NODE: 'a' })
  const b = await openProgram(t, { ...env, TOLLGATE_NODE: 'b' })
  const cutBy: string[] = []
  const atA = await simulateNas(a, '127.0.0.32', () => cutBy.push('a'))
  const atB = new SimulatedNas({
    ip: '127.0.0.32',
    secret: 'testing123',
    coaPort: await freeUdpPort('127.0.0.32'),
    server: { host: '127.0.0.1', authPort: b.address.authPort, acctPort: b.address.acctPort },
    onDisconnected: () => cutBy.push('b'),
  })
  await atB.start()
  t.teardown(() => Promise.all([atA.stop(), atB.stop()]))
  const [client] = await signUp(a, 1)
  const { login, account, subscriber } = client!
  const move = (op_type: number, rubles: number) =>
    a.create('FinanceOperations', { account, op_type, op_summa: rubles * ruble })
  const balanceAtB = async () => (await b.parts.subscribers.status(subscriber as SubscriberId))?.account.balance

  await until(() => b.parts.access.table.findByName(login) !== null)
  t.match(await atB.signIn(login, linePassword, login), { kind: 'accepted' })
  t.equal(await balanceAtB(), 0n)

  const watcher = await new Watcher(b.address.http, b.session).open(['finance', 'blocks', `abonent:${subscriber}`])
  const paid = watcher.next(({ type }) => type === 'payment.credited')
  const changed = watcher.next(({ type }) => type === 'balance.changed')
  const receipt = await move(7, 100)
  t.match(await paid, { op_id: receipt.op_id, amount: '100.00', balance: '100.00' })
  t.match(await changed, { previous: '0.00', balance: '100.00' })
  t.equal(await balanceAtB(), 100n * BigInt(ruble))

  const blocked = watcher.next(({ type }) => type === 'block.changed')
  await move(9, 200)
  t.match(await blocked, { b_negbal: true, enabled: false })
  t.match(await atB.signIn(login, linePassword, login), { kind: 'rejected' })
  await move(7, 500)
  await until(async () => (await atB.signIn(login, linePassword, login)).kind === 'accepted')
  t.notOk(cutBy.includes('b'), 'the node that committed the block carries out its effects')
  watcher.close()
  await Promise.all(atB.sessions.map((session) => atB.account('stop', session)))
  await t.test('and a session of one is one of the other', (t) => sharesSessions(t, a, b, client!))
  await t.test('and what a node has left is done by another one', (t) => takesOver(t, b))
  await t.test('and the office sees both and drains one', (t) => drains(t, a, b))
  await t.test('and where the clock of a machine is wrong, times are those of all', (t) =>
    hasOneTime(t, b, env, client!),
  )
})

async function sharesSessions(t: Test, a: OpenedProgram, b: OpenedProgram, { login, account, subscriber }: Client) {
  await until(() => a.parts.sessions.size + b.parts.sessions.size === 0)
  const cut: string[] = []
  const nas = await simulateNas(b, '127.0.0.33', (ended) => cut.push(ended))
  t.teardown(() => nas.stop())
  await until(() => a.parts.access.nas.length === 2 && b.parts.access.nas.length === 2)
  const watcher = await new Watcher(a.address.http, a.session).open(['sessions'])
  const started = watcher.next(({ type }) => type === 'session.started')
  t.match(await nas.signIn(login, linePassword, '02-00-00-00-00-01'), { kind: 'accepted' })
  t.match(await started, { session: { login } })
  const [session] = a.parts.sessions.liveOf(login)
  const [own] = b.parts.sessions.liveOf(login)
  t.strictSame({ ...session, node: null, slot: own!.slot }, own, 'with all that a Disconnect needs')

  const other = {
    ip: '127.0.0.33',
    secret: 'testing123',
    coaPort: await freeUdpPort('127.0.0.33'),
    onDisconnected: () => {},
  }
  const { authPort, acctPort } = a.address
  const reserve = new SimulatedNas({ ...other, server: { host: '127.0.0.1', authPort, acctPort } })
  await reserve.start()
  t.teardown(() => reserve.stop())
  t.match(await reserve.signIn(login, linePassword, '02-00-00-00-00-02'), { kind: 'rejected', reason: /session/i })

  await nas.account('interim', nas.sessions[0]!)
  const { body: why } = await a.rest('GET', `/admin/Abonents/why/${subscriber}/`)
  t.equal(why.verdict.code, 'online', 'b has heard of the session since a refused a second one')
  const { body: card } = await a.rest('GET', `/admin/Abonents/subscribers/${subscriber}/`)
  t.equal(card.sessions[0].updated_at, b.parts.sessions.liveOf(login)[0]!.updatedAt.toISOString())

  const stopped = watcher.next(({ type }) => type === 'session.stopped')
  await a.create('FinanceOperations', { account, op_type: 9, op_summa: 1_000 * ruble })
  t.match(await stopped, { session: { login } })
  t.strictSame(cut, [login])
  t.equal(a.parts.sessions.size, 0)
  await until(() => b.parts.sessions.size === 0)
  const text = 'SELECT result FROM coa_requests WHERE session_id = $1'
  const answers = async () => (await a.parts.database.pool.query(text, [session!.id])).rows
  const asked = await untilAnswer(answers, (rows) => rows.length > 0)
  t.strictSame(asked, [{ result: 'ack' }], 'asked once, by what its packets said')
  watcher.close()
}

/** A node that was killed left the row of a message that nobody can get any more. */
async function takesOver(t: Test, { parts: { database } }: OpenedProgram) {
  const { rows: dead } = await database.pool.query(
    `INSERT INTO nodes (name, version, heartbeat_at) VALUES ('dead', '0', now() - interval '6 s') RETURNING number`,
  )
  const effect = { kind: 'disconnect', subscriberId: 1, logins: [] }
  const { rows } = await database.pool.query(
    `INSERT INTO outbox (kind, payload, node) VALUES ('disconnect', $1, $2) RETURNING id`,
    [effect, dead[0].number],
  )
  const done = async () => {
    const text = 'SELECT node FROM outbox WHERE id = $1 AND done_at IS NOT NULL'
    return (await database.pool.query(text, [rows[0].id])).rows[0]
  }
  const { node } = await untilAnswer(done, (row) => row !== undefined)
  t.not(node, dead[0].number, 'its heartbeat is missed within seconds')
}

async function drains(t: Test, a: OpenedProgram, b: OpenedProgram) {
  const { body } = await b.rest('GET', '/admin/nodes/')
  t.match(body.nodes, [
    { name: 'a', role: 'full', state: 'alive', draining: false, http: a.address.http, sessions: 0 },
    { name: 'b', state: 'alive', http: b.address.http, rates: { accept: Number } },
    { name: 'dead', state: /fenced|gone/, lag_ms: null },
  ])
  const atA = new Watcher(a.address.http, a.session)
  await atA.open(['system'])
  t.equal((await b.rest('POST', '/admin/nodes/dead/drain/', {})).status, 409)
  t.equal((await b.rest('POST', '/admin/nodes/nobody/drain/', {})).status, 404)
  t.equal((await b.rest('POST', '/admin/nodes/a/drain/', {})).status, 200)
  await t.rejects(
    atA.next(() => false),
    { message: 'The socket closed with 1012 service restart.' },
  )
  const ready = await a.rest('GET', '/readyz')
  t.match(ready, { status: 503, body: { reason: 'draining' } })
  t.match(await b.rest('GET', '/readyz'), { status: 200 })
  t.equal((await a.rest('POST', '/admin/jobs/compact_row_counts/run/')).status, 409, 'it begins no job')
  t.equal((await b.rest('POST', '/admin/jobs/compact_row_counts/run/')).status, 200)
}

async function hasOneTime(t: Test, b: OpenedProgram, env: NodeJS.ProcessEnv, client: Client) {
  const { login, account } = client
  const clock = join(emptyFolder(t), 'clock')
  const halfAnHour = Buffer.alloc(8)
  halfAnHour.writeDoubleLE(-30 * 60_000)
  writeFileSync(clock, halfAnHour)
  const c = new RunningProgram({
    ...env,
    TOLLGATE_NODE: 'c',
    TOLLGATE_RADIUS_WORKERS: '1',
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('../chaos/clock-shift.ts', import.meta.url).href}`,
    CHAOS_CLOCK: clock,
  })
  t.teardown(() => c.stop().then(() => c.remove()))
  await c.launch()
  const nasOf = async ({ address: { authPort, acctPort } }: TestProgram) => {
    const server = { host: '127.0.0.1', authPort, acctPort }
    const coaPort = await freeUdpPort('127.0.0.33')
    return new SimulatedNas({ ip: '127.0.0.33', secret: 'testing123', coaPort, server, onDisconnected: () => {} })
  }
  await b.create('FinanceOperations', { account, op_type: 7, op_summa: 5_000 * ruble })
  const [atB, atC] = [await nasOf(b), await nasOf(c)]
  await atC.start()
  t.teardown(() => atC.stop())
  const signIn = () => atC.signIn(login, linePassword, '02-00-00-00-00-03')
  const signedIn = await untilAnswer(signIn, ({ kind }) => kind === 'accepted')
  if (signedIn.kind !== 'accepted') return
  signedIn.session.inputOctets = 70
  await atB.start()
  t.teardown(() => atB.stop())
  await atB.account('interim', signedIn.session)
  const text = `SELECT input_octets, abs(extract(epoch FROM now() - started_at)) < 300 AS "isNew", ended_at
    FROM radius_sessions WHERE acct_session_id = $1`
  const { rows } = await b.parts.database.pool.query(text, [signedIn.session.sessionId])
  t.match(rows, [{ input_octets: '70', isNew: true, ended_at: null }])
  const offset = async () =>
    (await b.rest('GET', '/admin/nodes/')).body.nodes.find(({ name }: { name: string }) => name === 'c')
      ?.clock_offset_ms
  t.ok(Math.abs((await untilAnswer(offset, (ms) => ms !== null)) + 30 * 60_000) < 60_000, 'and the office sees it')
  await t.test('and what has waited while a node stood still is not done', (t) => refusesWhatWaited(t, b, c, client))
}

/** The operator has no answer from a node that stands still, asks another one, and thinks better of it. */
async function refusesWhatWaited(t: Test, b: OpenedProgram, c: RunningProgram, { subscriber }: Client) {
  const init = { method: 'POST', headers: { 'X-Session-Hash': b.session }, redirect: 'manual' } as const
  const ask = async ({ address }: TestProgram, deed: 'block' | 'unblock') =>
    (await fetch(`${address.http}/admin/abonents/${deed}/${subscriber}/`, init)).status
  /** Who has no answer in time asks again. */
  const atLast = (at: TestProgram, deed: 'block' | 'unblock') =>
    untilAnswer(
      () => ask(at, deed),
      (status) => status === 302,
    )
  await atLast(c, 'block')
  c.signal('SIGSTOP')
  const stoppedMs = performance.now()
  const late = ask(c, 'block')
  await atLast(b, 'block')
  await atLast(b, 'unblock')
  await until(() => performance.now() - stoppedMs > 3_500)
  c.signal('SIGCONT')
  t.equal(await late, 503)
  const text = 'SELECT b_admin FROM abonents_block WHERE abonent_id = $1 AND b_admin'
  t.strictSame((await b.parts.database.pool.query(text, [subscriber])).rows, [])
  await atLast(c, 'block')
  t.equal((await b.parts.database.pool.query(text, [subscriber])).rowCount, 1, 'and a new request is obeyed')
}

/** The environment of a node that is started several times under one name. */
const tower = async (t: Test) => ({
  DATABASE_URL: await testDatabaseUrl(t),
  TOLLGATE_NODE: 'tower',
  TOLLGATE_SECRET_KEY: 'the key of both nodes',
})

t.test('a living node keeps its name, and one that has ended gives it back', async (t) => {
  const env = await tower(t)
  const first = await openProgram(t, env)
  await t.rejects(openProgram(t, env), { message: /A program with the name tower serves this database already/ })
  await first.stop()
  const second = await openProgram(t, env)
  t.match(second.parts.nodes?.membership.place, { name: 'tower', number: 1, epoch: 2 })
})

t.test('what a killed node has under way at the database is ended before its name is taken', async (t) => {
  const env = await tower(t)
  const first = await openProgram(t, env)
  const { url } = first.parts.database
  await first.stop()
  await withConnection(env.DATABASE_URL, async (other) => {
    await other.query(`BEGIN; SELECT FROM system_settings WHERE name = 'TIME_ZONE' FOR UPDATE`)
    await withConnection(url, async (killed) => {
      const late = killed.query(`UPDATE system_settings SET value = 'UTC' WHERE name = 'TIME_ZONE'`)
      const outcome = late.then(
        () => 'it was committed',
        ({ code }) => code,
      )
      const second = await openProgram(t, env)
      t.match(second.parts.nodes?.membership.place, { name: 'tower', number: 1, epoch: 2 })
      await other.query('ROLLBACK')
      t.equal(await outcome, '57P01', 'ended by an administrator')
    })
  })
})

t.test('a request of a phone with one key is carried out once, whichever nodes get it', async (t) => {
  const env = { DATABASE_URL: await testDatabaseUrl(t), TOLLGATE_SECRET_KEY: 'the key of both nodes' }
  const a = await openProgram(t, { ...env, TOLLGATE_NODE: 'a' })
  const b = await openProgram(t, { ...env, TOLLGATE_NODE: 'b' })
  const [client] = await signUp(a, 1)
  const phone = await Phone.of(a.address.http)
  t.equal((await phone.signIn(client!.login, linePassword)).status, 200)
  const atB = phone.another(b.address.http)
  atB.access = phone.access
  for (let round = 0; round < 6; round++) {
    const ask = (one: Phone) =>
      one.post('/support/tickets', { subject: 'slow', body: 'very' }, { 'Idempotency-Key': `key ${round}` })
    const [first, second] = await Promise.all([ask(phone), ask(atB)])
    t.equal(first!.status, 201)
    t.strictSame(second!.body, first!.body)
  }
  t.equal((await atB.get('/support/tickets')).body.items.length, 6)
  await t.test('and who signs out of one node is signed out of all', (t) => signsOut(t, a, b, phone, atB))
})

t.test('nodes give out addresses of one pool, and none gives one of another', async (t) => {
  const env = { DATABASE_URL: await testDatabaseUrl(t), TOLLGATE_SECRET_KEY: 'the key of both nodes' }
  const a = await openProgram(t, { ...env, TOLLGATE_NODE: 'a' })
  const made = await a.rest('POST', '/rest_api/v2/IpPull/', { name: 'small', network: '10.77.0.0/28' })
  const b = await openProgram(t, { ...env, TOLLGATE_NODE: 'b' })
  const atA = await simulateNas(a, '127.0.0.33')
  const server = { host: '127.0.0.1', authPort: b.address.authPort, acctPort: b.address.acctPort }
  const parts = { ip: '127.0.0.33', secret: 'testing123', coaPort: await freeUdpPort('127.0.0.33'), server }
  const atB = new SimulatedNas({ ...parts, onDisconnected: () => {} })
  await atB.start()
  t.teardown(() => Promise.all([atA.stop(), atB.stop()]))
  const clients = await signUp(a, 14, { pool: made.body.id })
  await until(() => b.parts.access.table.findByName(clients.at(-1)!.login) !== null)

  const sessions: SimulatedSession[] = []
  for (const [index, { login }] of clients.entries()) {
    const nas = index % 2 === 0 || index > 9 ? atB : atA
    await until(async () => {
      const answer = await nas.signIn(login, linePassword, login)
      if (answer.kind === 'accepted') sessions.push(answer.session)
      return answer.kind === 'accepted'
    })
  }
  t.equal(
    new Set(sessions.map(({ ip }) => ip)).size,
    14,
    'the whole pool, with half a second for the last of the other',
  )
  const { body } = await b.rest('GET', `/admin/radius/pools/${made.body.id}/`)
  t.match(body, { size: 14 })

  // One is let in again, and no accounting tells of it: its address is offered, and in no session.
  const [ended] = atB.sessions
  await atB.account('stop', ended!)
  const lossy = await RadiusClient.open({ addresses: server }, '127.0.0.33')
  t.teardown(() => lossy.close())
  const asked = [
    ['User-Name', ended!.login],
    ['User-Password', linePassword],
  ]
  lossy.send(lossy.access(asked, { secret: 'testing123' }))
  t.equal((await lossy.next())[0], codes.accessAccept)
  await b.stop()
  const held = async () => {
    const { rows } = await a.parts.database.pool.query(
      `SELECT count(*) FILTER (WHERE until IS NULL)::int4 AS held, count(until)::int4 AS later FROM pool_blocks`,
    )
    return rows[0]
  }
  t.strictSame(
    await untilAnswer(held, (blocks) => blocks.held === 7),
    { held: 7, later: 1 },
    'what it had offered lately is not given out by others yet',
  )
})

/** A session is remembered for ten seconds by whoever has seen it; its end is told before that. */
async function signsOut(t: Test, a: OpenedProgram, b: OpenedProgram, phone: Phone, phoneAtB: Phone) {
  const staff = { 'X-Session-Hash': b.session }
  const staffAtA = async () => (await fetch(`${a.address.http}/admin/me/`, { headers: staff })).status
  const clientAtB = async () => (await phoneAtB.get('/account/status')).status
  t.strictSame([await staffAtA(), await clientAtB()], [200, 200])
  const clock = new SteadyClock()
  const beganMs = clock.elapsedMs()
  const left = await fetch(`${b.address.http}/rest_api/logout`, { method: 'POST', headers: staff })
  t.equal(left.status, 200)
  t.equal((await phone.post('/auth/logout')).status, 200)
  await until(async () => (await staffAtA()) === 401 && (await clientAtB()) === 401)
  t.ok(clock.elapsedMs() - beganMs < 9_000, 'and not because it was forgotten by itself')
}
