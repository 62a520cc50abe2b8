import { join } from 'node:path'
import { type NasId, organizationId } from '../domain/ids.ts'
import type { PoolBlocks } from '../network/access/pool-blocks.ts'
import { AccessWriter } from '../network/access/writer.ts'
import { Houses } from '../network/houses/houses.ts'
import { AccessPreview } from '../network/radius/access-preview.ts'
import { Accounting, type AccountingParts } from '../network/radius/accounting/accounting.ts'
import { AccountingStore } from '../network/radius/accounting/accounting-store.ts'
import { ForeignCounters } from '../network/radius/accounting/foreign-counters.ts'
import { NodeSessions } from '../network/radius/accounting/node-sessions.ts'
import { SessionTable } from '../network/radius/accounting/session-table.ts'
import { Spool } from '../network/radius/accounting/spool.ts'
import { AuthLog } from '../network/radius/auth-log/auth-log.ts'
import type { DisconnectParts } from '../network/radius/coa/disconnect-parts.ts'
import { Disconnects } from '../network/radius/coa/disconnects.ts'
import { RadiusEngine } from '../network/radius/engine.ts'
import { NasHealth } from '../network/radius/health/nas-health.ts'
import { nasHealthStore } from '../network/radius/health/nas-health-store.ts'
import { NasMemory } from '../network/radius/health/nas-memory.ts'
import { speedChangeOf } from '../network/radius/speed-change.ts'
import { templateOf } from '../network/radius/templates.ts'
import { followingZone, type LocalDays } from '../network/radius/traffic/local-days.ts'
import { TrafficCounter } from '../network/radius/traffic/traffic-counter.ts'
import { TrafficStore } from '../network/radius/traffic/traffic-store.ts'
import { attributes } from '../network/radius/wire/attribute-types.ts'
import { octetsOf } from '../network/radius/wire/octet-text.ts'
import type { TracedPacket } from '../network/radius/worker/messages.ts'
import { ClassReader } from '../network/radius/worker/session-class.ts'
import { blocksOf } from '../network/radius/worker/template-blocks.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import type { Base } from './base.ts'
import { openPoolBlocks, rememberAddresses, restoreOffers } from './pool-addresses.ts'
import { namesAt, radiusSettings, readOwnDictionaries } from './radius-rules.ts'

/** Access, live sessions and RADIUS. */
export type Network = {
  readonly access: AccessWriter
  /** The share of this node in the pools; null: it is the only program, and all addresses are its own. */
  readonly poolBlocks: PoolBlocks | null
  readonly sessions: SessionTable
  readonly foreignCounters: ForeignCounters
  readonly houses: Houses
  readonly spool: Spool
  readonly accounting: Accounting
  readonly traffic: Traffic
  readonly disconnects: Disconnects
  readonly radius: RadiusEngine
  readonly authLog: AuthLog
  readonly nasHealth: NasHealth
  readonly preview: AccessPreview
}

/** What logins receive and send, by time. */
type Traffic = {
  readonly counter: TrafficCounter
  readonly store: TrafficStore
  readonly days: () => LocalDays
}

/**
 * Reads the tables into memory and takes up accounting left in the spool. No socket is open and no worker runs yet:
 * `disconnects` and `radius` are started by whoever wants them.
 */
export async function openNetwork(base: Base): Promise<Network> {
  const { config, log, clock, database, reads, secrets, followers, onStop } = base
  readOwnDictionaries(config)
  const access = await AccessWriter.load({ database: reads, secrets, clock, log, sharesPools: base.nodes !== null })
  onStop(() => access.close())
  followers.accessTable = access
  const { foreignCounters, ...stored } = openSessions(base)
  const { sessions, store } = stored
  const spool = await Spool.open(join(config.dataDir, 'spool'), log)
  // Signed with a key that every node derives alike, so that any of them reads what another one has signed.
  const classKey = secrets.derive('class')
  const classes = new ClassReader(classKey)
  const traffic = openTraffic(base, sessions, () => accounting)
  const memory = openNasMemory(base, access)
  const accounting = openAccounting(base, access, memory, {
    ...stored,
    octets: traffic.counter,
    spool,
    disconnect: (session) => disconnects.cut(session),
    readClass: (className) => classes.read(className),
  })
  await accounting.start()
  traffic.counter.start()
  // An edge that starts while the primary is away takes its share when the primary is back (edge.ts).
  const poolBlocks =
    base.nodes && database.isUp() ? await openPoolBlocks(base, base.nodes, { access, accounting }) : null
  const offersFolder = join(config.dataDir, 'offers')
  await restoreOffers(offersFolder, store, access, { now: clock.now(), ownOnly: poolBlocks !== null })
  await rememberAddresses(store, access, log)
  // The counter of octets stops last, because the last groups of accounting still have octets for it.
  onStop(() => accounting.stop().then(() => traffic.counter.stop()))
  const disconnects = openDisconnects(base, access, sessions, accounting)
  const authLog = authLogOf(base)
  const own = { classKey, secretKeys: secrets.keys, offersFolder, memory }
  const radius = radiusEngine(base, own, access, accounting, authLog)
  const nasHealth = healthOf(base, radius, sessions, accounting)
  onStop(() => radius.stop())
  const preview = accessPreview(base, access)
  const houses = openHouses(base, sessions)
  return {
    access,
    poolBlocks,
    sessions,
    foreignCounters,
    houses,
    spool,
    accounting,
    traffic,
    disconnects,
    radius,
    authLog,
    nasHealth,
    preview,
  }
}

function openDisconnects(base: Base, access: AccessWriter, sessions: SessionTable, accounting: Accounting) {
  const { config, database, events, settings, followers, outbox, clock, log } = base
  const disconnects = new Disconnects({
    pool: database.pool,
    events,
    sessions,
    accounting,
    ...accessOf(access, settings),
    order: (effect) => outbox.order(effect),
    host: config.radius.host,
    clock,
    log,
  })
  followers.disconnects = disconnects
  return disconnects
}

/** The live sessions in memory and in the tables, and what other nodes have of them. */
function openSessions({ nodes: others, database: { accounting: pool }, reads, clock, log }: Base) {
  const sessions = new SessionTable()
  const nodes = others && new NodeSessions(pool)
  const foreignCounters = new ForeignCounters({ nodes, sessions, clock, log })
  const store = new AccountingStore(pool, { reads: reads.accounting, told: others?.wakeOthers ?? null })
  return { sessions, nodes, foreignCounters, store }
}

type OwnParts = Pick<AccountingParts, 'octets' | 'store' | 'nodes' | 'spool' | 'sessions' | 'disconnect' | 'readClass'>

/** Keeps what NAS have taught. When the records are read anew, the NAS teach it anew. */
function openNasMemory({ nodes, database, settings, clock, log, onStop }: Base, access: AccessWriter): NasMemory {
  const memory = new NasMemory({
    pool: database.ledger,
    // Other nodes have to know it, so they are told of this change of the record as of any other.
    interimsPool: nodes ? database.pool : database.accounting,
    timeZone: () => settings.get('TIME_ZONE'),
    clock,
    log,
  })
  access.onNas(() => memory.forget())
  onStop(() => memory.stop())
  return memory
}

function openAccounting(base: Base, access: AccessWriter, memory: NasMemory, own: OwnParts): Accounting {
  const { clock, database, settings, events, log } = base
  const accounting = new Accounting({
    ...own,
    events,
    listener: access.sessions,
    isUp: () => database.isUp(),
    nasIp: (id) => nasOf(access, id)?.ip ?? '',
    interimSecondsOf: ({ userId }) => access.interimSecondsOf(userId),
    sessionSecondsOf: ({ userId, inGarden }) => access.sessionSecondsOf(userId, inGarden === true),
    interimSeconds: () => settings.get('RADIUS_INTERIM_INTERVAL'),
    onInterimsLearned: (nas, sendsInterims) => memory.interims(nas, sendsInterims),
    ownerOf: (login, nas) =>
      access.ownerOf(octetsOf(attributes.userName, login), namesAt(nasOf(access, nas), settings)),
    ownerOfId: (id) => access.ownerOfId(id),
    leaseOf: (id, station) => access.sessions.leaseOf(id, station),
    clock,
    log,
  })
  access.onNas((list) => accounting.setNas(list))
  base.onStop(database.onUp(() => accounting.hearAgain()))
  return accounting
}

function openTraffic(base: Base, sessions: SessionTable, accounting: () => Accounting) {
  const { database, settings, clock, log, nodes } = base
  const store = new TrafficStore(database.pool, { isNode: nodes !== null })
  const days = followingZone(() => settings.get('TIME_ZONE'))
  const counter = new TrafficCounter({
    store,
    node: nodes?.membership.place.number ?? null,
    sessions,
    days,
    isUp: () => database.isUp(),
    nextSessionId: () => accounting().nextSessionId,
    askToSettle: () => accounting().settleOctets(),
    clock,
    log,
  })
  return { counter, store, days }
}

function openHouses({ database, followers, clock, log, onStop }: Base, sessions: SessionTable): Houses {
  const houses = new Houses({ database, sessions, clock, log })
  followers.houses = houses
  onStop(() => houses.close())
  return houses
}

function authLogOf({ database, clock, log, onStop }: Base): AuthLog {
  const authLog = new AuthLog({ pool: database.pool, isUp: () => database.isUp(), clock, log })
  authLog.start()
  onStop(() => authLog.stop())
  return authLog
}

function healthOf(base: Base, radius: RadiusEngine, sessions: SessionTable, accounting: Accounting): NasHealth {
  const { database, reads, settings, followers, clock, log, onStop } = base
  const nasHealth = new NasHealth({
    radius,
    sessions,
    nas: () => radius.nas,
    learnedInterims: (nas) => accounting.learnedInterims(nas),
    clockAheadSeconds: (nas) => accounting.clocks.aheadSecondsOf(nas),
    interimSeconds: () => settings.get('RADIUS_INTERIM_INTERVAL'),
    hasOthers: base.nodes !== null,
    store: nasHealthStore(database.ledger, reads.ledger),
    clock,
    log,
  })
  followers.nasHealth = nasHealth
  onStop(() => nasHealth.stop())
  return nasHealth
}

function accessPreview({ settings, onStop }: Base, access: AccessWriter): AccessPreview {
  const preview = new AccessPreview({
    access,
    settings: () => radiusSettings(settings),
    namesAt: (nas) => namesAt(nas, settings),
  })
  onStop(() => preview.close())
  return preview
}

const nasOf = (access: AccessWriter, id: NasId) => access.nas.find((nas) => nas.id === id)

/** What Disconnects and changes of speed need of the access table. */
const accessOf = (access: AccessWriter, settings: Settings) =>
  ({
    nas: () => access.nas,
    speedAttributes: (nas, login, vlan) => {
      const record = access.table.findByName(login)
      return record && speedChangeOf(blocksOf(templateOf(nas)), record, settings.get('LK_WALLED_GARDEN_LIST'), vlan)
    },
    readSpeed: (subscriber) => access.refresh({ subscribers: [subscriber] }),
    replaceBeyond: (login) =>
      settings.get('RADIUS_SIMULTANEOUS') === 'replace'
        ? (access.table.findByName(login)?.simultaneousUse ?? null)
        : null,
    reachOf: (login, now) => access.reachOf(login, now),
    loginOf: (login) => access.loginOf(login),
    organizationOf: (login) => {
      const owner = access.ownerOf(login)
      return owner && organizationId(owner.organizationId)
    },
  }) satisfies Partial<DisconnectParts>

/** The engine gets every change of NAS records and settings, also before it is started. */
function radiusEngine(
  base: Base,
  { memory, ...own }: { classKey: Buffer; secretKeys: readonly Buffer[]; offersFolder: string; memory: NasMemory },
  access: AccessWriter,
  accounting: Accounting,
  authLog: AuthLog,
) {
  const { config, log, clock, settings, events, cryptVerifier, tracing } = base
  const radius = new RadiusEngine({
    config: config.radius,
    ...own,
    access,
    accounting: accounting.sink,
    comparePassword: (hash, password) => cryptVerifier.verify(hash, password),
    settings: radiusSettings(settings),
    nas: access.nas,
    clockOrigin: clock.origin ?? null,
    log,
    events,
    onLearned: (learned) => memory.learned(learned),
    onAnswered: (entries, left) => authLog.take(entries, left),
    traced: tracing && { share: tracing.share, show: (nas, packet) => showPacket(tracing, nas, packet) },
    onHeard: (heard) => memory.heard(heard),
  })
  access.onNas((list) => radius.setNas(list))
  settings.onChange(() => radius.setSettings(radiusSettings(settings)))
  return radius
}

function showPacket(tracing: Tracing, nas: string, { result, reason, beganAtMs, tookMs }: TracedPacket): void {
  const facts = {
    'tollgate.nas': nas,
    'tollgate.outcome': result,
    ...(reason !== null && { 'tollgate.reason': reason }),
  }
  tracing.done('RADIUS Access-Request', beganAtMs, tookMs, facts)
}
