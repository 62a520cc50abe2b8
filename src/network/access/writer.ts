import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { decideAccess, gardenSeconds, shorterLimit } from '../../domain/access.ts'
import { type Account, accessEnd, type Reach, subscribersById } from '../../domain/account.ts'
import { blocksToBits } from '../../domain/block.ts'
import type { EventOf } from '../../domain/events.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { NasEntry } from '../../domain/nas.ts'
import { type Clock, systemClock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Change, watchChanges } from '../../platform/storage/changes.ts'
import type { Database } from '../../platform/storage/database.ts'
import { limited, startReadMs } from '../../platform/storage/sql.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { CountedSessions } from './counted-sessions.ts'
import { exactNames, type NameRules } from './login-names.ts'
import { attributes } from '../radius/wire/attribute-types.ts'
import { loadNas } from './nas-list.ts'
import { loadPools } from './pool-list.ts'
import { AddressPools } from './pools.ts'
import type { AccessFields, AccessPart, AccessRecord } from './record.ts'
import { type Ids, type RowBatch, rowBatches } from './row-batches.ts'
import { type AccessRow, type RowFilter, RowReader, rowFilters } from './rows.ts'
import { SealedPasswords } from './sealed-passwords.ts'
import { parseMac } from './station.ts'
import { AccessTable } from './table.ts'

/** The rows that were written, by kind; `*` means that any of them may have been. */
export type Refresh = Partial<Record<RowFilter | 'pools' | 'nas', Ids>>

/** The owner of a login. */
export type LoginOwner = { userId: number; subscriberId: number; organizationId: number; login: string }

type AccessWriterParts = {
  database: Database
  secrets: Secrets
  clock?: Clock
  log: Log
  /** Several programs give out the addresses of the pools, each of its own blocks. */
  sharesPools?: boolean
}

/**
 * A reading of rows that is in progress. Logins that a later reading has written meanwhile (`rewritten`) are left as
 * they are: that reading began after the write that caused it, so it sees everything that the earlier one was started
 * for. What a commit of the ledger has decided meanwhile (`decided`) is newer as well. `distrusts`: no version in
 * memory counts.
 */
type Reading = { number: number; rewritten: Set<number>; decided: Map<number, AccessPart>; distrusts: boolean }

/** The rows that are applied at a time, which takes about a millisecond of the main thread. */
const sliceRows = 250
/** The maximum of ids in one query, because an import may name a million of them. */
const namedMax = 5000
const retryMs = 1000
const releaseEveryMs = 30_000

/** The only writer of the access table and the address pools. It lives in the main thread. */
export class AccessWriter {
  readonly table: AccessTable
  readonly pools: AddressPools
  readonly sessions: CountedSessions
  readonly #parts: AccessWriterParts
  readonly #rows: RowReader
  readonly #sealed: SealedPasswords
  readonly #readings = new Set<Reading>()
  readonly #nasListeners = new Set<(list: readonly NasEntry[]) => void>()
  #lastReading = 0
  #lastInTurn: Promise<void> = Promise.resolve()
  /** Rows that others wrote and that have not been read yet. */
  readonly #changed = new Map<keyof Refresh, number[] | '*'>()
  #following: Promise<void> | null = null
  #nas: readonly NasEntry[] = []
  #stopWatching: () => void = () => {}
  /** Set when the tables have lost commits: no version in memory counts until everything has been read anew. */
  #distrusts = false
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(parts: AccessWriterParts, expectedLogins: number) {
    this.#parts = parts
    this.#rows = new RowReader(parts.secrets, parts.log)
    this.table = new AccessTable(expectedLogins)
    this.pools = new AddressPools({ isShared: parts.sharesPools === true })
    this.#sealed = new SealedPasswords({ ...parts, table: this.table })
    this.sessions = new CountedSessions(this.table, this.pools, parts.log)
  }

  /** Reads every login, pool and NAS, and from then on follows what other writers change in the tables. */
  static async load(parts: AccessWriterParts): Promise<AccessWriter> {
    const counting = limited({ text: 'SELECT count(*) FROM users' }, startReadMs)
    const { rows } = await parts.database.pool.query<{ count: string }>(counting)
    const writer = new AccessWriter(parts, Number(rows[0]?.count ?? 0))
    const ends = [
      watchChanges(parts.database, (change) => writer.#follow(change)),
      // Readings that began before this are of the former server.
      parts.database.onReplaced(() => {
        writer.#distrusts = true
      }),
    ]
    writer.#stopWatching = () => {
      for (const end of ends) end()
    }
    await writer.refresh({ pools: '*', nas: '*', users: '*' })
    const { clock = systemClock } = parts
    writer.#timer = setInterval(() => writer.pools.releaseOffered(seconds(clock.now())), releaseEveryMs)
    writer.#timer.unref()
    return writer
  }

  get nas(): readonly NasEntry[] {
    return this.#nas
  }

  /**
   * The listener is called after every change, and once immediately, so that no change before its registration is
   * missed.
   */
  onNas(listener: (list: readonly NasEntry[]) => void): () => void {
    this.#nasListeners.add(listener)
    listener(this.#nas)
    return () => this.#nasListeners.delete(listener)
  }

  /**
   * Reads rows again and rewrites their entries, which workers see when it resolves. Rejects when the database is
   * unavailable.
   */
  async refresh(what: Refresh): Promise<void> {
    const readings: Promise<void>[] = []
    const filters = rowFilterNames.filter((filter) => what[filter] !== undefined)
    // When any row of one kind may have changed, every login is read.
    if (filters.some((filter) => what[filter] === '*')) readings.push(this.#read(null, '*'))
    else for (const filter of filters) readings.push(this.#read(filter, what[filter]!))
    if (what.pools !== undefined) readings.push(this.#inTurn(() => this.#readPools()))
    if (what.nas !== undefined) readings.push(this.#inTurn(() => this.#readNas()))
    await Promise.all(readings)
  }

  /** As `refresh`, for rows of a table of which somebody has written these; other tables say nothing about access. */
  async refreshAfter(table: string, ids: Ids): Promise<void> {
    const kind = followed[table as keyof typeof followed]
    if (kind) await this.refresh({ [kind]: ids })
  }

  /**
   * What the ledger has committed is visible to the workers when this returns. A new speed follows as soon as it has
   * been read.
   */
  accountCommitted({ before, after, at, effects, isForeign }: EventOf<'accountCommitted'>): void {
    this.applyAccount(after, at)
    // The database notifies only of rows that other writers changed, so a tariff that the ledger changed is read again
    // from here.
    for (const { effect } of effects) if (effect.kind === 'speed') this.#readAgain('subscribers', [effect.subscriberId])
    if (!isForeign) return
    const others = withOtherTariff(before, after)
    if (others.length > 0) this.#readAgain('subscribers', others)
  }

  /** Writes what a commit of the ledger decided for all logins of the account; the workers see it when this returns. */
  applyAccount(after: Account, now: Date): void {
    const end = accessEnd(after, now)
    for (const subscriber of after.subscribers) {
      for (const login of subscriber.logins) {
        const access: AccessPart = {
          accountId: after.id,
          accountVersion: after.version,
          deleted: subscriber.deleted,
          disabledByHand: login.disabledByHand,
          loginEnabled: login.enabled,
          subscriberEnabled: subscriber.enabled,
          blockBits: blocksToBits(subscriber.blocks),
          asleepUntil: after.sleepUntil ? seconds(after.sleepUntil) : 0,
          accessEnd: end ? seconds(end) : 0,
        }
        const record = this.table.get(login.id)
        const isNewer = record && record.accountId === after.id && record.accountVersion > after.version
        if (isNewer && !this.#distrusts) continue
        if (record) this.table.setAccess(login.id, access)
        // This covers a login that is still missing here too: the row that is being read may be older than this
        // decision.
        for (const reading of this.#readings) reading.decided.set(login.id, access)
      }
    }
  }

  /**
   * The owner by login, or else by the MAC address that the text may be (IPoE); null for an unknown login. With `names`
   * the text is a User-Name, which is read as for a sign-in.
   */
  ownerOf(login: string | Uint8Array, names: NameRules = exactNames): LoginOwner | null {
    const name = typeof login === 'string' ? Buffer.from(login) : login
    const mac = parseMac(name, 0, name.length)
    const record = this.table.findByName(name, names) ?? (mac < 0 ? null : this.table.findMac(mac))
    return record && ownerIn(record)
  }

  ownerOfId(loginId: number): LoginOwner | null {
    const record = this.table.get(loginId)
    return record && ownerIn(record)
  }

  /** The present name of a login. Sessions that began earlier may have another one. */
  loginOf(loginId: number): string | null {
    return this.table.get(loginId)?.login() ?? null
  }

  /** The Session-Timeout that an Accept carries, in seconds, apart from the end of the access; 0 when there is none. */
  sessionSecondsOf(loginId: number | null, inGarden: boolean): number {
    const allowed = loginId === null ? 0 : (this.table.get(loginId)?.sessionSecondsMax ?? 0)
    return shorterLimit(inGarden ? gardenSeconds : 0, allowed)
  }

  /** The Acct-Interim-Interval of radius_reply in seconds; 0 where the setting applies. */
  interimSecondsOf(loginId: number | null): number {
    return loginId === null ? 0 : (this.table.get(loginId)?.replyInteger(attributes.acctInterimInterval) ?? 0)
  }

  /** The access that the login would get now, regardless of its sessions; null for an unknown login. */
  reachOf(loginId: number, now: Date): Reach | null {
    const record = this.table.get(loginId)
    if (!record) return null
    const decision = decideAccess(record, seconds(now), 0, { simultaneous: 'replace' })
    if (decision.kind === 'grant') return decision.walledGarden ? 'garden' : 'open'
    return decision.reason === 'tooManySessions' ? null : 'closed'
  }

  /**
   * Decrypts the passwords that `load` has left encrypted, because the start has no core to spare. Resolves when every
   * password in the table is decrypted that can be; the table serves sign-ins before that.
   */
  openPasswords(): Promise<void> {
    return this.#sealed.open()
  }

  close(): void {
    this.#isClosed = true
    void this.#sealed.close()
    this.#stopWatching()
    if (this.#timer) clearInterval(this.#timer)
    this.table.close()
    this.pools.close()
  }

  /** Changes by other writers are collected while the ones before them are being read. */
  #follow({ table, ids }: Change): void {
    const kind = followed[table as keyof typeof followed]
    if (kind) this.#readAgain(kind, ids)
  }

  #readAgain(kind: keyof Refresh, ids: Ids): void {
    this.#gather(kind, ids)
    this.#following ??= this.#readChanged().finally(() => {
      this.#following = null
    })
  }

  #gather(kind: keyof Refresh, ids: Ids): void {
    const waiting = this.#changed.get(kind) ?? []
    if (ids === '*') this.#changed.set(kind, '*')
    else if (waiting !== '*') {
      waiting.push(...ids)
      this.#changed.set(kind, waiting)
    }
  }

  async #readChanged(): Promise<void> {
    // Waiting for the next turn of the event loop combines a burst of notifications into one reading.
    await nextTurn()
    while (this.#changed.size > 0 && !this.#isClosed) {
      const changed = this.#takeChanged()
      try {
        await this.refresh(changed)
      } catch (error) {
        // These rows will not be notified again, so they go back among the changed ones.
        for (const kind of Object.keys(changed) as (keyof Refresh)[]) this.#gather(kind, changed[kind]!)
        this.#parts.log.warn('Changed rows could not be read for the access table; trying again.', { error })
        await pause(retryMs, null, { ref: false })
      }
    }
  }

  #takeChanged(): Refresh {
    const taken: Refresh = {}
    for (const [kind, ids] of this.#changed) {
      if (ids !== '*' && ids.length > namedMax) {
        taken[kind] = ids.splice(0, namedMax)
        continue
      }
      taken[kind] = ids
      this.#changed.delete(kind)
    }
    return taken
  }

  /** Small tables are read strictly one after another, so that the reading that began last is applied last. */
  #inTurn(reading: () => Promise<void>): Promise<void> {
    const result = this.#lastInTurn.then(reading)
    this.#lastInTurn = result.catch(() => {})
    return result
  }

  async #read(filter: RowFilter | null, ids: Ids): Promise<void> {
    const reading: Reading = {
      number: ++this.#lastReading,
      rewritten: new Set(),
      decided: new Map(),
      distrusts: this.#distrusts,
    }
    this.#readings.add(reading)
    // While the table is empty it has no login whose row could be missing.
    const seen = this.table.size === 0 ? null : new Set<number>()
    try {
      const batches = rowBatches(this.#parts.database, filter, ids, seen === null)
      for await (const batch of batches) await this.#takeAll(reading, batch, seen)
      if (seen !== null && (filter === null || filter === 'users')) this.#removeMissing(reading, ids, seen)
      if (filter === null && reading.distrusts) this.#distrusts = false
    } finally {
      this.#readings.delete(reading)
      if (seen !== null) void this.#sealed.open()
    }
  }

  /** Applies a few rows at a time, so that a tariff with many subscribers does not block the event loop. */
  async #takeAll(reading: Reading, { rows, isFull }: RowBatch, seen: Set<number> | null): Promise<void> {
    let taken = 0
    for (const row of rows) {
      if (taken > 0 && taken % sliceRows === 0) await nextTurn()
      taken++
      this.#take(reading, row, isFull, seen)
    }
  }

  /** A row that cannot become an entry is left out, so that it affects nobody else; its login is rejected. */
  #take(reading: Reading, row: AccessRow, staysSealed: boolean, seen: Set<number> | null): void {
    const { id } = row
    try {
      this.#write(reading, this.#rows.read(row, staysSealed))
      seen?.add(id)
    } catch (error) {
      this.#parts.log.error('A login cannot be taken into the access table.', { loginId: id, error })
      this.#remove(reading, id)
    }
  }

  #write(reading: Reading, fields: AccessFields): void {
    const { loginId } = fields
    if (reading.rewritten.has(loginId)) return
    const record = this.table.get(loginId)
    const oldIp = record?.ip ?? -1
    const decided = reading.decided.get(loginId)
    const present = record && !reading.distrusts ? record.access() : decided
    const access = present ? newerAccess(present, fields.access, decided !== undefined) : fields.access
    this.table.put(access === fields.access ? fields : { ...fields, access })
    if (fields.isSealed) this.#sealed.add(loginId)
    if (oldIp !== fields.ip) {
      if (oldIp >= 0) this.pools.removeFixed(oldIp)
      if (fields.ip >= 0) this.pools.addFixed(fields.ip)
    }
    this.#markRewritten(reading, loginId)
  }

  #removeMissing(reading: Reading, ids: Ids, seen: ReadonlySet<number>): void {
    const gone: number[] = []
    const consider = (id: number) => {
      if (!seen.has(id) && !reading.rewritten.has(id)) gone.push(id)
    }
    if (ids === '*') this.table.forEachLoginId(consider)
    else ids.forEach(consider)
    for (const id of gone) this.#remove(reading, id)
  }

  #remove(reading: Reading, id: number): void {
    const ip = this.table.get(id)?.ip ?? -1
    if (this.table.remove(id) && ip >= 0) this.pools.removeFixed(ip)
    this.#markRewritten(reading, id)
  }

  #markRewritten(by: Reading, loginId: number): void {
    for (const reading of this.#readings) if (reading.number < by.number) reading.rewritten.add(loginId)
  }

  async #readPools(): Promise<void> {
    this.pools.define(await loadPools(this.#parts.database), () => this.#fixedAddresses())
  }

  *#fixedAddresses(): Generator<number> {
    const ids: number[] = []
    this.table.forEachLoginId((id) => ids.push(id))
    for (const id of ids) {
      const ip = this.table.get(id)?.ip ?? -1
      if (ip >= 0) yield ip
    }
  }

  async #readNas(): Promise<void> {
    const list = await loadNas(this.#parts.database, this.#parts.secrets, this.#parts.log)
    this.#nas = list
    for (const listener of this.#nasListeners) listener(list)
  }
}

const rowFilterNames = Object.keys(rowFilters) as RowFilter[]

/** What has to be read again after a change of a table, whoever has changed it. */
const followed = {
  users: 'users',
  abonents: 'subscribers',
  abonents_block: 'subscribers',
  admin_accounts: 'accounts',
  tarifs: 'tarifs',
  ip_pulls: 'pools',
  nas: 'nas',
  nas_templates: 'nas',
} as const satisfies Partial<Record<Change['table'], keyof Refresh>>

/**
 * The newer of two decisions on a login: by the version of the account, and where the accounts differ (the subscriber
 * was moved) the one that the ledger made while the rows were being read.
 */
function newerAccess(present: AccessPart, read: AccessPart, decidedMeanwhile: boolean): AccessPart {
  if (present.accountId === read.accountId) return present.accountVersion > read.accountVersion ? present : read
  return decidedMeanwhile ? present : read
}

/** The subscribers to whom a commit of another node gave a tariff, or who came to the account by it. */
function withOtherTariff(before: Account, after: Account): SubscriberId[] {
  const earlier = subscribersById(before)
  return after.subscribers.filter(({ id, tariffId }) => earlier.get(id)?.tariffId !== tariffId).map(({ id }) => id)
}

const ownerIn = (record: AccessRecord): LoginOwner => {
  const { loginId, subscriberId, organizationId } = record
  return { userId: loginId, subscriberId, organizationId, login: record.login() }
}

const seconds = (date: Date): number => date.getTime() / 1000
