import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { RunningProgram } from '../test/support/program.ts'
import { alone, type Figure, figureAtMost, percentile, table } from './figures.ts'
import { withoutIndexes } from './filling.ts'
import { withProvider } from './lists.ts'
import { cpuMicroseconds } from './processes.ts'

type ReportsOptions = {
  /** A tenth of them are subscribers, no more than 100,000. */
  operations: number
  /** Answers to each question. */
  asked: number
  /** A data folder that is kept, and filled where it is empty. */
  folder?: string
}

const targetMs = 1_000
/** Node's fetch gives up after 300 s without an answer. */
const requestMsMax = 290_000
const insertedAtOnce = 250_000
/** As much as comes in a minute of a busy hour before the sums have it. */
const freshOperations = 500

/**
 * Reports over a year of operations: how long it takes to sum all of them up and to prove the sums, and every report of
 * the console with the sums complete, and again with operations that are in no sum yet. Beside it is the same question
 * asked of the operations themselves.
 */
export async function measureReports({ operations, asked, folder }: ReportsOptions): Promise<Figure[]> {
  const rows = Math.min(100_000, Math.ceil(operations / 10))
  return await withProvider({ rows, ...(folder !== undefined && { folder }) }, async (program, pids) => {
    const database = new pg.Client({ connectionString: program.databaseUrl! })
    await database.connect()
    try {
      await fillUp(database, operations)
      const job = (name: string) => timed(() => runJob(program, name), pids)
      const rolled = await job('roll_up_reports')
      const proven = await job('verify_reports')
      await database.query('ANALYZE report_sums, report_plain_sums')
      const { rows: kept } = await database.query<{ sums: number; plain: number }>(
        'SELECT (SELECT count(*) FROM report_sums)::int4 AS sums, (SELECT count(*) FROM report_plain_sums)::int4 AS plain',
      )
      const figures = [
        alone(`${operations} operations summed up`, 's', rolled.ms / 1_000),
        alone(`${operations} operations summed up, CPU`, 's', rolled.cpuMs / 1_000),
        alone(`${operations} operations: sums by everything`, 'rows', kept[0]!.sums),
        alone(`${operations} operations: sums without the tariff`, 'rows', kept[0]!.plain),
        alone(`${operations} operations proven`, 's', proven.ms / 1_000),
        ...(await ask(program, asked, '')),
      ]
      await insert(database, freshOperations, { from: 0, to: 0 })
      figures.push(...(await ask(program, asked, `, ${freshOperations} operations in no sum`)), await plain(database))
      return figures
    } finally {
      await database.end()
    }
  })
}

/** Until there are so many: a year of them, the newest of now. */
export async function fillUp(database: pg.Client, operations: number): Promise<void> {
  const { rows } = await database.query<{ count: number }>('SELECT count(*)::int4 AS count FROM finance_operations')
  const missing = operations - rows[0]!.count
  if (missing <= 0) return
  await withoutIndexes(database, 'finance_operations', async () => {
    for (let done = 0; done < missing; done += insertedAtOnce) {
      const count = Math.min(missing - done, insertedAtOnce)
      await insert(database, count, { from: 1 - done / missing, to: 1 - (done + count) / missing })
    }
  })
  await database.query('VACUUM ANALYZE finance_operations')
}

/** Charges, payments of two gateways, by hand and of a cashier, evenly between two moments in years before now. */
async function insert(database: pg.Client, count: number, ago: { from: number; to: number }): Promise<void> {
  await database.query(
    `INSERT INTO finance_operations (op_date, system_date, op_summa, op_type_id, abonent_id, account_id, owner_id, descr, operator_name, organization_id)
      SELECT at, at, (CASE WHEN n % 10 < 5 THEN -1 ELSE 1 END) * (100 + n % 900) * 10000000000,
        (ARRAY[32, 32, 32, 32, 3, 23, 23, 24, 7, 40])[n % 10 + 1], client.id, client.account_id,
        CASE WHEN n % 10 > 7 THEN (SELECT min(id) FROM staff) END, 'Operation ' || n,
        (ARRAY[NULL, NULL, NULL, NULL, NULL, 'gwa', 'gwa', 'gwb', NULL, NULL])[n % 10 + 1], client.organization_id
      FROM (SELECT n, now() - interval '365 days' * ($2::float8 + ($3::float8 - $2::float8) * n / $1::float8) AS at
          FROM generate_series(1, $1::int4) AS n) AS moment
        JOIN abonents AS client ON client.id = 1 + (n::int8 * 7919) % (SELECT max(id) FROM abonents)`,
    [count, ago.from, ago.to],
  )
}

async function timed(work: () => Promise<void>, pids: readonly number[]): Promise<{ ms: number; cpuMs: number }> {
  const [startedMs, before] = [performance.now(), cpuMicroseconds(pids)]
  await work()
  return { ms: performance.now() - startedMs, cpuMs: (cpuMicroseconds(pids) - before) / 1_000 }
}

/** A run in progress is joined, so one that takes longer than fetch waits is asked for again. */
async function runJob(program: RunningProgram, name: string): Promise<void> {
  for (;;) {
    const startedMs = performance.now()
    try {
      const { status, body } = await program.rest('POST', `/admin/jobs/${name}/run/`)
      if (status === 200) return
      throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    } catch (error) {
      if (performance.now() - startedMs < requestMsMax) throw error
    }
  }
}

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const year = `date_from=${day(364)}&date_to=${day(-1)}`
const month = `date_from=${day(30)}&date_to=${day(-1)}`

const questions: readonly (readonly [what: string, path: string])[] = [
  ...['type', 'day', 'channel', 'cashier', 'tariff', 'organization'].map(
    (by) => [`a month by ${by}`, `movements/?by=${by}&${month}`] as const,
  ),
  ['a year by month, across types', `movements/?by=month&across=type&${year}`],
  ['a year by day', `movements/?by=day&${year}`],
  ['a year by tariff, across months', `movements/?by=tariff&across=month&${year}`],
  ['a year by day, across tariffs', `movements/?by=day&across=tariff&${year}`],
  ['new and lost, revenue a subscriber', 'subscribers/'],
  ['debts by age', 'debts/'],
]

async function ask(program: RunningProgram, asked: number, when: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [what, path] of questions) {
    const samples: number[] = []
    for (let n = 0; n < asked; n++) {
      const startedMs = performance.now()
      const { status, body } = await program.rest('GET', `/admin/reports/${path}`)
      samples.push(performance.now() - startedMs)
      if (status !== 200 || body.items.length === 0) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    }
    figures.push(
      alone(`report, ${what}${when}, p50`, 'ms', percentile(samples, 0.5)),
      alone(`report, ${what}${when}, slowest`, 'ms', Math.max(...samples), figureAtMost(targetMs)),
    )
  }
  return figures
}

/** A report by type of a year as it would be without sums. */
async function plain(database: pg.Client): Promise<Figure> {
  const startedMs = performance.now()
  await database.query(
    `SELECT op_type_id, sum(op_summa) FROM finance_operations WHERE isbuhdoc AND op_date >= $1 GROUP BY op_type_id`,
    [day(364)],
  )
  return alone('a year by type, by SQL over the operations', 'ms', performance.now() - startedMs)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      operations: { type: 'string', default: '10000000' },
      asked: { type: 'string', default: '20' },
      folder: { type: 'string' },
    },
  })
  const { operations, asked, folder } = values
  const options = { operations: Number(operations), asked: Number(asked), ...(folder !== undefined && { folder }) }
  process.stdout.write(`${table(await measureReports(options))}\n`)
}
