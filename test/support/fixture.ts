import { rmSync } from 'node:fs'
import { type Base, openBase } from '../../src/app/base.ts'
import { readConfig } from '../../src/app/config.ts'
import { type Ledger, openLedger } from '../../src/app/ledger.ts'
import type { OfficeWaits } from '../../src/app/office.ts'
import { openParts, type Parts } from '../../src/app/program.ts'
import { Stops } from '../../src/app/stops.ts'
import { SessionTable } from '../../src/network/radius/accounting/session-table.ts'
import type { Clock } from '../../src/platform/actors/clock.ts'
import { createLog, type Log, silentLog } from '../../src/platform/log.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { clientSecrets } from './clients.ts'
import { SharedDatabase } from './database.ts'
import { newDataDir } from './data-folder.ts'
import { publishFixture } from './published.ts'
import { SteadyClock } from './steady-clock.ts'

type Teardown = { teardown(close: () => unknown): unknown }

export type FixtureOptions = {
  /** On top of free loopback ports and a data folder of its own. */
  readonly env?: Readonly<Record<string, string>>
  /** In place of a free one. */
  readonly httpPort?: number
  readonly clock?: Clock
  readonly log?: Log
  readonly waits?: OfficeWaits
  /** One that the tests of the file have one after the other. */
  readonly shared?: SharedDatabase | undefined
  /** Of the test's own, for one that looks at pages, plans or the order of rows on disk. */
  readonly database?: Database
}

/** A failed follower of an event fails what published the event. */
export const throwingLog = createLog({
  level: 'error',
  pretty: false,
  write: (line) => {
    throw new Error(line)
  },
})

/** What the parts of a program are opened with. */
export type Given = Parameters<typeof openParts>[0]

/** A configuration of the test's own and its database, for `openParts` or for some of the parts. */
export async function prepareFixture(t: Teardown, options: FixtureOptions = {}): Promise<Given> {
  const { env, httpPort = 0, clock = new SteadyClock(), log = silentLog } = options
  const database = options.database ?? (await (options.shared ?? (await SharedDatabase.open(t))).anew())
  const dataDir = newDataDir()
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const reading = readConfig({
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_HTTP_PORT: String(httpPort),
    TOLLGATE_RADIUS_HOST: '127.0.0.1',
    TOLLGATE_RADIUS_AUTH_PORT: '0',
    TOLLGATE_RADIUS_ACCT_PORT: '0',
    TOLLGATE_RADIUS_WORKERS: '1',
    TOLLGATE_METRICS_PORT: '0',
    TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    ...env,
  })
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  const stops = new Stops()
  t.teardown(() => stops.stop())
  return { config: reading.config, log, clock, database, secrets: clientSecrets, onStop: stops.add }
}

/**
 * The parts of the program over a database of their own: open and not started, so without sockets, worker threads and
 * timetable.
 */
export async function openFixture(t: Teardown, options: FixtureOptions = {}): Promise<Parts> {
  const parts = await openParts(await prepareFixture(t, options), options.waits)
  const listen = async () => {
    const origin = await parts.listen()
    publishFixture(origin, parts.routes)
    return origin
  }
  return { ...parts, listen }
}

/** The ledger and what it needs, without network, office and doors. A second one is another program on the database. */
export async function openLedgerFixture(given: Given): Promise<Base & Ledger> {
  const base = await openBase({ ...given, publicUrl: () => '' })
  return { ...base, ...openLedger(base, new SessionTable(), { eventsOf: () => [] }) }
}
