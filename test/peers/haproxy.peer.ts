// needs haproxy from haproxy
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { emptyFolder, Process, query } from '../app/processes.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeTcpPort } from '../support/free-port.ts'
import { openProgram } from '../support/opened-program.ts'
import { RunningProgram, type TestProgram } from '../support/program.ts'
import { type Client, ruble, signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { until } from '../support/until.ts'
import { Watcher } from '../support/watcher.ts'

/** Two nodes behind HAProxy with deploy/haproxy.cfg: one is stopped as for a new version, one is killed. */

/** Where the customers of the balancer come from, so that each node has some of them. */
const sources = ['127.0.0.41', '127.0.0.42', '127.0.0.43', '127.0.0.44']

t.test('no payment with a key is lost or doubled behind HAProxy', async (t) => {
  const env = { DATABASE_URL: await testDatabaseUrl(t), TOLLGATE_SECRET_KEY: 'the key of both nodes' }
  const trust = { TOLLGATE_TRUST_PROXY: '127.0.0.1' }
  const [portA, portB] = [await freeTcpPort(), await freeTcpPort()]
  const envOfA = { ...env, ...trust, TOLLGATE_NODE: 'a', TOLLGATE_HTTP_PORT: String(portA) }
  const a = await openProgram(t, envOfA)
  const b = new RunningProgram({ ...env, ...trust, TOLLGATE_NODE: 'b', TOLLGATE_HTTP_PORT: String(portB) })
  t.teardown(() => b.kill().finally(() => b.remove()))
  await b.start()
  const clients = await signUp(a, sources.length)
  const { front, haproxy } = await balance(t, [portA, portB])
  const desks = sources.map((from, index) => new Desk({ front, from, staff: a, client: clients[index]! }))
  const paying = desks.map((desk) => desk.pay())
  const paid = (count: number) => until(() => desks.every(({ answered }) => answered.length >= count))
  await paid(5)
  const screen = await new Watcher(front, a.session).open(['finance'])
  t.equal((await b.rest('POST', '/admin/nodes/a/drain/', {})).status, 200)
  await haproxy.line(/Server nodes\/a is stopping/)
  await a.stop()
  const before = desks.map(({ answered }) => answered.length)
  await until(() => desks.every(({ answered }, index) => answered.length > before[index]! + 5))
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

/** HAProxy with the file of deploy/, its addresses replaced by ours. */
async function balance(t: Test, [portA, portB]: readonly [number, number]) {
  const [front, postgres] = [await freeTcpPort(), await freeTcpPort()]
  const file = join(emptyFolder(t), 'haproxy.cfg')
  const text = readFileSync('deploy/haproxy.cfg', 'utf8')
  const own: readonly (readonly [string, string])[] = [
    ['maxconn 40000', 'maxconn 400'],
    ['bind :80', `bind 127.0.0.1:${front}`],
    ['10.20.0.11:8080', `127.0.0.1:${portA}`],
    ['10.20.0.12:8080', `127.0.0.1:${portB}`],
    ['127.0.0.1:5000', `127.0.0.1:${postgres}`],
    ['10.20.0.21', '127.0.0.1'],
    ['10.20.0.22', '127.0.0.1'],
  ]
  for (const [theirs] of own) t.ok(text.includes(theirs), `deploy/haproxy.cfg has ${theirs}`)
  writeFileSync(
    file,
    own.reduce((changed, [theirs, ours]) => changed.replaceAll(theirs, ours), text),
  )
  const haproxy = new Process(t, ['-db', '-f', file], {}, 'haproxy')
  const address = `http://127.0.0.1:${front}`
  const isThere = () =>
    fetch(`${address}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await until(isThere)
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

type DeskParts = { readonly front: string; readonly from: string; readonly staff: TestProgram; readonly client: Client }

/** Pays one after the other, each under a key of its own, which is sent again until it is answered. */
class Desk {
  readonly parts: DeskParts
  readonly answered: { readonly key: string; readonly operation: number; readonly atMs: number }[] = []
  /** What was no answer. */
  readonly failures: (number | string)[] = []
  isOver = false
  #asked = 0
  readonly #agent: Agent

  constructor(parts: DeskParts) {
    this.parts = parts
    this.#agent = new Agent({ keepAlive: true, localAddress: parts.from, maxSockets: 1 })
  }

  async pay(): Promise<void> {
    const { front, from, staff, client } = this.parts
    while (!this.isOver) {
      const key = `${from}-${this.#asked++}`
      const body = { account: client.account, op_type: 7, op_summa: ruble, descr: key, txn: key }
      for (;;) {
        const answer = await post(`${front}/rest_api/v2/FinanceOperations/`, this.#agent, staff.session, body)
        if (answer.status === 201 || answer.status === 200) {
          this.answered.push({ key, operation: answer.operation, atMs: performance.now() })
          break
        }
        this.failures.push(answer.status)
        await pause(50)
      }
    }
    this.#agent.destroy()
  }

  longestGapMs(sinceMs: number): number {
    const times = [sinceMs, ...this.answered.map(({ atMs }) => atMs).filter((atMs) => atMs > sinceMs)]
    return Math.max(...times.slice(1).map((atMs, index) => atMs - times[index]!))
  }
}

type Posted = { readonly status: number | string; readonly operation: number }

function post(url: string, agent: Agent, session: string, body: object): Promise<Posted> {
  return new Promise((resolve) => {
    const headers = { 'X-Session-Hash': session, 'Content-Type': 'application/json' }
    const asking = request(url, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => {
        const isTaken = answer.statusCode === 201 || answer.statusCode === 200
        resolve({ status: answer.statusCode!, operation: isTaken ? JSON.parse(text).op_id : 0 })
      })
      answer.on('error', (error) => resolve({ status: error.message, operation: 0 }))
    })
    asking.on('error', (error) => resolve({ status: error.message, operation: 0 }))
    asking.end(JSON.stringify(body))
  })
}
