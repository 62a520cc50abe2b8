import { AccountStore } from '../billing/accounts/account-store.ts'
import { ForeignCommits } from '../billing/accounts/foreign-commits.ts'
import type { Clock } from '../platform/actors/clock.ts'
import { chooseTransport } from '../platform/http/choose-transport.ts'
import type { Gate } from '../platform/http/gate.ts'
import { healthRoutes } from '../platform/http/health.ts'
import { json } from '../platform/http/reply.ts'
import { HttpServer } from '../platform/http/server.ts'
import { startMetricsServer } from '../platform/metrics/server.ts'
import type { Database } from '../platform/storage/database.ts'
import { type Base, openBase } from './base.ts'
import { addressOf } from './doors.ts'
import { openEdgeDatabases } from './edge-databases.ts'
import { followLog } from './follow-nodes.ts'
import { type Network, openNetwork } from './network.ts'
import type { Nodes } from './nodes.ts'
import { showNetwork } from './observation.ts'
import { openPoolBlocks } from './pool-addresses.ts'
import type { Program, ProgramOrder } from './program.ts'
import { faultOfStandby, watchStandby } from './standby-watch.ts'
import { Stops } from './stops.ts'

export type EdgeParts = Base &
  Network & {
    readonly notReady: () => string | null
    /** Answers health checks from here on, at the address that it resolves with. */
    readonly listen: () => Promise<string>
  }

export type Edge = Pick<Program, 'addresses' | 'notReady' | 'stop'> & { readonly parts: EdgeParts }

/** How long the stop waits for a database that does not answer, as in the whole program. */
const databasePatienceMs = 3_000

/**
 * A node beside NAS: RADIUS, accounting and the Disconnects that follow from it, and health checks for HTTP. No office,
 * no jobs, and no effects of the commits of others. It goes on with everything else away.
 */
export async function startEdge(order: Omit<ProgramOrder, 'ownerUrl'>): Promise<Edge> {
  const { config, log, databaseUrl, databaseLimits: limits } = order
  const stops = new Stops()
  const onStop = stops.add
  return stops.unlessItFails(async () => {
    const databases = await openEdgeDatabases(
      { config, log, databaseUrl, onStop, ...(limits && { limits }) },
      order.clock,
    )
    const parts = await openEdge({ config, log, clock: order.clock ?? databases.node.clock, onStop, ...databases })
    const addresses = await startParts(parts)
    return { addresses, parts, notReady: parts.notReady, stop: () => stops.stop() }
  })
}

type Opened = Awaited<ReturnType<typeof openEdgeDatabases>>

async function openEdge(
  given: Pick<Base, 'config' | 'log' | 'onStop'> & { clock: Clock } & Opened,
): Promise<EdgeParts> {
  let address = ''
  const base = await openBase({ ...given, publicUrl: () => address })
  const network = await openNetwork(base)
  const { database, nodes, outbox, onStop } = base
  onStop(async () => {
    await network.disconnects.stop(0)
    await outbox.stop()
  })
  const notReady = () => {
    if (!network.radius.isReady()) return 'A RADIUS worker is not listening.'
    if (!database.isUp()) return 'The database is away; accounting goes to the spool.'
    return faultOfStandby(base) ?? nodes?.membership.fault ?? null
  }
  const listen = async () => {
    address = await listenForHealth({ ...base, notReady })
    return address
  }
  return { ...base, ...network, notReady, listen }
}

async function startParts(parts: EdgeParts): Promise<Program['addresses']> {
  const { config, log, database, access, metrics, radius, disconnects, nasHealth, outbox, onStop } = parts
  await followNodes(parts, parts.nodes!)
  await disconnects.start()
  whenUp(database, () => outbox.start(disconnects.handlers), parts)
  if (!parts.poolBlocks) whenUp(database, () => shareInPools(parts, parts.nodes!), parts)
  await radius.start()
  await nasHealth.start()
  const http = await parts.listen()
  showNetwork(parts)
  watchStandby(parts)
  const metricsServer = await startMetricsServer({ ...config.metrics, metrics, log })
  onStop(() => metricsServer.stop())
  for (const one of new Set([database, parts.reads])) onStop(() => one.limitWaits(databasePatienceMs))
  void access.openPasswords()
  return {
    http,
    radius_auth_port: radius.addresses.authPort,
    radius_acct_port: radius.addresses.acctPort,
    radius_udp: radius.mode.kind,
    metrics: `http://${metricsServer.host}:${metricsServer.port}/metrics`,
  }
}

/** Follows the other nodes. An edge has no actors, so what accounts are is known to the access table alone. */
async function followNodes(parts: EdgeParts, nodes: Nodes): Promise<void> {
  const { reads, events, clock } = parts
  const store = new AccountStore(reads.ledger)
  const foreign = new ForeignCommits({ store, accounts: { invalidate: () => {} }, events, clock })
  await followLog(parts, nodes, foreign)
}

/** Takes a share in the pools. Before that a login without a fixed address gets the one that it has, and no other. */
async function shareInPools(parts: EdgeParts, nodes: Nodes): Promise<void> {
  const blocks = await openPoolBlocks(parts, nodes, parts)
  await blocks.start()
}

/** Does the work once, as soon as the database is there; work that fails is tried when the database comes back. */
function whenUp(database: Database, work: () => Promise<void>, { log, onStop }: EdgeParts): void {
  let isDone = false
  const tryIt = () => {
    if (isDone || !database.isUp()) return
    isDone = true
    work().catch((error) => {
      isDone = false
      log.warn('What waits for the database could not begin; it is tried when the database comes back.', { error })
    })
  }
  onStop(database.onUp(tryIt))
  tryIt()
}

type Health = Pick<EdgeParts, 'config' | 'log' | 'metrics' | 'notReady' | 'onStop'>

async function listenForHealth({ config, log, metrics, notReady, onStop }: Health): Promise<string> {
  const { host, port, tls, trustProxy, server } = config.http
  const { transport } = await chooseTransport(server)
  const http = new HttpServer({
    transport,
    host,
    port,
    tls: tls ?? undefined,
    trustProxy,
    log,
    gate: forEverybody,
    observe: metrics.http.request,
    routes: healthRoutes(notReady),
  })
  onStop(() => http.stop())
  return addressOf(config, await http.listen())
}

/** Health is nobody's secret, and there are no sockets. */
const forEverybody: Gate = {
  admit: () => ({ kind: 'admitted', staff: null, client: null }),
  admitSocket: async () => ({ kind: 'refused', reply: json({}, 404) }),
  onSessionEnd: () => {},
}
