import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { newToken } from '../src/platform/staff/tokens.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { compiled } from './compiled.ts'
import { alone, type Figure, figureAtMost, ratioAtLeast, type Target } from './figures.ts'
import { cpuMicroseconds } from './processes.ts'

/**
 * GET of one subscriber by REST v2, drawn at random from ten thousand, beside a bare node:http and a bare
 * uWebSockets.js that answer a body of the same size, and beside the program that is served by node:http; also alone: `npx node native-bench/http.ts`. CPU is that of the
 * serving process alone; what PostgreSQL uses for the same GETs is a figure of its own.
 */
const subscribers = 10_000
const firstId = 100_001
const connections = 64
const warmupSeconds = 1

/** Of each the best of the rounds counts, in which all take turns: what the machine can do when nobody disturbs it. */
export type Extent = { rounds: number; seconds: number }

/** A third of what a bare server answers, and a bound on what a GET costs the program. */
const targets = { requests: ratioAtLeast(1 / 3), cpuUs: figureAtMost(45) }

/** Nobody owes anything and nothing is to be charged: no job writes while the load runs. */
const planted = `
  INSERT INTO tarifs (id, name, price) VALUES (1000, 'Домашний 100', 0);
  INSERT INTO user_attributes (id, name, type_id, sorm_field_code) VALUES (1000, 'Документ', 1, 'doc'), (1001, 'Этаж', 2, 'floor');
  INSERT INTO admin_accounts (id) SELECT ${firstId} - 1 + n FROM generate_series(1, ${subscribers}) AS n;
  INSERT INTO abonents (id, name, contract_number, email, sms, account_id, organization_id, tarif_id, address, comment, enabled)
    SELECT ${firstId} - 1 + n, 'Иванов Иван Иванович ' || n, lpad(n::text, 8, '0'), 'client' || n || '@example.ru', '+7900' || lpad(n::text, 7, '0'),
      ${firstId} - 1 + n, 1, 1000, 'Москва, ул. Ленина, ' || n % 300, 'Подключён по заявке ' || n, n % 20 <> 1
    FROM generate_series(1, ${subscribers}) AS n;
  INSERT INTO abonents_block (abonent_id, b_admin) SELECT ${firstId} - 1 + n, true FROM generate_series(1, ${subscribers}, 20) AS n;
  INSERT INTO user_attribute_values (abonent_id, attribute_id, value)
    SELECT ${firstId} - 1 + n, 1000, 'паспорт ' || n FROM generate_series(1, ${subscribers}, 3) AS n;
  ANALYZE`

type Load = { answered: number; wrong: number; seconds: number; p50Ms: number; p99Ms: number; maxMs: number }
type Measured = { cpuUs: number; postgresCpuUs: number; rate: number; p50Ms: number; p99Ms: number }
type Served = { port: number; path: string; beginning: string; headers: readonly string[]; pid: number }

export async function measureHttp({ rounds, seconds }: Extent): Promise<Figure[]> {
  const generator = compiled('http-load', 'http-load', ['http-load'])
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog })
  await migrate({ url: server.url, log: silentLog })
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  // Before the start, so that nobody is following these rows while the load runs.
  await pool.query(planted)
  const order = { DATABASE_URL: server.url, TOLLGATE_SECRET_KEY: randomBytes(32).toString('hex') }
  const program = await new RunningProgram(order).start()
  const byNodeHttp = await new RunningProgram({ ...order, TOLLGATE_HTTP_SERVER: 'node' }).start()
  const peers: ChildProcess[] = []
  const hello = async (kind: 'node' | 'uws', bytes: number): Promise<Served> => {
    const peer = spawn(
      process.execPath,
      [fileURLToPath(new URL('./http-load/hello.ts', import.meta.url)), kind, String(bytes)],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    peers.push(peer)
    const [line] = await once(createInterface({ input: peer.stdout! }), 'line')
    return { port: Number(line), path: '/', beginning: '{"id":0,', headers: [], pid: peer.pid! }
  }
  try {
    const { token, tokenHash } = newToken()
    await pool.query(
      `INSERT INTO api_tokens (staff_id, name, token_hash, scopes) SELECT id, 'bench', $1, '{read}' FROM staff LIMIT 1`,
      [tokenHash],
    )
    const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
    const getOf = (one: RunningProgram) => ({
      port: Number(new URL(one.address.http).port),
      path: '/rest_api/v2/Abonents/%llu/',
      beginning: '{"id":%llu,',
      pid: one.pid,
    })
    const ours = getOf(program)
    const sample = await fetch(`${program.address.http}/rest_api/v2/Abonents/${firstId + 4242}/`, {
      headers: { 'X-Session-Hash': program.session },
    })
    const bytes = (await sample.arrayBuffer()).byteLength
    const bySession = { ...ours, headers: [`X-Session-Hash: ${program.session}`] }
    const byToken = { ...ours, headers: [`Authorization: Bearer ${token}`] }
    const ofNodeHttp = { ...getOf(byNodeHttp), headers: [`X-Session-Hash: ${byNodeHttp.session}`] }
    const [node, uws] = [await hello('node', bytes), await hello('uws', bytes)]
    const found = new Map<Served, Measured>()
    for (let round = 0; round < rounds; round++) {
      for (const served of [bySession, node, byToken, ofNodeHttp, uws]) {
        const measured = await measure(generator, served, postmaster, seconds)
        if (measured.rate > (found.get(served)?.rate ?? 0)) found.set(served, measured)
      }
    }
    const of = (served: Served) => found.get(served)!
    return [
      ...figuresOf('by X-Session-Hash', of(bySession), 'node:http hello', of(node)),
      ...figuresOf('by API token', of(byToken), 'node:http hello', of(node)),
      ...figuresOf('with TOLLGATE_HTTP_SERVER=node', of(ofNodeHttp), 'by X-Session-Hash', of(bySession), {}),
      alone('GET of one subscriber: CPU of PostgreSQL a request', 'µs', of(bySession).postgresCpuUs),
      alone('uWebSockets.js hello: CPU a request', 'µs', of(uws).cpuUs),
    ]
  } finally {
    for (const peer of peers) peer.stdin?.end()
    await pool.end()
    for (const one of [program, byNodeHttp]) {
      await one.stop()
      one.remove()
    }
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(
  generator: string,
  { port, path, beginning, headers, pid }: Served,
  postmaster: number,
  countedSeconds: number,
): Promise<Measured> {
  const words = [
    port,
    connections,
    countedSeconds,
    warmupSeconds,
    path,
    beginning,
    firstId,
    subscribers,
    ...headers,
  ].map(String)
  const child = spawn(generator, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const usedUs = () => [pid, postmaster].map((root) => cpuMicroseconds([root]))
  let before = [0, 0]
  let result: Load | null = null
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line === 'counting') before = usedUs()
    else result = JSON.parse(line) as Load
  }
  const [cpu, postgresCpu] = usedUs().map((us, at) => us - before[at]!)
  if (!result || result.wrong > 0) throw new Error(`The load on ${path} got ${result?.wrong ?? 'no'} wrong answers.`)
  const { answered, seconds, p50Ms, p99Ms } = result
  return { cpuUs: cpu! / answered, postgresCpuUs: postgresCpu! / answered, rate: answered / seconds, p50Ms, p99Ms }
}

function figuresOf(
  by: string,
  ours: Measured,
  peer: string,
  theirs: Measured,
  { cpuUs = null, requests = null }: { readonly cpuUs?: Target | null; readonly requests?: Target | null } = targets,
): Figure[] {
  const figure = (
    what: string,
    unit: string,
    value: (of: Measured) => number,
    promised: Target | null = null,
  ): Figure => ({
    what: `GET of one subscriber ${by}: ${what}`,
    unit,
    ours: value(ours),
    peer,
    theirs: value(theirs),
    target: promised,
  })
  return [
    figure('CPU of the program a request', 'µs', (of) => of.cpuUs, cpuUs),
    figure('requests', '/s', ({ rate }) => rate, requests),
    figure('p50', 'ms', ({ p50Ms }) => p50Ms),
    figure('p99', 'ms', ({ p99Ms }) => p99Ms),
  ]
}

if (import.meta.main) {
  const { table } = await import('./figures.ts')
  process.stdout.write(`${table(await measureHttp({ rounds: 3, seconds: 2 }))}\n`)
  process.exit(0)
}
