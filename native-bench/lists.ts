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
  /**
   * Answers to each question at most: fewer to a slow one, whose slowest answer then counts as its p99. One asks
   * hardest, since what a count has found is remembered for the next.
   */
  runs: number
  /** A data folder that is kept, and filled where it is empty. */
  folder?: string
  /** Only questions whose address holds this. */
  only?: string
}

type Measured = Question & {
  /** Milliseconds to the last byte of each answer, which may be that it is counted behind the request. */
  readonly samples: readonly number[]
  /** The same to the whole answer. */
  readonly ready: readonly number[]
  /** Of PostgreSQL and the program for the dearest of the answers, in milliseconds; in steps of ten. */
  readonly cpuMs: number
}

const systemPassword = 'bench-of-the-lists'
const limitMs = 100
/** What takes longer, or is given up by the program, counts as that long. */
const patienceMs = 20_000
/** What is not ready is asked again after so long, and each time after twice as long: as the console does. */
const [soonMs, pauseMostMs] = [10, 320]
/** A question whose answers have taken so long together is not asked again, once it has been asked `runsAtLeast` times. */
const enoughMs = 1_000
const runsAtLeast = 5
/** With a million subscribers a start goes on behind its readiness: it opens passwords and looks for wrong blocks. */
const settlingMs = 30_000

/**
 * Every list door of the OpenAPI document over a million rows, with each sort and filter that it offers: the share of
 * questions whose slowest answer is within the limit, and those that are slowest. The program is asked by HTTP, one
 * question at a time, by somebody who sees all organizations, as the console asks: what counts long is answered with 202
 * and asked again until it is ready, which is told beside it. Remembered counts have to be counted for the first of
 * the answers, which is one of those that p99 is taken of.
 */
export async function measureLists(options: ListsOptions): Promise<Figure[]> {
  const measured = await withProvider(options, (program, pids) => measure(program, pids, options))
  measured.sort((a, b) => p99(b) - p99(a))
  const doors = new Map<string, Measured>()
  for (const one of measured) if (!doors.has(one.door)) doors.set(one.door, one)
  const share = (isOf: (one: Measured) => boolean) => (100 * measured.filter(isOf).length) / measured.length
  const within = (ms: number) => share((one) => p99(one) <= ms)
  const wholeWithin = (ms: number) => share(({ ready }) => percentile(ready, 0.99) <= ms)
  return [
    alone(`lists: questions with p99 ≤ 100 ms, of ${measured.length}`, '%', within(100)),
    alone(`lists: questions with p99 ≤ 300 ms, of ${measured.length}`, '%', within(300)),
    alone('lists: questions whose whole answer has p99 ≤ 100 ms', '%', wholeWithin(100)),
    alone('lists: questions whose whole answer has p99 ≤ 1 s', '%', wholeWithin(1_000)),
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
  await delay(settlingMs)
  for (const question of withBranch([...screenQuestions, ...(await questionsOf(document, doors.ask, only))])) {
    if (!decodeURIComponent(question.path).includes(only)) continue
    const samples: number[] = []
    const ready: number[] = []
    let cpuMs = 0
    const startedMs = performance.now()
    const isEnough = () => samples.length >= runsAtLeast && performance.now() - startedMs > enoughMs
    while (samples.length < runs && !isEnough()) {
      const before = cpuMicroseconds(pids)
      const { firstMs, wholeMs } = await doors.time(question)
      samples.push(firstMs)
      ready.push(wholeMs)
      cpuMs = Math.max(cpuMs, (cpuMicroseconds(pids) - before) / 1000)
    }
    const one = { ...question, samples, ready, cpuMs }
    measured.push(one)
    const wholeMs = percentile(ready, 0.99)
    if (wholeMs > limitMs)
      say(`${p99(one).toFixed(0)} ms, whole ${wholeMs.toFixed(0)} ms, ${cpuMs} ms CPU: ${called(one)}`)
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
  #asked = 0

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

  /** Milliseconds to the last byte of the first answer, and of the one that is not only that it is counted. */
  async time({ path, body, ofBranch = false }: Question): Promise<{ firstMs: number; wholeMs: number }> {
    const startedMs = performance.now()
    const session = ofBranch ? this.#branch : this.#program.session
    const prefers = `respond-async; id=${++this.#asked}`
    let firstMs: number | null = null
    try {
      for (let pauseMs = soonMs; ; pauseMs = Math.min(pauseMs * 2, pauseMostMs)) {
        const response = await this.#fetch(path, body, session, prefers)
        await response.arrayBuffer()
        const wholeMs = performance.now() - startedMs
        firstMs ??= wholeMs
        if (response.status >= 500) return { firstMs: Math.max(firstMs, patienceMs), wholeMs: patienceMs }
        // A value that a lookup does not take is refused, which is an answer too.
        if (response.status >= 400 && body) say(`${response.status}: ${called({ door: '', what: '', path, body })}`)
        if (response.status !== 202) return { firstMs, wholeMs }
        await delay(pauseMs)
      }
    } catch {
      return { firstMs: firstMs ?? patienceMs, wholeMs: patienceMs }
    }
  }

  ask: Ask = async (path) => {
    const body = (await (await this.#fetch(path)).json()) as Row
    const name = rowsIn.find((name) => Array.isArray(body[name]))
    const rows = name ? (body[name] as Row[]) : []
    const cursor = body.next_cursor
    const next = typeof cursor === 'string' ? { cursor } : ((cursor as Row | null | undefined) ?? null)
    return { rows, total: Number(body.count ?? body.total ?? rows.length), next }
  }

  #fetch(path: string, body?: object, session = this.#program.session, prefers?: string): Promise<Response> {
    const headers: Record<string, string> = path.startsWith('/mobile-api/')
      ? { Authorization: `Bearer ${this.#phone}` }
      : path.startsWith('/system_api/')
        ? { 'X-System-Password': systemPassword }
        : { 'X-Session-Hash': session }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    if (sent) Object.assign(headers, { 'Content-Type': 'application/json' })
    if (prefers) Object.assign(headers, { Prefer: prefers })
    return fetch(this.#program.address.http + path, { headers, ...sent, signal: AbortSignal.timeout(patienceMs) })
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '1' },
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
