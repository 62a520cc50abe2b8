import type pg from 'pg'
import { alone, type Figure, ratioAtLeast, ratioAtMost } from '../figures.ts'
import { startFreeRadius } from './freeradius.ts'
import { startRadiusDatabase, unstored } from './freeradius-sql.ts'
import type { LoadResult, Measured } from './load.ts'
import { beside, inTurn, type RoundOptions } from './rounds.ts'
import { nasAddresses } from './subscribers.ts'
import { type Server, startTollgate } from './tollgate.ts'

const users = 10_000
/** Requests a second that both sides carry. */
const openRate = 1_000

/**
 * Accounting of 2,000 sessions at a time, each with a start, three updates and a stop, mixed: durable before the
 * answer, beside FreeRADIUS with rlm_sql on a PostgreSQL of the same kind. PostgreSQL's processor time counts on both
 * sides. Afterwards the tables are asked whether every acknowledged session is there. Processor time and rate are of
 * the closed loop with 1,024 requests under way, latencies of the open loop.
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
    const asked = { method: 'accounting', nas: crowd.nas[0]!, users, outstanding: 1024 } as const
    const found = await inTurn({ tollgate, sql, unstored: lost }, asked, options)
    const atRate = await inTurn({ tollgate, sql }, { ...asked, rate: openRate }, options)
    await mustHaveStored(tollgate.database, 'radius_sessions', 'ended_at', [
      ...found.tollgate.all,
      ...atRate.tollgate.all,
    ])
    await mustHaveStored(database.client, 'radacct', 'acctstoptime', [...found.sql.all, ...atRate.sql.all])
    const { tollgate: ours, sql: theirs } = found
    const stock = 'FreeRADIUS, rlm_sql'
    const cpu = ({ cpu }: Measured) => cpu
    return [
      beside('accounting, durable', 'µs CPU', stock, ours, theirs, cpu, ratioAtMost(0.15)),
      beside('accounting, durable', 'µs CPU', 'FreeRADIUS, not stored', ours, found.unstored, cpu),
      beside('accounting, durable', '/s', stock, ours, theirs, ({ rate }) => rate, ratioAtLeast(5)),
      beside(
        `accounting at ${openRate} a second, p50`,
        'µs',
        stock,
        atRate.tollgate,
        atRate.sql,
        (one) => one.latency.p50,
      ),
      beside(
        `accounting at ${openRate} a second, p99`,
        'µs',
        stock,
        atRate.tollgate,
        atRate.sql,
        (one) => one.latency.p99,
      ),
      alone('accounting lost', 'requests', ours.median.lost + atRate.tollgate.median.lost),
    ]
  } finally {
    for (const server of servers) await server.stop()
    await database.stop()
  }
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
