import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { secretsIn } from '../test/support/secrets.ts'
import { alone, type Figure, figureAtMost, percentile, table } from './figures.ts'
import { fill, password } from './lists/fill.ts'
import { cpuMicroseconds } from './processes.ts'
import { postmasterPid } from './radius/tollgate.ts'
import { signInBranch } from './lists/branch.ts'
import { type Ask, type Question, questionsOf, type Row, rowsIn } from './lists/questions.ts'
import { screenQuestions } from './lists/screens.ts'

type ListsOptions = {
  /** In each table that grows. */
  rows: number
  /** Answers to each question at most: fewer to a slow one, whose slowest answer then counts as its p99. */
  runs: number
  /** A data folder that is kept, and filled where it is empty. */
  folder?: string
  /** Only questions whose address holds this. */
  only?: string
}

type Measured = Question & {
  /** Milliseconds to the last byte of each answer. */
  readonly samples: readonly number[]
  /** Of PostgreSQL and the program for the dearest of the answers, in milliseconds; in steps of ten. */
  readonly cpuMs: number
}

const systemPassword = 'bench-of-the-lists'
const limitMs = 100
/** What takes longer, or is given up by the program, counts as that long. */
const patienceMs = 20_000
/** A question whose answers have taken so long together is not asked again, once it has been asked `runsAtLeast` times. */
const enoughMs = 1_000
const runsAtLeast = 5

/**
 * Every list door of the OpenAPI document over a million rows, with each sort and filter that it offers: the share of
 * questions whose slowest answer is within the limit, and those that are slowest. The program is asked by HTTP, one
 * question at a time, by somebody who sees all organizations. Remembered counts have to be counted for the first of
 * the answers, which is one of those that p99 is taken of.
 */
export async function measureLists(options: ListsOptions): Promise<Figure[]> {
  const measured = await withProvider(options, (program, pids) => measure(program, pids, options))
  measured.sort((a, b) => p99(b) - p99(a))
  const doors = new Map<string, Measured>()
  for (const one of measured) if (!doors.has(one.door)) doors.set(one.door, one)
  const within = (ms: number) => (100 * measured.filter((one) => p99(one) <= ms).length) / measured.length
  return [
    alone(`lists: questions with p99 ≤ 100 ms, of ${measured.length}`, '%', within(100)),
    alone(`lists: questions with p99 ≤ 300 ms, of ${measured.length}`, '%', within(300)),
    ...[...doors.values()].map((one) =>
      alone(
        `${one.door}: ${one.what}${one.ofBranch ? ', of one organization' : ''}, p99`,
        'ms',
        p99(one),
        figureAtMost(limitMs),
      ),
    ),
    ...measured
      .slice(0, 40)
      .filter((one) => doors.get(one.door) !== one)
      .map((one) =>
        alone(
          `${one.door}: ${one.what}${one.ofBranch ? ', of one organization' : ''}, p99`,
          'ms',
          p99(one),
          figureAtMost(limitMs),
        ),
      ),
  ]
}

const p99 = ({ samples }: Measured): number => percentile(samples, 0.99)

/** A program on a provider of so many subscribers, in a folder that is kept where one is named. */
export async function withProvider<T>(
  { rows, folder }: Pick<ListsOptions, 'rows' | 'folder'>,
  work: (program: RunningProgram, pids: readonly number[]) => Promise<T>,
): Promise<T> {
  const dataDir = folder ?? newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog })
  const program = new RunningProgram(
    { DATABASE_URL: server.url, TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword },
    dataDir,
  )
  try {
    await migrate({ url: server.url, log: silentLog })
    const database = new pg.Client({ connectionString: server.url })
    // What is wrong is told by the query.
    database.on('error', () => {})
    await database.connect()
    const { rowCount } = await database.query('SELECT FROM finance_operations LIMIT 1')
    if (rowCount === 0) await fill(database, secretsIn(dataDir), rows)
    await database.end()
    await program.start()
    return await work(program, [program.pid, postmasterPid(dataDir)])
  } finally {
    await program.stop()
    await server.stop()
    if (folder === undefined) program.remove()
  }
}

async function measure(
  program: RunningProgram,
  pids: readonly number[],
  { runs, only = '' }: ListsOptions,
): Promise<Measured[]> {
  const doors = new Doors(program)
  await doors.signIn()
  const { body: document } = await program.rest('GET', '/admin/api/openapi.json')
  const measured: Measured[] = []
  for (const question of withBranch([...screenQuestions, ...(await questionsOf(document, doors.ask, only))])) {
    if (!decodeURIComponent(question.path).includes(only)) continue
    const samples: number[] = []
    let cpuMs = 0
    const startedMs = performance.now()
    const isEnough = () => samples.length >= runsAtLeast && performance.now() - startedMs > enoughMs
    while (samples.length < runs && !isEnough()) {
      const before = cpuMicroseconds(pids)
      samples.push(await doors.time(question))
      cpuMs = Math.max(cpuMs, (cpuMicroseconds(pids) - before) / 1000)
      await doors.settled(question)
    }
    const one = { ...question, samples, cpuMs }
    measured.push(one)
    if (p99(one) > limitMs) say(`${p99(one).toFixed(0)} ms, ${cpuMs} ms CPU: ${called(one)}`)
  }
  return measured
}

/** What the office is asked is asked by staff of one organization too. */
const withBranch = (questions: readonly Question[]): Question[] =>
  questions.flatMap((question) =>
    question.path.startsWith('/admin/') ? [question, { ...question, ofBranch: true }] : [question],
  )

const called = ({ path, body, ofBranch }: Question): string =>
  [decodeURIComponent(path), body && JSON.stringify(body), ofBranch && 'of one organization'].filter(Boolean).join(' ')

/** The doors of the program, each asked by who may ask it. */
class Doors {
  readonly #program: RunningProgram
  #phone = ''
  #branch = ''

  constructor(program: RunningProgram) {
    this.#program = program
  }

  /** Of the first subscriber. */
  async signIn(): Promise<void> {
    const body = { contract: 'user1', password }
    const signedIn = await this.#program.rest('POST', '/mobile-api/v1/auth/login/', body)
    this.#phone = signedIn.body.access
    this.#branch = await signInBranch(this.#program)
  }

  /** Milliseconds to the last byte. */
  async time({ path, body, ofBranch = false }: Question): Promise<number> {
    const startedMs = performance.now()
    const session = ofBranch ? this.#branch : this.#program.session
    try {
      const response = await this.#fetch(path, body, session)
      await response.arrayBuffer()
      // A value that a lookup does not take is refused, which is an answer too.
      if (response.status >= 400 && body) say(`${response.status}: ${called({ door: '', what: '', path, body })}`)
      return response.status >= 500 ? patienceMs : performance.now() - startedMs
    } catch {
      return patienceMs
    }
  }

  /** What is counted behind the request would be taken for the work of the next question. */
  async settled({ path, body, ofBranch = false }: Question): Promise<void> {
    if (!body) return
    const session = ofBranch ? this.#branch : this.#program.session
    while ((await this.#fetch(path, body, session)).status === 202) await delay(100)
  }

  ask: Ask = async (path) => {
    const body = (await (await this.#fetch(path)).json()) as Row
    const name = rowsIn.find((name) => Array.isArray(body[name]))
    const rows = name ? (body[name] as Row[]) : []
    const cursor = body.next_cursor
    const next = typeof cursor === 'string' ? { cursor } : ((cursor as Row | null | undefined) ?? null)
    return { rows, total: Number(body.count ?? body.total ?? rows.length), next }
  }

  #fetch(path: string, body?: object, session = this.#program.session): Promise<Response> {
    const headers: Record<string, string> = path.startsWith('/mobile-api/')
      ? { Authorization: `Bearer ${this.#phone}` }
      : path.startsWith('/system_api/')
        ? { 'X-System-Password': systemPassword }
        : { 'X-Session-Hash': session }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    // A preview that takes long is asked for as the console does: its answer says that the counting goes on.
    if (sent) Object.assign(headers, { 'Content-Type': 'application/json', Prefer: 'respond-async' })
    return fetch(this.#program.address.http + path, { headers, ...sent, signal: AbortSignal.timeout(patienceMs) })
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '20' },
      folder: { type: 'string' },
      only: { type: 'string' },
    },
  })
  const { folder, only } = values
  const figures = await measureLists({
    rows: Number(values.rows),
    runs: Number(values.runs),
    ...(folder !== undefined && { folder }),
    ...(only !== undefined && { only }),
  })
  process.stdout.write(`${table(figures)}\n`)
}
