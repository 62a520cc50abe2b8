import { type Clock, systemClock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { faultOfBuild, readBuilt } from '../interfaces/admin/console/built.ts'
import { startMetricsServer } from '../platform/metrics/server.ts'
import { ensureFirstStaff } from '../platform/staff/staff-table.ts'
import type { DatabaseConnections, DatabaseLimits } from '../platform/storage/database.ts'
import { migrate } from '../platform/storage/migrate.ts'
import { type Base, openBase } from './base.ts'
import type { Config } from './config.ts'
import { startNodes } from './follow-nodes.ts'
import { type Doors, openDoors } from './doors.ts'
import { openEffects, startEffects } from './effects.ts'
import { openLedger } from './ledger.ts'
import { openNetwork } from './network.ts'
import { type JoinedNode, openAsNode } from './nodes.ts'
import { showOutside } from './observation.ts'
import { serverCheck } from './own-server.ts'
import { type Inside, type OfficeWaits, openOffice, startOffice } from './office.ts'
import { Stops } from './stops.ts'
import { warnOfUnreached } from './unreached-destinations.ts'

export type ProgramOrder = {
  config: Config
  log: Log
  databaseUrl: string
  /** The same of the role that owns the tables and migrates them. Default: `databaseUrl`. */
  ownerUrl?: string
  databaseLimits?: DatabaseLimits
  databaseConnections?: DatabaseConnections
  /** Default: that of the machine, or as a node that of the database. */
  clock?: Clock
}

/** Every part of the program, under its own name. */
export type Parts = Inside & Doors

export type Program = {
  readonly addresses: Readonly<Record<string, string | number>>
  readonly parts: Parts
  /** Why it cannot do all of its work now, as `/readyz` says it; null: it can. */
  readonly notReady: () => string | null
  stop(): Promise<void>
}

/** How long the stop waits for a database that does not answer; commands/lifetime.ts allows 6 s for the whole stop. */
const databasePatienceMs = 3_000

/** The whole program: opened, then started. */
export async function startProgram(order: ProgramOrder): Promise<Program> {
  const { config, log, databaseUrl, databaseLimits: limits, databaseConnections: pool } = order
  const stops = new Stops()
  const onStop = stops.add
  return stops.unlessItFails(async () => {
    await migrate({ url: order.ownerUrl ?? databaseUrl, log, ...serverCheck(config, log) })
    const opened = { url: databaseUrl, log, isStarting: true, ...(pool && { pool }), ...(limits && { limits }) }
    const { database, node } = await openAsNode(config, opened, order.clock)
    onStop(() => database.close())
    const clock = order.clock ?? node?.clock ?? systemClock
    const parts = await openParts({ config, log, clock, database, node, onStop })
    const addresses = await startParts(parts)
    return { addresses, parts, notReady: parts.notReady, stop: () => stops.stop() }
  })
}

/**
 * Opens every part of the program. Each part uses those before it and is closed before them. No part has a socket or
 * runs by itself yet. The database must be open and migrated.
 */
export async function openParts(
  given: Pick<Base, 'config' | 'log' | 'clock' | 'database' | 'onStop'> &
    Partial<Pick<Base, 'secrets'>> & { node?: JoinedNode | null },
  waits: OfficeWaits = {},
): Promise<Parts> {
  const { config, database } = given
  let address = ''
  const base = await openBase({ ...given, publicUrl: () => config.http.publicUrl ?? address })
  const network = await openNetwork(base)
  const effects = openEffects(base, network)
  const ledger = openLedger(base, network.sessions, effects.webhooks)
  const office = openOffice({ ...base, ...network, ...effects, ...ledger }, waits)
  const notReady = () => {
    if (!database.isUp()) return 'The database is away.'
    if (!network.radius.isReady()) return 'A RADIUS worker is not listening.'
    return base.nodes?.membership.fault ?? null
  }
  const builtConsole = readBuilt()
  const inside = { ...base, ...network, ...effects, ...ledger, ...office, notReady, builtConsole }
  const doors = await openDoors(inside)
  const listen = async () => {
    address = await doors.listen()
    return address
  }
  return { ...inside, ...doors, listen }
}

/** Starts effects first, so that those of an earlier run are carried out, and HTTP last. Returns the addresses. */
async function startParts(parts: Parts): Promise<Program['addresses']> {
  const { config, log, database, access, metrics, radius, nasHealth, onStop } = parts
  await announceFirstStaff(parts)
  const fault = faultOfBuild(parts.builtConsole)
  if (fault) log.warn(fault)
  if (parts.nodes) await startNodes(parts, parts.nodes)
  parts.nodes?.membership.onDrain(() => parts.http.leadAway())
  // Screens and phones may show what has never been; with their next connection they get what is.
  onStop(database.onReplaced(() => parts.http.endSocketsForRestart()))
  await startEffects(parts)
  await radius.start()
  await nasHealth.start()
  await startOffice(parts)
  database.serves()
  const http = await parts.listen()
  showOutside(parts)
  void warnOfUnreached(parts).catch((error) => log.warn('the addresses of services could not be looked at', { error }))
  const metricsServer = await startMetricsServer({ ...config.metrics, metrics, log })
  onStop(() => metricsServer.stop())
  onStop(() => database.limitWaits(databasePatienceMs))
  // Before anything else is closed, because requests are still served meanwhile.
  onStop(() => parts.http.farewell())
  void access.openPasswords().then(() => loadHouses(parts))
  return {
    http,
    http_server: parts.http.transportKind,
    radius_auth_port: radius.addresses.authPort,
    radius_acct_port: radius.addresses.acctPort,
    radius_udp: radius.mode.kind,
    metrics: `http://${metricsServer.host}:${metricsServer.port}/metrics`,
  }
}

/** Reads the houses ahead, so that the first who asks need not wait. When it fails, the first who asks reads them. */
const loadHouses = ({ houses, log }: Parts): Promise<void> =>
  houses.load().catch((error) => log.debug('the houses of subscribers could not be read yet', { error }))

/** The password is printed once; only its hash is stored. */
async function announceFirstStaff({ config, database, secrets }: Base): Promise<void> {
  const { username, password } = config.firstStaff
  const seal = (text: string) => secrets.seal(text)
  const made = await ensureFirstStaff(database.pool, { username, password: password ?? undefined, seal })
  if (made.kind === 'notNeeded') return
  const shown =
    made.password === null ? 'with the password that was set for it' : `password ${made.password} (shown only now)`
  process.stdout.write(`\nFirst sign-in: user ${made.username}, ${shown}.\n\n`)
}
