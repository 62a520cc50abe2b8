import pg from 'pg'
import t from 'tap'
import { openProgram } from '../support/opened-program.ts'
import { ownServer } from '../support/postgres.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { until } from '../support/until.ts'

t.test(
  'while PostgreSQL is away lines stay open, accounting is kept, money waits, and all recovers by itself',
  async (t) => {
    const server = await ownServer(t)
    const program = await openProgram(t, { DATABASE_URL: server.url })
    const nas = await simulateNas(program, '127.0.0.41')
    const [one, other] = await signUp(program, 2)
    const money = () =>
      program.rest('POST', '/rest_api/v2/FinanceOperations/', { account: one!.account, op_type: 7, op_summa: ruble })
    const readiness = async () => (await fetch(`${program.address.http}/readyz`)).status
    t.equal((await money()).status, 201)
    const signedIn = await nas.signIn(one!.login, linePassword, '02:00:00:00:00:01')
    if (signedIn.kind !== 'accepted') throw new Error('Access-Accept expected')

    await server.stop()
    const clock = new SteadyClock()
    const askedMs = clock.elapsedMs()
    const refused = await money()
    t.equal(refused.status, 503)
    t.ok(clock.elapsedMs() - askedMs < 5_000, 'an answer came within five seconds')
    t.ok(refused.body.detail, 'with a sentence')
    await until(async () => (await readiness()) === 503)
    t.match(
      await nas.signIn(other!.login, linePassword, '02:00:00:00:00:02'),
      { kind: 'accepted' },
      'a known login still gets in',
    )
    t.match(await nas.signIn(other!.login, 'wrong', '02:00:00:00:00:02'), { kind: 'rejected' })
    const { session } = signedIn
    session.inputOctets = 6_000_000_000
    t.equal(await nas.account('interim', session), true, 'accounting is answered')

    await server.start()
    t.equal(server.url, program.databaseUrl, 'the server is back where it was')
    await until(async () => (await money()).status === 201)
    await until(async () => (await readiness()) === 200)
    const database = new pg.Client({ connectionString: server.url })
    await database.connect()
    t.teardown(() => database.end())
    await until(async () => {
      const text = 'SELECT login, input_octets FROM radius_sessions WHERE ended_at IS NULL ORDER BY login'
      const { rows } = await database.query(text)
      return rows.length === 2 && rows[0].input_octets === '6000000000'
    })
    t.pass('what was kept during the outage has arrived')
    await nas.stop()
  },
)
