// needs haproxy from haproxy
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, Process, query } from '../app/processes.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeTcpPort } from '../support/free-port.ts'
import { openProgram } from '../support/opened-program.ts'
import { Desk, deskSources, haproxyConfig, isReady } from '../support/haproxy.ts'
import { RunningProgram } from '../support/program.ts'
import { signUp } from '../support/provider.ts'
import { until } from '../support/until.ts'
import { Watcher } from '../support/watcher.ts'

/** Two nodes behind HAProxy with deploy/haproxy.cfg: one is stopped as for a new version, one is killed. */

t.test('no payment with a key is lost or doubled behind HAProxy', async (t) => {
  const env = { DATABASE_URL: await testDatabaseUrl(t), TOLLGATE_SECRET_KEY: 'the key of both nodes' }
  const trust = { TOLLGATE_TRUST_PROXY: '127.0.0.1' }
  const [portA, portB] = [await freeTcpPort(), await freeTcpPort()]
  const envOfA = { ...env, ...trust, TOLLGATE_NODE: 'a', TOLLGATE_HTTP_PORT: String(portA) }
  const a = await openProgram(t, envOfA)
  const b = new RunningProgram({ ...env, ...trust, TOLLGATE_NODE: 'b', TOLLGATE_HTTP_PORT: String(portB) })
  t.teardown(() => b.kill().finally(() => b.remove()))
  await b.start()
  const clients = await signUp(a, deskSources.length)
  const { front, haproxy } = await balance(t, [await longWay(t, portA), portB])
  const desks = deskSources.map(
    (from, index) => new Desk({ front, from, session: a.session, account: clients[index]!.account }),
  )
  const paying = desks.map((desk) => desk.pay())
  const paid = (count: number) => until(() => desks.every(({ answered }) => answered.length >= count))
  await paid(5)
  const screen = await new Watcher(front, a.session).open(['finance'])
  t.equal((await b.rest('POST', '/admin/nodes/a/drain/', {})).status, 200)
  await haproxy.line(/Server nodes\/a is stopping/)
  await a.stop()
  const before = desks.map(({ answered }) => answered.length)
  await until(() => desks.every(({ answered }, index) => answered.length > before[index]! + 5))
  // One that a busy machine keeps from answering for two seconds is taken for dead, and loses its connections.
  if (haproxy.lines.some((line) => /Server nodes\/b is DOWN/.test(line))) t.comment('the other node was taken for dead')
  else
    t.same(
      desks.flatMap(({ failures }) => failures),
      [],
      'a node that is drained and stopped fails no request',
    )
  screen.close()

  await openProgram(t, envOfA)
  await haproxy.line(/Server nodes\/a is UP/)
  await b.kill()
  const killedAtMs = performance.now()
  const then = desks.map(({ answered }) => answered.length)
  await until(() => desks.every(({ answered }, index) => answered.length > then[index]! + 3))
  for (const desk of desks) desk.isOver = true
  await Promise.all(paying)
  const gapMs = Math.max(...desks.map((desk) => desk.longestGapMs(killedAtMs)))
  const failures = desks.flatMap((desk) => desk.failures)
  t.comment(`killed: the longest gap ${Math.round(gapMs)} ms, ${failures.length} requests to be repeated`)
  await t.test('each key is one operation', (t) => compare(t, env.DATABASE_URL, desks))
})

/** How long what HAProxy sends is under way. */
const wayMs = 100

/**
 * A way to a node on which requests are under way for a while. So some of them, which HAProxy sent before it knew that
 * the node is draining, arrive when the node has been told to stop.
 */
async function longWay(t: Test, port: number): Promise<number> {
  const ends = new Set<Socket>()
  const way = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true })
    for (const end of [near, far]) ends.add(end.on('error', () => {}).on('close', () => ends.delete(end)))
    // Who is refused at the end of the way is refused at its beginning.
    far.on('error', () => near.resetAndDestroy()).on('data', (part) => near.write(part))
    far.on('close', () => near.destroy())
    near.on('data', (part) => setTimeout(() => far.write(part), wayMs))
    near.on('close', () => setTimeout(() => far.destroy(), wayMs))
  })
  t.teardown(() => {
    way.close()
    for (const end of ends) end.destroy()
  })
  await once(way.listen(0, '127.0.0.1'), 'listening')
  return (way.address() as AddressInfo).port
}

/** HAProxy with the file of deploy/, its addresses replaced by ours. */
async function balance(t: Test, nodes: readonly [number, number]) {
  const front = await freeTcpPort()
  const file = join(emptyFolder(t), 'haproxy.cfg')
  writeFileSync(file, haproxyConfig({ front, nodes, postgres: await freeTcpPort() }))
  const haproxy = new Process(t, ['-db', '-f', file], {}, 'haproxy')
  const address = `http://127.0.0.1:${front}`
  await until(() => isReady(address))
  return { front: address, haproxy }
}

/** A key that was answered is one operation, the one that the answer named, and so is one that was repeated. */
async function compare(t: Test, url: string, desks: readonly Desk[]): Promise<void> {
  const rows = await query(url, 'SELECT op_id, descr FROM finance_operations')
  const answered = desks.flatMap((desk) => desk.answered)
  t.same(
    rows.map(({ op_id, descr }) => `${descr} ${op_id}`).sort(),
    answered.map(({ key, operation }) => `${key} ${operation}`).sort(),
  )
}
