import { join } from 'node:path'
import { systemAuthor } from '../domain/author.ts'
import { type NasId, nasId, organizationId } from '../domain/ids.ts'
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
import { followingZone, type LocalDays } from '../network/radius/traffic/local-days.ts'
import { TrafficCounter } from '../network/radius/traffic/traffic-counter.ts'
import { TrafficStore } from '../network/radius/traffic/traffic-store.ts'
import type { NasHeard, NasLearned, TracedPacket } from '../network/radius/worker/messages.ts'
import { ClassReader } from '../network/radius/worker/session-class.ts'
import { blocksOf } from '../network/radius/worker/template-blocks.ts'
import { speedChangeOf } from '../network/radius/speed-change.ts'
import { templateOf } from '../network/radius/templates.ts'
import type { Settings } from '../platform/settings/settings.ts'
import { type Diff, writeAudit } from '../platform/storage/audit.ts'
import type { Database } from '../platform/storage/database.ts'
import type { Nas } from '../platform/storage/entities/network.ts'
import type { RowOf } from '../platform/storage/entity.ts'
import { writing } from '../platform/storage/transactions.ts'
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
  const accounting = openAccounting(base, access, {
    ...stored,
    octets: traffic.counter,
    spool,
    disconnect: (session) => disconnects.cut(session),
    readClass: (className) => classes.read(className),
  })
  await accounting.start()
  traffic.counter.start()
  // An edge that starts without the primary gets its share when that is back (edge.ts).
  const poolBlocks =
    base.nodes && database.isUp() ? await openPoolBlocks(base, base.nodes, { access, accounting }) : null
  const offersFolder = join(config.dataDir, 'offers')
  await restoreOffers(offersFolder, store, access, clock.now())
  await rememberAddresses(store, access, log)
  // Last what the last groups have told.
  onStop(() => accounting.stop().then(() => traffic.counter.stop()))
  const disconnects = openDisconnects(base, access, sessions, accounting)
  const authLog = authLogOf(base)
  const radius = radiusEngine(base, { classKey, secretKeys: secrets.keys, offersFolder }, access, accounting, authLog)
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

function openAccounting(base: Base, access: AccessWriter, own: OwnParts): Accounting {
  const { clock, database, settings, events, log } = base
  // Other nodes are to know it, so they are told of the change of the record as of any other.
  const learning = base.nodes ? database.pool : database.accounting
  const accounting = new Accounting({
    ...own,
    events,
    listener: access.sessions,
    isUp: () => database.isUp(),
    nasIp: (id) => nasOf(access, id)?.ip ?? '',
    interimSecondsOf: ({ userId }) => access.interimSecondsOf(userId),
    sessionSecondsOf: ({ userId, inGarden }) => access.sessionSecondsOf(userId, inGarden === true),
    interimSeconds: () => settings.get('RADIUS_INTERIM_INTERVAL'),
    onInterimsLearned: (nas, sendsInterims) =>
      void learning
        .query('UPDATE nas SET learned_interims = $2 WHERE id = $1', [nas, sendsInterims])
        .catch((error) => log.warn('what a NAS taught could not be stored', { error })),
    ownerOf: (login, nas) => access.ownerOf(login, namesAt(nasOf(access, nas), settings)),
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
  own: { classKey: Buffer; secretKeys: readonly Buffer[]; offersFolder: string },
  access: AccessWriter,
  accounting: Accounting,
  authLog: AuthLog,
) {
  const { config, log, clock, database, settings, events, cryptVerifier, tracing } = base
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
    onLearned: (learned) =>
      keepLearned(database, () => settings.get('TIME_ZONE'), learned).catch((error) =>
        log.warn('what a NAS taught could not be stored', { error }),
      ),
    onAnswered: (entries, left) => authLog.take(entries, left),
    traced: tracing && { share: tracing.share, show: (nas, packet) => showPacket(tracing, nas, packet) },
    onHeard: (heard) =>
      keepHeard(database, heard).catch((error) => log.warn('what a NAS told could not be stored', { error })),
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

/**
 * Stores what was learned about a NAS, and in the audit that it was: the operator sees it, and a restart does not have
 * to learn it again. The pool of the ledger is exempt from the triggers that would read the NAS anew and forget it.
 */
function keepLearned({ ledger: pool }: Database, timeZone: () => string, learned: NasLearned): Promise<void> {
  const { messageAuthenticator, proxyState } = learned
  const id = nasId(learned.nasId)
  return writing({ database: { pool }, timeZone }, async (client) => {
    const { rows } = await client.query<RowOf<typeof Nas, 'learned_message_authenticator' | 'learned_proxy_state'>>(
      'SELECT learned_message_authenticator, learned_proxy_state FROM nas WHERE id = $1 FOR UPDATE',
      [id],
    )
    const [before] = rows
    if (!before) return
    await client.query('UPDATE nas SET learned_message_authenticator = $2, learned_proxy_state = $3 WHERE id = $1', [
      id,
      messageAuthenticator,
      proxyState,
    ])
    const diff: Diff = {
      learned_message_authenticator: [before.learned_message_authenticator, messageAuthenticator],
      learned_proxy_state: [before.learned_proxy_state, proxyState],
    }
    const row = { table: 'NAS', id: String(id), action: 'change', diff, organizationId: null } as const
    await writeAudit(client, { author: systemAuthor('radius'), ...row })
  })
}

/** The same of what its packets tell beside their question. */
async function keepHeard({ ledger }: Database, heard: NasHeard): Promise<void> {
  const { nasId: id, atMs } = heard
  if (heard.kind === 'asked') await ledger.query('UPDATE nas SET asked_ip = $2 WHERE id = $1', [id, heard.address])
  else {
    const column = heard.usesNext ? 'secret_next_seen_at' : 'secret_seen_at'
    await ledger.query(`UPDATE nas SET ${column} = $2 WHERE id = $1`, [id, new Date(atMs)])
  }
}
