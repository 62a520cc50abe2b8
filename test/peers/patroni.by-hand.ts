import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freeTcpPort } from '../support/free-port.ts'
import { FakeNas } from '../support/nas.ts'
import { signalServer } from '../support/own-server.ts'
import { RunningProgram } from '../support/program.ts'
import { linePassword, ruble, signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { AccessClient } from '../../native-bench/access-client.ts'

/**
 * Two nodes on a PostgreSQL that Patroni keeps, by deploy/patroni.yml and the PostgreSQL part of deploy/haproxy.cfg with
 * their addresses replaced: `node test/peers/patroni.by-hand.ts`. As root on Debian with patroni, etcd-server, haproxy
 * and postgresql; three minutes. It prints how long no payment was
 * answered and how many questions of RADIUS were not, in turn for: PostgreSQL killed, its machine (Patroni too) killed,
 * and its machine frozen. Each payment has a key and is repeated until it is answered; in the end each key that was
 * answered is one operation.
 */

const binaries = execFileSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin | tail -1'], { encoding: 'utf8' }).trim()
const folder = mkdtempSync(join(tmpdir(), 'tollgate-patroni-'))
chmodSync(folder, 0o755)
const children: ChildProcess[] = []
const say = (line: string) => process.stdout.write(`${line}\n`)

function start(name: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (text) => writeFileSync(join(folder, `${name}.log`), text, { flag: 'a' }))
  children.push(child)
  return child
}

/** One machine: Patroni, and what it has started. */
type Machine = { readonly name: string; readonly patroni: ChildProcess; readonly dataDir: string; readonly api: number }

async function startMachine(name: string, etcd: number): Promise<Machine & { readonly port: number }> {
  const [port, api] = [await freeTcpPort(), await freeTcpPort()]
  const home = join(folder, name)
  mkdirSync(home)
  const dataDir = join(home, 'data')
  const own: readonly (readonly [string | RegExp, string])[] = [
    [/^name: pg1$/m, `name: ${name}`],
    [/^ {2}hosts: .*$/m, `  host: 127.0.0.1:${etcd}`],
    [/0\.0\.0\.0:8008/, `127.0.0.1:${api}`],
    [/10\.20\.0\.21:8008/, `127.0.0.1:${api}`],
    [/0\.0\.0\.0:5432/, `127.0.0.1:${port}`],
    [/10\.20\.0\.21:5432/, `127.0.0.1:${port}`],
    [/10\.20\.0\.0\/24/g, '127.0.0.0/8'],
    [/data_dir: .*/, `data_dir: ${dataDir}`],
    [/bin_dir: .*/, `bin_dir: ${binaries}\n  pgpass: ${join(home, 'pgpass')}`],
    [/^watchdog:[\s\S]*$/m, 'watchdog:\n  mode: off\n'],
    [/^postgresql:$/m, `postgresql:\n  parameters:\n    unix_socket_directories: ${home}`],
  ]
  const file = join(home, 'patroni.yml')
  const text = readFileSync('deploy/patroni.yml', 'utf8')
  writeFileSync(
    file,
    own.reduce((changed, [theirs, ours]) => changed.replace(theirs, ours), text),
  )
  execFileSync('chown', ['-R', 'postgres:postgres', home])
  const patroni = start(name, 'setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', 'patroni', file], {
    HOME: home,
  })
  return { name, patroni, dataDir, api, port }
}

type Member = Awaited<ReturnType<typeof startMachine>>

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    ({ status }) => status === 200,
    () => false,
  )

async function until(what: string, is: () => Promise<boolean>, patienceMs = 90_000): Promise<number> {
  const sinceMs = performance.now()
  while (!(await is().catch(() => false))) {
    if (performance.now() - sinceMs > patienceMs) throw new Error(`In vain: ${what}. Logs are in ${folder}.`)
    await pause(100)
  }
  return performance.now() - sinceMs
}

/** Those of deploy/haproxy.cfg for PostgreSQL alone. */
async function startHaproxy(members: readonly Member[]): Promise<number> {
  const port = await freeTcpPort()
  const text = readFileSync('deploy/haproxy.cfg', 'utf8')
  const head = text.slice(0, text.indexOf('frontend http')).replace('maxconn 40000', 'maxconn 400')
  const postgres = text
    .slice(text.indexOf('listen postgres'))
    .replace('127.0.0.1:5000', `127.0.0.1:${port}`)
    .replace(' port 8008', '')
    .replace(
      / {4}server[\s\S]*$/,
      members.map((one) => `    server ${one.name} 127.0.0.1:${one.port} check port ${one.api}\n`).join(''),
    )
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, head + postgres)
  start('haproxy', 'haproxy', ['-db', '-f', file])
  return port
}

/** Pays as fast as it is answered, and notes what no one else knows: which keys were answered, and when. */
class Desk {
  readonly answered: string[] = []
  isOver = false
  longestMs = 0
  #lastMs = performance.now()

  async pay(nodes: readonly RunningProgram[], account: number): Promise<void> {
    for (let number = 0; !this.isOver; number++) {
      const key = `desk-${number}`
      const body = { account, op_type: 7, op_summa: ruble, descr: key, txn: key }
      for (let tried = number; !this.isOver; tried++) {
        const node = nodes[tried % nodes.length]!
        const status = await node.rest('POST', '/rest_api/v2/FinanceOperations/', body).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status === 201 || status === 200) break
        await pause(50)
      }
      this.answered.push(key)
      this.longestMs = Math.max(this.longestMs, performance.now() - this.#lastMs)
      this.#lastMs = performance.now()
    }
  }

  /** The longest time without an answer since the last call. */
  takeLongest(): number {
    const longest = Math.max(this.longestMs, performance.now() - this.#lastMs)
    this.longestMs = 0
    return longest
  }
}

const leaderOf = async (members: readonly Member[]): Promise<Member | null> => {
  for (const one of members) if (await answers(`http://127.0.0.1:${one.api}/primary`)) return one
  return null
}
const postmasterOf = ({ dataDir }: Member): number =>
  Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])

async function main(): Promise<void> {
  const etcd = await freeTcpPort()
  const peer = await freeTcpPort()
  const urls = (port: number) => `http://127.0.0.1:${port}`
  start('etcd', 'etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', urls(etcd), '--advertise-client-urls', urls(etcd)],
    ...['--listen-peer-urls', urls(peer)],
  ])
  const members = [await startMachine('pg1', etcd)]
  await until('a primary', async () => (await leaderOf(members)) !== null)
  members.push(await startMachine('pg2', etcd))
  const isWhole = () => answers(`http://127.0.0.1:${members.find((one) => one !== leader)!.api}/synchronous`)
  let leader = (await leaderOf(members))!
  await until('a synchronous standby', isWhole)
  const admin = new pg.Client({ connectionString: `postgres://postgres:change-me@127.0.0.1:${leader.port}/postgres` })
  await admin.connect()
  await admin.query(`CREATE ROLE tollgate LOGIN PASSWORD 'tollgate'`)
  await admin.query('CREATE DATABASE tollgate OWNER tollgate')
  await admin.end()
  const port = await startHaproxy(members)
  const env = {
    DATABASE_URL: `postgres://tollgate:tollgate@127.0.0.1:${port}/tollgate`,
    TOLLGATE_SECRET_KEY: 'the key of both nodes',
  }
  const nodes = [new RunningProgram(env), new RunningProgram(env)]
  process.on('exit', () => {
    for (const node of nodes) node.signal('SIGKILL')
  })
  // As systemd does: a start that does not reach the database in time is tried again.
  for (const node of nodes) await until('a node', () => node.start().then(() => true))
  const nas = await FakeNas.start({ ip: '127.0.0.51' })
  const { name, ip, secret, coaPort } = nas.entry
  await nodes[0]!.create('Nas', { name, ip, secret, coa_port: coaPort })
  const [client] = await signUp(nodes[0]!, 1)
  const radius = await AccessClient.open(nodes[1]!.address.authPort, secret, ip!)
  const desk = new Desk()
  const paying = desk.pay(nodes, client!.account)
  let [asked, silent] = [0, 0]
  const asking = (async () => {
    while (!desk.isOver) {
      asked++
      const answer = await Promise.race([radius.ask(client!.login, linePassword), pause(1_000, 'silence')])
      if (answer === 'silence') silent++
      await pause(50)
    }
  })()
  await pause(3_000)

  const faults: readonly (readonly [string, (one: Member) => () => void])[] = [
    ['PostgreSQL killed', killServer],
    ['the machine frozen for 40 s', freeze],
    ['the machine killed', killMachine],
  ]
  for (const [what, deed] of faults) {
    desk.takeLongest()
    const count = desk.answered.length
    const mend = deed(leader)
    await pause(40_000)
    mend()
    say(
      `${what}: ${(desk.takeLongest() / 1000).toFixed(1)} s without a payment, then ${desk.answered.length - count}; RADIUS ${silent} of ${asked} unanswered`,
    )
    leader = (await leaderOf(members))!
    say(`the primary is ${leader.name}`)
    if (what !== 'the machine killed') await until('a synchronous standby again', isWhole)
  }
  desk.isOver = true
  await Promise.all([paying, asking])
  radius.close()
  await nas.close()
  await compare(desk, port)
  for (const node of nodes) {
    await node.stop()
    node.remove()
  }
}

function freeze(one: Member): () => void {
  const pids = [one.patroni.pid!, ...signalServer(postmasterOf(one), 'SIGSTOP')]
  process.kill(one.patroni.pid!, 'SIGSTOP')
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

function killServer(one: Member): () => void {
  signalServer(postmasterOf(one), 'SIGKILL')
  return () => {}
}

function killMachine(one: Member): () => void {
  one.patroni.kill('SIGKILL')
  return killServer(one)
}

async function compare(desk: Desk, port: number): Promise<void> {
  const database = new pg.Client({ connectionString: `postgres://tollgate:tollgate@127.0.0.1:${port}/tollgate` })
  await database.connect()
  const { rows } = await database.query(
    `SELECT descr, count(*) FROM finance_operations WHERE op_type_id = 7 GROUP BY descr`,
  )
  await database.end()
  const counts = new Map(rows.map((row) => [row.descr, Number(row.count)]))
  const lost = desk.answered.filter((key) => !counts.has(key))
  const doubled = [...counts].filter(([, count]) => count > 1)
  say(`${desk.answered.length} payments answered, ${lost.length} lost, ${doubled.length} doubled`)
  if (lost.length + doubled.length > 0) process.exitCode = 1
}

try {
  await main()
} finally {
  for (const child of children.reverse()) child.kill('SIGTERM')
  await pause(2_000)
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
