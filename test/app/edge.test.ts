import t, { type Test } from 'tap'
import { SimulatedNas } from '../../src/demo/simulated-nas.ts'
import { notJoined } from '../../src/platform/nodes/joining.ts'
import { withConnection } from '../../src/platform/storage/connection.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { OpenedEdge } from '../support/opened-edge.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { ownServer } from '../support/own-server.ts'
import { fetch } from '../support/published.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { standbyOf } from '../support/standby.ts'
import { until, untilAnswer } from '../support/until.ts'

const nasIp = '127.0.0.33'
const key = { TOLLGATE_SECRET_KEY: 'the key of all nodes' }

t.test('an edge has RADIUS and health checks, and nothing of the office', async (t) => {
  const env = { ...key, DATABASE_URL: await testDatabaseUrl(t) }
  const full = await openProgram(t, { ...env, TOLLGATE_NODE: 'a' })
  const edge = await openEdge(t, { ...env, TOLLGATE_NODE: 'tower' })
  const cut: string[] = []
  const nas = await nasBeside(t, full, edge, (login) => cut.push(login))
  const [client] = await signUp(full, 1)
  const { login, account } = client!

  await until(() => edge.parts.access.table.findByName(login) !== null)
  t.match(await nas.signIn(login, linePassword, login), { kind: 'accepted' })
  const sessions = async () =>
    (await full.parts.database.pool.query('SELECT login, node FROM radius_sessions WHERE ended_at IS NULL')).rows
  t.match(await sessions(), [{ login, node: 2 }], 'the session is stored where all nodes see it')
  await full.create('FinanceOperations', { account, op_type: 9, op_summa: 2 * ruble })
  await until(async () => (await nas.signIn(login, linePassword, login)).kind === 'rejected')

  t.equal((await edge.rest('GET', '/healthz')).status, 200)
  t.match(await edge.rest('GET', '/readyz'), { status: 200, body: { status: 'ready' } })
  for (const path of ['/admin/', '/rest_api/v2/Users/', '/system_api/status/', '/cabinet/'])
    t.equal((await fetch(edge.address.http + path)).status, 404, path)
  t.match(await (await fetch(edge.address.metrics)).text(), /^tollgate_access_table_entries 1$/m)
  const nodes = async () => (await full.rest('GET', '/admin/nodes/')).body.nodes
  const shown = await untilAnswer(nodes, ([, tower]) => tower?.radius !== null)
  t.match(shown, [
    { name: 'a', role: 'full' },
    { name: 'tower', role: 'edge', state: 'alive', http: edge.address.http, sessions: Number },
  ])
  const { pool, ledger, accounting } = edge.parts.database
  t.ok(pool.options.max + ledger.options.max + accounting.options.max < 6, 'six connections with the one that lasts')

  const reread = new Promise<void>((resolve) => edge.parts.reads.onUp(resolve))
  await full.parts.database.pool.query(`INSERT INTO node_log (kind) VALUES ('of a newer release')`)
  await reread

  await full.rest('POST', '/admin/nodes/tower/drain/', {})
  await until(async () => (await edge.rest('GET', '/readyz')).body.reason === 'draining')
  t.match(await nas.signIn(login, linePassword, login), { kind: 'rejected' }, 'RADIUS goes on until it is stopped')
})

t.test('an edge beside a standby follows it, and goes on and even starts with the primary away', async (t) => {
  const primary = await ownServer(t)
  const standby = await standbyOf(t, primary)
  const env = { ...key, DATABASE_URL: primary.url }
  const full = await openProgram(t, { ...env, TOLLGATE_NODE: 'a' })
  const edge = await openEdge(t, { ...env, TOLLGATE_NODE: 'tower', TOLLGATE_READ_URL: standby.url })
  const { parts } = edge
  t.not(parts.reads, parts.database)
  const nas = await nasBeside(t, full, edge)
  const [client] = await signUp(full, 1)
  const { login, account } = client!
  const isKnown = () => edge.parts.access.table.findByName(login) !== null
  let accepted = 0
  const signIn = async (at = nas) => {
    const { kind } = await at.signIn(login, linePassword, login)
    if (kind === 'accepted') accepted++
    return kind
  }
  const move = (op_type: number, rubles: number) =>
    full.create('FinanceOperations', { account, op_type, op_summa: rubles * ruble })

  await until(isKnown)
  t.equal(await signIn(), 'accepted', 'what REST has written is followed without a notification')
  await move(9, 2)
  await until(async () => (await signIn()) === 'rejected')
  await move(7, 5)
  await until(async () => (await signIn()) === 'accepted')

  await standby.pause()
  await move(9, 50)
  const reasonOf = (is: RegExp) =>
    untilAnswer(
      async () => (await edge.rest('GET', '/readyz')).body.reason ?? '',
      (reason) => is.test(reason),
    )
  t.match(await reasonOf(/ s behind/), /^The standby at TOLLGATE_READ_URL is \d+ s behind/)
  t.equal(await signIn(), 'accepted', 'until then it does not know better')
  t.match(await (await fetch(edge.address.metrics)).text(), /^tollgate_node_standby_behind_seconds ([5-9]|\d\d)/m)
  await standby.resume()
  await until(async () => (await signIn()) === 'rejected')
  await move(7, 60)
  await until(async () => (await signIn()) === 'accepted')
  await until(async () => (await edge.rest('GET', '/readyz')).status === 200)

  await primary.stop()
  await reasonOf(/^The database is away; accounting goes to the spool\.$/)
  t.equal(await signIn(), 'accepted')
  t.equal(edge.parts.accounting.counts.spooled > 0, true)
  await edge.stop()
  await edge.launch()
  t.equal(edge.parts.nodes!.membership.place.number, notJoined)
  t.ok(isKnown())
  const again = await nasBeside(t, null, edge)
  t.equal(await signIn(again), 'accepted')
  t.equal(edge.parts.accounting.state, 'spooling')
  await primary.start()
  await until(() => edge.parts.accounting.state === 'direct')
  t.match(edge.parts.nodes!.membership.place, { number: 2, epoch: 2 })
  t.equal(edge.parts.spool.bytes, 0)
  const stored = await withConnection(primary.url, (db) =>
    db.query('SELECT count(DISTINCT acct_session_id)::int AS count FROM radius_sessions'),
  )
  t.match(stored.rows, [{ count: accepted }], 'each session that was begun, also those of the spool')

  await standby.promote()
  await until(() => edge.log.some(({ message }) => /is no standby, or was promoted/.test(message)))
  t.equal(await signIn(again), 'accepted')
  await standby.stop()
  await reasonOf(/^The standby at TOLLGATE_READ_URL is away/)
  t.equal(await signIn(again), 'accepted')
  await standby.start()
  await until(() => edge.log.some(({ message }) => /^Another server answers where the log/.test(message)))
  await reasonOf(/ s behind/)
})

async function openEdge(t: Test, env: NodeJS.ProcessEnv): Promise<OpenedEdge> {
  const edge = new OpenedEdge(env)
  t.teardown(async () => {
    await edge.stop()
    edge.remove()
  })
  await edge.launch()
  return edge
}

/** A NAS that asks the edge; its record is made at the full node, unless there is one. */
async function nasBeside(
  t: Test,
  full: OpenedProgram | null,
  { address: { authPort, acctPort } }: OpenedEdge,
  onDisconnected: (login: string) => void = () => {},
): Promise<SimulatedNas> {
  const record = full && (await simulateNas(full, nasIp, () => {}))
  const server = { host: '127.0.0.1', authPort, acctPort }
  const nas = new SimulatedNas({
    ip: nasIp,
    secret: 'testing123',
    coaPort: await freeUdpPort(nasIp),
    server,
    onDisconnected,
  })
  await nas.start()
  t.teardown(() => Promise.all([record?.stop(), nas.stop()]))
  return nas
}
