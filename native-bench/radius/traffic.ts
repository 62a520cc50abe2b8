import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { Events } from '../../src/domain/events.ts'
import { Accounting } from '../../src/network/radius/accounting/accounting.ts'
import { AccountingStore } from '../../src/network/radius/accounting/accounting-store.ts'
import { SessionTable } from '../../src/network/radius/accounting/session-table.ts'
import { Spool } from '../../src/network/radius/accounting/spool.ts'
import { followingZone } from '../../src/network/radius/traffic/local-days.ts'
import { TrafficCounter } from '../../src/network/radius/traffic/traffic-counter.ts'
import { TrafficStore } from '../../src/network/radius/traffic/traffic-store.ts'
import type { AccountingBatch } from '../../src/network/radius/worker/messages.ts'
import { systemClock } from '../../src/platform/actors/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { migrate } from '../../src/platform/storage/migrate.ts'
import { type Attribute, accountingRequest, batchOf } from '../../test/support/nas.ts'
import { newDataDir } from '../../test/support/data-folder.ts'
import { alone, type Figure, percentile, ratioAtMost } from '../figures.ts'
import { cpuMicroseconds } from '../processes.ts'
import { postmasterPid } from './tollgate.ts'

type Options = { readonly sessions: number; readonly rounds: number }

/** Records under way at a time: groups of an evening at a million sessions. */
const atOnce = 32

/**
 * What the series of traffic costs a record of accounting: every session reports once, and all that this makes is
 * written, as within five minutes at a million sessions, where a block is written with about as many reports as here.
 * The same with and without the series in turn, each on a database of its own, by the processor time of everything.
 * Autovacuum would come to one of the two databases or to the other; so what the series makes is vacuumed in each round
 * and counted, and the sessions, which are written alike on both sides, are vacuumed between the rounds.
 */
export async function measureTraffic({ sessions, rounds }: Options): Promise<Figure[]> {
  const sides = { with: await openSide(sessions, true), without: await openSide(sessions, false) }
  try {
    const costs = { with: [] as number[], without: [] as number[] }
    for (let round = 0; round <= rounds; round++)
      for (const name of ['with', 'without'] as const) {
        const cost = await sides[name].reportAll(round + 1)
        // The first round compiles and fills caches.
        if (round > 0) costs[name].push(cost)
      }
    const cost = { what: 'record of accounting with the series of its login', unit: 'µs CPU' }
    return [
      {
        ...cost,
        ours: percentile(costs.with, 0.5),
        peer: 'without the series',
        theirs: percentile(costs.without, 0.5),
        target: ratioAtMost(1.05),
      },
      alone('of a record in the series', 'bytes', await sides.with.seriesBytes(rounds + 1)),
    ]
  } finally {
    await sides.with.close()
    await sides.without.close()
  }
}

async function openSide(sessions: number, hasSeries: boolean) {
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog })
  await migrate({ url: server.url, log: silentLog })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await fill(client, sessions)
  await client.query('ALTER SYSTEM SET autovacuum = off')
  await client.query('SELECT pg_reload_conf()')
  const database = await openDatabase({ url: server.url, log: silentLog })
  const table = new SessionTable()
  const counter = new TrafficCounter({
    store: new TrafficStore(database.pool),
    sessions: table,
    days: followingZone(() => 'Europe/Moscow'),
    isUp: () => true,
    nextSessionId: () => accounting.nextSessionId,
    askToSettle: () => accounting.settleOctets(),
    clock: systemClock,
    log: silentLog,
  })
  const accounting: Accounting = new Accounting({
    store: new AccountingStore(database.accounting),
    spool: await Spool.open(join(dataDir, 'spool'), silentLog),
    sessions: table,
    events: new Events(() => {}),
    listener: { sessionStarted: () => true, sessionMoved: () => {}, sessionStopped: () => {} },
    isUp: () => true,
    nasIp: () => '127.0.0.1',
    disconnect: async () => {},
    sessionSecondsOf: () => 0,
    interimSeconds: () => 300,
    onInterimsLearned: () => {},
    ...(hasSeries && { octets: counter }),
    clock: systemClock,
    log: silentLog,
  })
  await accounting.start()
  if (hasSeries) await counter.flush()
  const pids = [process.pid, postmasterPid(dataDir)]
  return {
    reportAll: async (round: number): Promise<number> => {
      const batches = batchesOf(sessions, round)
      collectGarbage()
      const before = cpuMicroseconds(pids)
      for (const batch of batches) await accounting.sink(batch)
      if (hasSeries) {
        await counter.flush()
        await client.query('VACUUM traffic_marks')
      }
      const spent = cpuMicroseconds(pids) - before
      await client.query('VACUUM radius_sessions')
      return spent / sessions
    },
    seriesBytes: async (reported: number): Promise<number> => {
      const { rows } = await client.query<{ bytes: string }>(
        `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relname ~ '^traffic_steps_\\d$'`,
      )
      return Number(rows[0]!.bytes) / (reported * sessions)
    },
    close: async () => {
      await accounting.stop()
      await database.close()
      await client.end()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** So that neither side pays for what the making of the requests has left behind. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

const loginOf = (number: number): string => `user${number + 1}`

/** Some megabits a second down and a tenth of that up. */
const octetsOf = (number: number, round: number) => {
  const down = round * (20_000_000 + ((number * 7_919) % 100_000_000))
  return { down, up: Math.floor(down / 10) }
}

function batchesOf(sessions: number, round: number): AccountingBatch[] {
  const batches: AccountingBatch[] = []
  for (let from = 0; from < sessions; from += atOnce) {
    const count = Math.min(atOnce, sessions - from)
    batches.push(batchOf(Array.from({ length: count }, (_, index) => report(from + index, round))))
  }
  return batches
}

function report(number: number, round: number) {
  const { down, up } = octetsOf(number, round)
  const attributes: Attribute[] = [
    [40, 3],
    [1, loginOf(number)],
    [44, `S${number}`],
    [46, round * 300],
    [42, up % 2 ** 32],
    [43, down % 2 ** 32],
    [52, Math.floor(up / 2 ** 32)],
    [53, Math.floor(down / 2 ** 32)],
  ]
  return { nas: 1, packet: accountingRequest('secret', attributes) }
}

async function fill(client: pg.Client, count: number): Promise<void> {
  await client.query('SET session_replication_role = replica')
  await client.query(`INSERT INTO nas (id, name, ip, secret) VALUES (1, 'nas', '127.0.0.1', 'secret')`)
  await client.query(
    `INSERT INTO radius_sessions (id, login, user_id, nas_id, nas_ip, acct_session_id, started_at, updated_at)
      SELECT n, 'user' || n, n, 1, '127.0.0.1', 'S' || n - 1, now(), now() FROM generate_series(1, $1::int4) n`,
    [count],
  )
  await client.query(`INSERT INTO radius_live_sessions SELECT id, nas_id FROM radius_sessions`)
  await client.query(`SELECT setval('radius_sessions_id_seq', $1)`, [count])
  await client.query('SET session_replication_role = DEFAULT')
  await client.query('VACUUM ANALYZE')
}
