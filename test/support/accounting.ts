import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { type EventOf, Events, type TollgateEvent } from '../../src/domain/events.ts'
import type { NasEntry } from '../../src/domain/nas.ts'
import { Accounting } from '../../src/network/radius/accounting/accounting.ts'
import { AccountingStore } from '../../src/network/radius/accounting/accounting-store.ts'
import type { LiveSession } from '../../src/network/radius/accounting/live-session.ts'
import { steadyMs } from '../../src/platform/actors/day-time.ts'
import { SessionTable } from '../../src/network/radius/accounting/session-table.ts'
import { followingZone } from '../../src/network/radius/traffic/local-days.ts'
import { TrafficCounter } from '../../src/network/radius/traffic/traffic-counter.ts'
import { TrafficStore } from '../../src/network/radius/traffic/traffic-store.ts'
import { NodeSessions } from '../../src/network/radius/accounting/node-sessions.ts'
import { Spool } from '../../src/network/radius/accounting/spool.ts'
import { ClassReader, ClassWriter } from '../../src/network/radius/worker/session-class.ts'
import { PacketWriter } from '../../src/network/radius/wire/writer.ts'
import { ManualClock } from './manual-clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { withSettings } from '../../src/platform/storage/connection.ts'
import { type SharedDatabase, testDatabaseUrl, testPool } from './database.ts'
import { type Attribute, accountingRequest, batchOf, ip } from './nas.ts'
import { until } from './until.ts'

type Teardown = { teardown(deed: () => unknown): unknown }

export type SessionRow = {
  id: string
  login: string
  user_id: string | null
  abonent_id: string | null
  generation: number
  started: number
  session_time: string
  input_octets: string
  output_octets: string
  framed_ip: string | null
  offered_ip: string | null
  ended: number | null
  end_reason: string | null
  terminate_cause: string | null
  acct_session_id: string
  ipv6_prefix: string | null
}

export const startOfTime = new Date('2026-03-01T12:00:00Z')

const ivan = { userId: 1, subscriberId: 1, organizationId: 1, login: 'ivan' }
const classKey = Buffer.alloc(32, 1)

/** The Class attribute of an Access-Accept; `address` is the one offered. */
export function classFor(loginId: number, address = '', key: Uint8Array = classKey): string {
  const writer = new PacketWriter()
  writer.begin(2, 1)
  const offered = address === '' ? -1 : ip(address).readUInt32BE()
  new ClassWriter(key, 0).write(writer, loginId, false, offered, startOfTime.getTime() / 1000)
  return writer.packet.toString('latin1', 22)
}

/** Accounting over a real database and a real spool, with a clock that stands still and a database that can be away. */
export class AccountingFixture {
  readonly clock = new ManualClock(startOfTime)
  readonly published: TollgateEvent[] = []
  readonly heard: string[] = []
  readonly database: pg.Pool
  readonly folder: string
  /** Its number among several on one database; null: it is the only one. */
  readonly node: number | null
  /** Up to which row it has read the log of the others. */
  #readUntil = 0
  /** Of the present life. */
  events!: Events
  isUp = true
  /** How many commits the others were to hear of. */
  told = 0
  /** Addresses that somebody else has. */
  readonly taken = new Set<string>()
  /** Called with a session that is to be disconnected. */
  disconnect: (session: LiveSession) => unknown = () => {}
  sessionSeconds = 0
  /** The address that a login holds whose station is known. */
  lease = '10.0.0.77'
  /** The NAS records, as far as they matter. */
  nas: readonly NasEntry[] = []
  /** The Acct-Interim-Interval of radius_reply. */
  ownInterimSeconds = 0
  readonly learned: [nas: number, sendsInterims: boolean][] = []
  sessions = new SessionTable()
  accounting!: Accounting
  traffic!: TrafficCounter
  readonly trafficStore: TrafficStore
  readonly days = followingZone(() => 'Europe/Moscow')
  spool: Spool | null = null

  private constructor(database: pg.Pool, folder: string, node: number | null) {
    this.database = database
    this.folder = folder
    this.node = node
    this.trafficStore = new TrafficStore(this.pool, { isNode: node !== null })
  }

  static async start(t: Teardown, shared: SharedDatabase): Promise<AccountingFixture> {
    const { ledger } = await shared.anew()
    await seed(ledger)
    const fixture = await AccountingFixture.#on(t, ledger, null)
    t.teardown(() => {
      // As after kill -9: what waits for the clock, which stands still, writes nothing any more.
      fixture.isUp = false
      // A test may have put its own in place of the method.
      Reflect.deleteProperty(ledger, 'query')
    })
    return fixture
  }

  /** Two nodes on one database; they hear of each other when they read (`readOthers`). */
  static async pair(t: Teardown): Promise<{
    a: AccountingFixture
    b: AccountingFixture
    /** One program without nodes on the same database. */
    alone: () => Promise<AccountingFixture>
  }> {
    const url = await testDatabaseUrl(t)
    const [one, two] = [1, 2].map((node) => testPool(t, withSettings(url, [`tollgate.node=${node}`]), 2))
    await seed(one!)
    await one!.query(`INSERT INTO nodes (number, name, version) VALUES (1, 'a', '0'), (2, 'b', '0')`)
    const a = await AccountingFixture.#on(t, one!, 1)
    const b = await AccountingFixture.#on(t, two!, 2)
    return { a, b, alone: () => AccountingFixture.#on(t, testPool(t, url, 2), null) }
  }

  static async #on(t: Teardown, database: pg.Pool, node: number | null): Promise<AccountingFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-accounting-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    const fixture = new AccountingFixture(database, folder, node)
    t.teardown(() => fixture.spool?.close())
    await fixture.begin()
    return fixture
  }

  /** Reads what the other node has told since it was read last. */
  async readOthers(): Promise<void> {
    const { rows } = await this.database.query<{ id: string; ids: string[]; note: unknown }>(
      `SELECT id, ids, note FROM node_log WHERE node <> $1 AND id > $2 ORDER BY id`,
      [this.node, this.#readUntil],
    )
    this.#readUntil = Number(rows.at(-1)?.id ?? this.#readUntil)
    this.accounting.follow(rows.map(({ ids, note }) => ({ ids: ids.map(Number), note })))
    await until(() => this.accounting.toFollow === 0)
  }

  /** A program starts on what is there; also after `this.accounting` was left as by kill -9. */
  async begin(): Promise<void> {
    this.clock.forgetAlarms()
    this.sessions = new SessionTable()
    this.events = new Events((error) => {
      throw error
    })
    for (const kind of ['sessionStarted', 'sessionUpdated', 'sessionStopped', 'coaAnswered'] as const)
      this.events.on(kind, (event) => this.published.push(event))
    // A killed program's files are closed by the system.
    await this.spool?.close()
    const spool = await Spool.open(join(this.folder, 'spool'), silentLog)
    this.spool = spool
    const listener = {
      sessionStarted: ({ login, acctSessionId, ip: address }: LiveSession) => {
        this.heard.push(`started ${login} ${acctSessionId}`)
        return address === null || !this.taken.has(address)
      },
      sessionMoved: (_: unknown, { login, ip: address }: { login: string; ip: string | null }) =>
        this.heard.push(`moved ${login} ${address}`),
      sessionStopped: ({ login, acctSessionId }: { login: string; acctSessionId: string }) =>
        this.heard.push(`stopped ${login} ${acctSessionId}`),
    }
    this.traffic = new TrafficCounter({
      store: this.trafficStore,
      node: this.node,
      sessions: this.sessions,
      days: this.days,
      isUp: () => this.isUp,
      nextSessionId: () => this.accounting.nextSessionId,
      askToSettle: () => this.accounting.settleOctets(),
      clock: this.clock,
      log: silentLog,
    })
    this.accounting = new Accounting({
      octets: this.traffic,
      store: new AccountingStore(this.pool, { told: this.node === null ? null : () => this.told++ }),
      nodes: this.node === null ? null : new NodeSessions(this.pool),
      spool,
      sessions: this.sessions,
      events: this.events,
      listener,
      isUp: () => this.isUp,
      nasIp: (nas) => `127.0.0.${nas}`,
      disconnect: async (session) => this.disconnect(session),
      sessionSecondsOf: () => this.sessionSeconds,
      interimSeconds: () => 300,
      interimSecondsOf: () => this.ownInterimSeconds,
      onInterimsLearned: (nas, sendsInterims) => this.learned.push([nas, sendsInterims]),
      readClass: (className) => new ClassReader(classKey).read(className),
      ownerOf: (name) => (/^ivan(@isp\.ru)?$/.test(name) ? ivan : null),
      leaseOf: (_, station) => (station === null ? null : this.lease),
      ownerOfId: (id) => (id === ivan.userId ? ivan : null),
      clock: this.clock,
      log: silentLog,
    })
    this.accounting.setNas(this.nas)
    await this.accounting.start()
  }

  /** The pool, as long as the database is not away. */
  get pool(): pg.Pool {
    return new Proxy(this.database, {
      get: (pool, name) => {
        if (name !== 'query' && name !== 'connect') return Reflect.get(pool, name)
        return (...given: unknown[]) =>
          this.isUp
            ? Reflect.apply(pool[name], pool, given)
            : Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      },
    })
  }

  /** Hands packets over as one batch and answers which were accepted. */
  async send(...packets: readonly Buffer[]): Promise<number[]> {
    return [...(await this.accounting.sink(batchOf(packets.map((packet) => ({ nas: 1, packet })))))]
  }

  /** The same of packets that have lain in the socket for so long. */
  async sendLate(ageMs: number, ...packets: readonly Buffer[]): Promise<number[]> {
    const batch = batchOf(
      packets.map((packet) => ({ nas: 1, packet })),
      steadyMs() - ageMs,
    )
    return [...(await this.accounting.sink(batch))]
  }

  /** The database is there again, and what is in the spool is stored. */
  async recover(): Promise<void> {
    this.isUp = true
    while (this.accounting.state === 'spooling') {
      this.clock.advance(500)
      await new Promise(setImmediate)
    }
  }

  /** What accounting has begun to write by itself is among them. */
  async rows(): Promise<SessionRow[]> {
    await until(() => this.database.idleCount === this.database.totalCount)
    const { rows } = await this.database.query<SessionRow>(
      `SELECT *, host(framed_ip) AS framed_ip, host(offered_ip) AS offered_ip,
      (extract(epoch FROM started_at - $1::timestamptz))::float8 AS started, (extract(epoch FROM ended_at - $1::timestamptz))::float8 AS ended
      FROM radius_sessions ORDER BY id`,
      [startOfTime],
    )
    return rows
  }

  /** Resolves when there was such an event. */
  async publishedOnce(kind: TollgateEvent['kind']): Promise<void> {
    if (this.published.some((event) => event.kind === kind)) return
    await new Promise<void>((resolve) => this.events.on(kind, () => resolve()))
  }

  of<K extends TollgateEvent['kind']>(kind: K): EventOf<K>[] {
    return this.published.filter((event) => event.kind === kind) as EventOf<K>[]
  }
}

async function seed(database: pg.Pool): Promise<void> {
  await database.query(`
    INSERT INTO nas (id, name, ip, secret) SELECT n, 'nas-' || n, ('127.0.0.' || n)::inet, 'secret' FROM generate_series(1, 3) n;
    INSERT INTO admin_accounts (id) VALUES (1);
    INSERT INTO tarifs (id, name, price) VALUES (1, 'tariff', 0);
    INSERT INTO abonents (id, name, contract_number, account_id, tarif_id, organization_id) VALUES (1, 'Ivan', '1', 1, 1, 1);
    INSERT INTO users (id, abonent_id, login, password, mac) VALUES (1, 1, 'ivan', 'x', '02:00:00:00:00:01');`)
}

type Details = {
  login?: string | Buffer
  id?: string | Buffer
  time?: number
  input?: number
  output?: number
  gigawords?: [input: number, output: number]
  station?: string
  ip?: string
  delay?: number
  stamp?: number
  cause?: number
  more?: readonly Attribute[]
  identifier?: number
}

const statusTypes = { start: 1, stop: 2, interim: 3, on: 7, off: 8 }

/** One Accounting-Request of NAS 1. */
export function packet(status: keyof typeof statusTypes, details: Details = {}): Buffer {
  const { login = 'ivan', id = 'A1', time, input, output, gigawords, station, delay, stamp, cause, more = [] } = details
  const attributes: (Attribute | false)[] = [
    [40, statusTypes[status]],
    status !== 'on' && status !== 'off' && [1, login],
    status !== 'on' && status !== 'off' && [44, id],
    time !== undefined && [46, time],
    input !== undefined && [42, input],
    output !== undefined && [43, output],
    gigawords !== undefined && [52, gigawords[0]],
    gigawords !== undefined && [53, gigawords[1]],
    station !== undefined && [31, station],
    details.ip !== undefined && [8, ip(details.ip)],
    delay !== undefined && [41, delay],
    stamp !== undefined && [55, stamp],
    cause !== undefined && [49, cause],
    ...more,
  ]
  return accountingRequest(
    'secret',
    attributes.filter((one) => one !== false),
    details.identifier,
  )
}
