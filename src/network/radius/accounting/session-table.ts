import type { Session } from '../../../domain/events.ts'
import {
  type LoginId,
  loginId,
  type NasId,
  nasId,
  organizationId,
  type SubscriberId,
  subscriberId,
} from '../../../domain/ids.ts'
import type { NasIdentity } from '../../../domain/nas.ts'
import type { Counters, LiveSession, NewSession, SessionKey } from './live-session.ts'
import { isSameNas, mayBeSameNas, nameOfNas, unnamedNas } from './nas-identity.ts'
import {
  columnsOf,
  hashKey,
  hashNumber,
  type NumberColumn,
  numberColumns,
  type SessionColumnsView,
  type SessionRates,
} from './session-memory.ts'
import { SlotIndex, hashText } from './slot-index.ts'

/** A report that comes earlier may tell an address after the Start, and promises no other. */
const reportedAfterMs = 60_000
const gardens = [null, false, true] as const

/**
 * Every live session in memory, in columns rather than objects: about 250 bytes each, so that a million of them take
 * little memory and do not burden the garbage collector. LiveSession objects are made on demand. The table holds only
 * what is durable (in the database or the spool).
 */
export class SessionTable {
  #columns: Record<NumberColumn, Float64Array> = columnsOf(1024)
  #input = new BigUint64Array(1024)
  #output = new BigUint64Array(1024)
  readonly #logins: string[] = []
  /** One object for all sessions of a NAS. */
  readonly #nasIdentities: NasIdentity[] = []
  /** The source of its packets; one text for all sessions of a NAS. */
  readonly #nasIps: string[] = []
  readonly #acctSessionIds: string[] = []
  readonly #userLogins: (string | null)[] = []
  readonly #ips: (string | null)[] = []
  readonly #offeredIps: (string | null)[] = []
  readonly #ipv6Prefixes: (string | null)[] = []
  readonly #delegatedIpv6Prefixes: (string | null)[] = []
  readonly #macs: (string | null)[] = []
  readonly #stations: (string | null)[] = []
  /** The columns of texts that are null for most sessions. */
  readonly #texts = [
    this.#userLogins,
    this.#ips,
    this.#offeredIps,
    this.#ipv6Prefixes,
    this.#delegatedIpv6Prefixes,
    this.#macs,
    this.#stations,
  ]
  readonly #free: number[] = []
  #slots = 0
  readonly #byKey = new SlotIndex()
  readonly #byLogin = new SlotIndex()
  readonly #bySubscriber = new SlotIndex()
  readonly #counts = new Map<number, number>()
  #foreign = 0

  get size(): number {
    return this.#slots - this.#free.length
  }

  /** How many of the sessions other nodes have heard of last. */
  get foreign(): number {
    return this.#foreign
  }

  countByNas(): ReadonlyMap<number, number> {
    return this.#counts
  }

  /** The live sessions of a login of Users, including those that the NAS names by MAC address, the oldest first. */
  liveOf(login: string): LiveSession[] {
    const found: LiveSession[] = []
    for (let slot = this.#byLogin.first(hashText(login)); slot >= 0; slot = this.#byLogin.next(slot))
      if ((this.#userLogins[slot] ?? this.#logins[slot]) === login) found.push(this.at(slot))
    return found.sort(oldestFirst)
  }

  ofSubscriber(id: SubscriberId): LiveSession[] {
    const found: LiveSession[] = []
    for (let slot = this.#bySubscriber.first(hashNumber(id)); slot >= 0; slot = this.#bySubscriber.next(slot))
      if (this.#columns.subscriberId[slot] === id) found.push(this.at(slot))
    return found.sort(oldestFirst)
  }

  /** Walks all live sessions. The table may change between two steps; a session that ended meanwhile is left out. */
  *all(): Generator<LiveSession> {
    for (let slot = 0; slot < this.#slots; slot++) if (this.#isLive(slot)) yield this.at(slot)
  }

  /**
   * One page of at most `max` live sessions from `slot` on, in the order of their slots; `next` is where the following
   * page begins. A session keeps its slot, so paging yields every session that lives throughout exactly once. `isOf`
   * says whether a NAS counts, by its record and the source of its packets.
   */
  page(
    slot: number,
    max: number,
    isOf: ((nas: NasId, ip: string) => boolean) | null,
  ): { sessions: LiveSession[]; next: number | null } {
    const sessions: LiveSession[] = []
    for (let at = slot; at < this.#slots; at++) {
      if (!this.#isLive(at) || isOf?.(this.#columns.nasId[at] as NasId, this.#nasIps[at]!) === false) continue
      if (sessions.length === max) return { sessions, next: at }
      sessions.push(this.at(at))
    }
    return { sessions, next: null }
  }

  /** Finds a session by its RADIUS_SESSIONS id in a scan of the whole table. */
  byId(id: number): LiveSession | null {
    const slot = this.#columns.id.indexOf(id)
    return slot >= 0 && this.#isLive(slot) ? this.at(slot) : null
  }

  /** The sessions about which no packet has been received since `beforeMs` (milliseconds since 1970). */
  silentSince(beforeMs: number): LiveSession[] {
    const silent: LiveSession[] = []
    for (let slot = 0; slot < this.#slots; slot++)
      if (this.#columns.receivedAtMs[slot]! < beforeMs && this.#isLive(slot)) silent.push(this.at(slot))
    return silent
  }

  /**
   * Of the NAS that share one of these records those that have reported a session a minute after its start or later, by
   * nasPlaceOf.
   */
  reportingNas(isShared: (nas: number) => boolean): Set<string> {
    const reporting = new Set<string>()
    const { nasId: nas, receivedAtMs, startedAtMs } = this.#columns
    for (let slot = 0; slot < this.#slots; slot++) {
      if (receivedAtMs[slot]! - startedAtMs[slot]! < reportedAfterMs || !this.#isLive(slot)) continue
      if (isShared(nas[slot]!)) reporting.add(nasPlace(nas[slot]!, this.#nasIdentities[slot]!, this.#nasIps[slot]!))
    }
    return reporting
  }

  /** The sessions of a NAS record; with `identity`, those of one NAS among several behind a proxy, as `isOf` tells. */
  ofNas(id: NasId, identity: NasIdentity | null = null, isOf = isSameNas): LiveSession[] {
    const found: LiveSession[] = []
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.#columns.nasId[slot] !== id || !this.#isLive(slot)) continue
      if (identity === null || isOf(this.#nasIdentities[slot]!, identity)) found.push(this.at(slot))
    }
    return found
  }

  /** The slot of a live session, or -1. */
  find({ nasId: nas, nasIdentity, acctSessionId, login }: SessionKey): number {
    let found = -1
    for (let slot = this.#byKey.first(hashKey(nas, acctSessionId, login)); slot >= 0; slot = this.#byKey.next(slot)) {
      const hasName =
        this.#columns.nasId[slot] === nas &&
        this.#acctSessionIds[slot] === acctSessionId &&
        this.#logins[slot] === login
      if (!hasName) continue
      if (this.#nasIdentities[slot] === nasIdentity) return slot
      if (found < 0 && mayBeSameNas(this.#nasIdentities[slot]!, nasIdentity)) found = slot
    }
    return found
  }

  add(session: NewSession): number {
    const slot = this.#free.pop() ?? this.#slots++
    if (slot >= this.#input.length) this.#widen()
    const { nasId: nas, acctSessionId, login } = session
    const c = this.#columns
    c.id[slot] = session.id
    c.nasId[slot] = nas
    c.userId[slot] = session.userId ?? 0
    c.subscriberId[slot] = session.subscriberId ?? 0
    c.organizationId[slot] = session.organizationId ?? 0
    c.startedAtMs[slot] = session.startedAtMs
    c.receivedAtMs[slot] = session.receivedAtMs
    c.reportedAtMs[slot] = session.reportedAtMs
    c.sessionTime[slot] = session.sessionTime
    c.nasPort[slot] = session.nasPort ?? Number.NaN
    c.inputRate[slot] = c.outputRate[slot] = Number.NaN
    c.garden[slot] = gardens.indexOf(session.inGarden)
    c.node[slot] = session.node ?? 0
    if (session.node) this.#foreign++
    this.#input[slot] = session.inputOctets
    this.#output[slot] = session.outputOctets
    this.#logins[slot] = login
    this.#nasIdentities[slot] = session.nasIdentity
    this.#nasIps[slot] = session.nasIp
    this.#acctSessionIds[slot] = acctSessionId
    this.#userLogins[slot] = session.userLogin === login ? null : session.userLogin
    this.#ips[slot] = session.ip
    this.#offeredIps[slot] = session.offeredIp
    this.#ipv6Prefixes[slot] = session.ipv6Prefix
    this.#delegatedIpv6Prefixes[slot] = session.delegatedIpv6Prefix
    this.#macs[slot] = session.mac
    this.#stations[slot] = session.callingStationId
    this.#counts.set(nas, (this.#counts.get(nas) ?? 0) + 1)
    this.#byKey.add(slot, hashKey(nas, acctSessionId, login))
    this.#index(slot)
    return slot
  }

  /** Counters only grow: a late Interim-Update never rewinds them. */
  count(slot: number, counters: Counters, receivedAtMs: number): void {
    const c = this.#columns
    this.#rate(slot, counters, receivedAtMs)
    c.sessionTime[slot] = Math.max(c.sessionTime[slot]!, counters.sessionTime)
    c.receivedAtMs[slot] = Math.max(c.receivedAtMs[slot]!, receivedAtMs)
    c.reportedAtMs[slot] = Math.max(c.reportedAtMs[slot]!, counters.atMs)
    if (counters.inputOctets > this.#input[slot]!) this.#input[slot] = counters.inputOctets
    if (counters.outputOctets > this.#output[slot]!) this.#output[slot] = counters.outputOctets
  }

  /** The clock of the NAS counts where it sends one, because a record may have waited on its way. */
  #rate(slot: number, { sessionTime, inputOctets, outputOctets }: Counters, receivedAtMs: number): void {
    const c = this.#columns
    const seconds = sessionTime > 0 ? sessionTime - c.sessionTime[slot]! : (receivedAtMs - c.receivedAtMs[slot]!) / 1000
    // A record that came twice or late tells nothing new.
    if (seconds <= 0) return
    c.inputRate[slot] = Math.max(0, (Number(inputOctets - this.#input[slot]!) * 8) / seconds)
    c.outputRate[slot] = Math.max(0, (Number(outputOctets - this.#output[slot]!) * 8) / seconds)
  }

  /** Notes the other node that hears of the session from now on; null: this one does. */
  setNode(slot: number, node: number | null): void {
    const c = this.#columns
    this.#foreign += Number(node !== null) - Number(c.node[slot] !== 0)
    c.node[slot] = node ?? 0
  }

  /** Fills in what became known later: the stored id and owner, the address. Null leaves a field unchanged. */
  learn(
    slot: number,
    known: Partial<
      Pick<
        NewSession,
        | 'id'
        | 'userId'
        | 'subscriberId'
        | 'organizationId'
        | 'userLogin'
        | 'ip'
        | 'ipv6Prefix'
        | 'delegatedIpv6Prefix'
        | 'startedAtMs'
      >
    >,
  ): void {
    const c = this.#columns
    this.#byLogin.remove(slot)
    if (c.subscriberId[slot] !== 0) this.#bySubscriber.remove(slot)
    if (known.id) c.id[slot] = known.id
    if (known.userId) c.userId[slot] = known.userId
    if (known.subscriberId) c.subscriberId[slot] = known.subscriberId
    if (known.organizationId) c.organizationId[slot] = known.organizationId
    if (known.startedAtMs) c.startedAtMs[slot] = known.startedAtMs
    if (known.userLogin) this.#userLogins[slot] = known.userLogin === this.#logins[slot] ? null : known.userLogin
    if (known.ip) this.#ips[slot] = known.ip
    if (known.ipv6Prefix) this.#ipv6Prefixes[slot] = known.ipv6Prefix
    if (known.delegatedIpv6Prefix) this.#delegatedIpv6Prefixes[slot] = known.delegatedIpv6Prefix
    this.#index(slot)
  }

  /** Follows what a later packet says of its NAS, and where it came from; null leaves that unchanged. */
  setNas(slot: number, identity: NasIdentity, nasIp: string | null): void {
    this.#nasIdentities[slot] = identity
    if (nasIp !== null) this.#nasIps[slot] = nasIp
  }

  /** Follows the Class attribute of a later packet; null leaves the field unchanged. */
  setInGarden(slot: number, inGarden: boolean | null): void {
    if (inGarden !== null) this.#columns.garden[slot] = gardens.indexOf(inGarden)
  }

  remove(slot: number): void {
    const c = this.#columns
    const nas = c.nasId[slot]!
    this.#counts.set(nas, this.#counts.get(nas)! - 1)
    this.setNode(slot, null)
    this.#byKey.remove(slot)
    this.#byLogin.remove(slot)
    if (c.subscriberId[slot] !== 0) this.#bySubscriber.remove(slot)
    c.id[slot] = 0
    c.nasId[slot] = 0
    this.#logins[slot] = ''
    this.#nasIdentities[slot] = unnamedNas
    this.#nasIps[slot] = ''
    this.#acctSessionIds[slot] = ''
    for (const texts of this.#texts) texts[slot] = null
    this.#free.push(slot)
  }

  idAt(slot: number): number {
    return this.#columns.id[slot]!
  }

  nasIdAt(slot: number): NasId {
    return nasId(this.#columns.nasId[slot]!)
  }

  userIdAt(slot: number): LoginId | null {
    const id = this.#columns.userId[slot]!
    return id === 0 ? null : loginId(id)
  }

  startedAtMsAt(slot: number): number {
    return this.#columns.startedAtMs[slot]!
  }

  /** The other node that heard of it last; null: this one. */
  nodeAt(slot: number): number | null {
    return this.#columns.node[slot] || null
  }

  nasIdentityAt(slot: number): NasIdentity {
    return this.#nasIdentities[slot]!
  }

  nasIpAt(slot: number): string {
    return this.#nasIps[slot]!
  }

  ipAt(slot: number): string | null {
    return this.#ips[slot] ?? null
  }

  ipv6PrefixAt(slot: number): string | null {
    return this.#ipv6Prefixes[slot] ?? null
  }

  delegatedIpv6PrefixAt(slot: number): string | null {
    return this.#delegatedIpv6Prefixes[slot] ?? null
  }

  inGardenAt(slot: number): boolean | null {
    return gardens[this.#columns.garden[slot]!]!
  }

  /** Null while only one record has been received since the start of the program. */
  ratesAt(slot: number): SessionRates | null {
    const { inputRate, outputRate } = this.#columns
    const input = inputRate[slot]!
    return Number.isNaN(input) ? null : { input: Math.round(input), output: Math.round(outputRate[slot]!) }
  }

  get view(): SessionColumnsView {
    return {
      slots: this.#slots,
      numbers: this.#columns,
      inputOctets: this.#input,
      outputOctets: this.#output,
      ips: this.#ips,
      ipv6Prefixes: this.#ipv6Prefixes,
      macs: this.#macs,
    }
  }

  at(slot: number): LiveSession {
    const c = this.#columns
    const nas = c.nasId[slot]!
    const login = this.#logins[slot]!
    const port = c.nasPort[slot]!
    return {
      id: String(c.id[slot]),
      login,
      subscriberId: c.subscriberId[slot] === 0 ? null : subscriberId(c.subscriberId[slot]!),
      organizationId: c.organizationId[slot] === 0 ? null : organizationId(c.organizationId[slot]!),
      nasId: nasId(nas),
      nasIp: this.#nasIps[slot]!,
      nasIdentity: this.#nasIdentities[slot]!,
      acctSessionId: this.#acctSessionIds[slot]!,
      ip: this.#ips[slot] ?? null,
      ipv6Prefix: this.#ipv6Prefixes[slot] ?? null,
      mac: this.#macs[slot] ?? null,
      startedAt: new Date(c.startedAtMs[slot]!),
      updatedAt: new Date(c.receivedAtMs[slot]!),
      sessionTime: c.sessionTime[slot]!,
      inputOctets: this.#input[slot]!,
      outputOctets: this.#output[slot]!,
      endedAt: null,
      endReason: null,
      userId: c.userId[slot] === 0 ? null : loginId(c.userId[slot]!),
      userLogin: this.#userLogins[slot] ?? login,
      callingStationId: this.#stations[slot] ?? null,
      offeredIp: this.#offeredIps[slot] ?? null,
      nasPort: Number.isNaN(port) ? null : port,
      inGarden: this.inGardenAt(slot),
      node: this.nodeAt(slot),
      slot,
    }
  }

  #isLive(slot: number): boolean {
    return this.#columns.nasId[slot] !== 0
  }

  #index(slot: number): void {
    this.#byLogin.add(slot, hashText(this.#userLogins[slot] ?? this.#logins[slot]!))
    const subscriber = this.#columns.subscriberId[slot]!
    if (subscriber !== 0) this.#bySubscriber.add(slot, hashNumber(subscriber))
  }

  #widen(): void {
    const length = this.#input.length * 2
    const wider = columnsOf(length)
    for (const name of numberColumns) wider[name].set(this.#columns[name])
    this.#columns = wider
    const input = new BigUint64Array(length)
    input.set(this.#input)
    this.#input = input
    const output = new BigUint64Array(length)
    output.set(this.#output)
    this.#output = output
  }
}

const nasPlace = (nas: number, identity: NasIdentity, nasIp: string): string =>
  `${nas}\0${nameOfNas(identity)}\0${nasIp}`

/** The key of the NAS that has a session, among those that share a record. */
export const nasPlaceOf = ({ nasId: nas, nasIdentity, nasIp }: LiveSession): string => nasPlace(nas, nasIdentity, nasIp)

const oldestFirst = (a: Session, b: Session): number => a.startedAt.getTime() - b.startedAt.getTime()
