import type pg from 'pg'
import { alone, type Figure, figureAtMost, ratioAtLeast, ratioAtMost, type Target } from '../figures.ts'
import { startFreeRadius } from './freeradius.ts'
import { startRadiusDatabase, unstored } from './freeradius-sql.ts'
import type { LoadResult, Measured } from './load.ts'
import { beside, inTurn, type Question, type RoundOptions, type Rounds } from './rounds.ts'
import { nasAddresses } from './subscribers.ts'
import { type Server, startTollgate } from './tollgate.ts'

const users = 10_000

type Row = {
  readonly name: string
  readonly asked: Pick<Question, 'outstanding' | 'rate' | 'sessions'>
  /** Of processor time beside rlm_sql. */
  readonly cpuAtMost: number
  /** Of answers a second beside rlm_sql; null at a rate, which is that of the question. */
  readonly rateAtLeast: number | null
}

/**
 * Closed loops from a provider of some thousand subscribers after a power cut to more than any has. Twice as many
 * sessions as requests, so that a session is always there to go on.
 */
const inFlight = (outstanding: number, cpuAtMost: number, rateAtLeast: number): Row => ({
  name: `accounting, ${outstanding} in flight`,
  asked: { outstanding, sessions: 2 * outstanding },
  cpuAtMost,
  rateAtLeast,
})

/** An ordinary evening: 1,000 a second are 300,000 subscribers at five minutes, who come and go within seconds here. */
const aSecond = (rate: number, cpuAtMost: number): Row => ({
  name: `accounting, ${rate} a second`,
  asked: { rate, sessions: Math.max(sessionsMin, rate / 5) },
  cpuAtMost,
  rateAtLeast: null,
})
/** Two for each socket of the generator. */
const sessionsMin = 32

const rows: readonly Row[] = [
  inFlight(16, 0.25, 2.5),
  inFlight(64, 0.15, 5),
  inFlight(256, 0.1, 7),
  inFlight(1024, 0.1, 7),
  aSecond(100, 0.5),
  aSecond(1_000, 0.3),
  aSecond(5_000, 0.15),
]
const fullLoad = rows[3]!

/** What has been compiled in the first row stays so; later ones only fill their tables and connections. */
const laterWarmUpSeconds = 1

/**
 * Accounting with a start, three updates and a stop of each session, mixed: durable before the answer, beside
 * FreeRADIUS with rlm_sql on a PostgreSQL of the same kind, under way and at rates. PostgreSQL's processor time counts
 * on both sides. Afterwards the tables are asked whether every acknowledged session is there. Latencies are of the
 * rates; in a closed loop they would be nothing but what is under way by the rate.
 */
export async function measureAccounting(options: RoundOptions): Promise<Figure[]> {
  const crowd = { users, nas: nasAddresses(1) }
  const database = await startRadiusDatabase()
  const servers: Server[] = []
  const started = async <S extends Server>(server: Promise<S>): Promise<S> => {
    servers.push(await server)
    return server
  }
  try {
    const stored = await started(startFreeRadius(crowd, { threads: 'pool', accounting: database.accounting }))
    const lost = await started(startFreeRadius(crowd, { threads: 'pool', accounting: unstored }))
    const tollgate = await started(startTollgate(crowd, 2))
    const sql: Server = { ...stored, pids: [...stored.pids, database.pid] }
    const questionOf = ({ asked }: Row): Question => ({ method: 'accounting', nas: crowd.nas[0]!, users, ...asked })
    const found: (Record<'tollgate' | 'sql', Rounds> & { row: Row })[] = []
    for (const row of rows) {
      const isFirst = found.length === 0
      const more = isFirst ? {} : { warmUpSeconds: laterWarmUpSeconds }
      found.push({ row, ...(await inTurn({ tollgate, sql }, questionOf(row), { ...options, ...more })) })
    }
    const ours = found.flatMap((one) => one.tollgate.all)
    await mustHaveStored(tollgate.database, 'radius_sessions', 'ended_at', ours)
    const theirs = found.flatMap((one) => one.sql.all)
    await mustHaveStored(database.client, 'radacct', 'acctstoptime', theirs)
    const unstoredRounds = (await inTurn({ lost }, questionOf(fullLoad), options)).lost
    const atFullLoad = found.find(({ row }) => row === fullLoad)!.tollgate
    return [
      ...found.flatMap(figuresOf),
      beside(fullLoad.name, 'µs CPU', 'FreeRADIUS, not stored', atFullLoad, unstoredRounds, ({ cpu }) => cpu),
      alone(
        'accounting lost',
        'requests',
        ours.reduce((sum, run) => sum + run.lost, 0),
        figureAtMost(0),
      ),
    ]
  } finally {
    for (const server of servers) await server.stop()
    await database.stop()
  }
}

function figuresOf({ row, tollgate, sql }: { row: Row; tollgate: Rounds; sql: Rounds }): Figure[] {
  const { name, cpuAtMost, rateAtLeast } = row
  const figure = (what: string, unit: string, of: (one: Measured) => number, target: Target): Figure =>
    beside(what, unit, 'FreeRADIUS, rlm_sql', tollgate, sql, of, target)
  const cost = figure(name, 'µs CPU', ({ cpu }) => cpu, ratioAtMost(cpuAtMost))
  if (rateAtLeast !== null) return [cost, figure(name, '/s', ({ rate }) => rate, ratioAtLeast(rateAtLeast))]
  return [
    cost,
    figure(`${name}, p50`, 'µs', ({ latency }) => latency.p50, ratioAtMost(1)),
    figure(`${name}, p99`, 'µs', ({ latency }) => latency.p99, ratioAtMost(1)),
  ]
}

/** Throws when the table lacks a start or a stop that was acknowledged. */
async function mustHaveStored(
  database: pg.Client,
  table: 'radius_sessions' | 'radacct',
  ended: string,
  runs: readonly LoadResult[],
): Promise<void> {
  const { rows } = await database.query<{ started: number; stopped: number }>(
    `SELECT count(*)::int4 AS started, count(${ended})::int4 AS stopped FROM ${table}`,
  )
  const sum = (of: (run: LoadResult) => number) => runs.reduce((total, run) => total + of(run), 0)
  const acknowledged = { started: sum(({ started }) => started), stopped: sum(({ stopped }) => stopped) }
  const stored = rows[0]!
  if (stored.started < acknowledged.started || stored.stopped < acknowledged.stopped)
    throw new Error(`${table} has ${JSON.stringify(stored)}, acknowledged were ${JSON.stringify(acknowledged)}.`)
}
