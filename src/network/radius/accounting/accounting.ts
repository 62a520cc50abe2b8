import type { Events } from '../../../domain/events.ts'
import { type NasId, nasId } from '../../../domain/ids.ts'
import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import { steadyMs } from '../../../platform/actors/day-time.ts'
import type { Log } from '../../../platform/log.ts'
import { addressWords } from '../udp/udp-port.ts'
import type { AccountingBatch, AccountingSink } from '../worker/messages.ts'
import type { AccountingCounts } from './accounting-counts.ts'
import { AccountingCommit, type ChangeStored } from './accounting-commit.ts'
import { type AccountingRecord, readAccountingRecord } from './accounting-record.ts'
import type { AccountingStore } from './accounting-store.ts'
import { groupMax, GroupQueue } from './group-queue.ts'
import { FollowedSessions, type LoggedSessions } from './followed-sessions.ts'
import { HeardNas, markOf } from './heard-nas.ts'
import { NasClocks } from './nas-clocks.ts'
import { NasInterims } from './nas-interims.ts'
import type { NodeSessions } from './node-sessions.ts'
import { type NasReboot, planSteps, type SessionEntry } from './session-changes.ts'
import { noCounter, type OctetCounter } from './octet-counter.ts'
import { SourceTexts } from './source-texts.ts'
import { type LoginMemory, SessionOwners } from './session-owners.ts'
import { SessionTracker } from './session-tracker.ts'
import { SilentSessions } from './silent-sessions.ts'
import { endReasons } from './session-terms.ts'
import type { LiveSession, SessionListener } from './live-session.ts'
import type { SessionTable } from './session-table.ts'
import type { Spool } from './spool.ts'
import { frameEnding, framePacket, readFrame } from './spool-frames.ts'
import { completeWrapped } from './wrapped-counters.ts'

export type AccountingParts = LoginMemory & {
  store: AccountingStore
  spool: Spool
  sessions: SessionTable
  events: Events
  listener: SessionListener
  isUp: () => boolean
  /** The address of a NAS in its record, for packets of which an older version kept no source. */
  nasIp: (nas: NasId) => string
  /** Asks the NAS to end a session, and resolves when it has answered or is given up. */
  disconnect: (session: LiveSession) => Promise<unknown>
  /** The Session-Timeout of a session in seconds; 0 when it has none. */
  sessionSecondsOf: (session: LiveSession) => number
  interimSeconds: () => number
  /** The Acct-Interim-Interval that a session was given instead of `interimSeconds`; 0 when it was not. */
  interimSecondsOf?: (session: LiveSession) => number
  /** A NAS has sent an Interim-Update, or a Stop where one should have come before. */
  onInterimsLearned: (nas: NasId, sendsInterims: boolean) => void
  /** Is told of every octet. */
  octets?: OctetCounter
  /** The sessions of other nodes; null: there are none. */
  nodes?: NodeSessions | null
  clock: Clock
  log: Log
}

type Piece = { entry: SessionEntry; frame: () => Buffer }
type Job = { pieces: Piece[]; done: (kept: (index: number) => boolean) => void }

const retryMs = 500

/**
 * Accounting, which is durable before it is answered.
 *
 *     direct ──database away──► spooling ──database back, spool read to its end──► direct
 *
 * In `direct` a group is one statement, and what arrives meanwhile forms the next group (group-queue.ts). In
 * `spooling` every group is appended to the spool, which is drained from its head, so the records of a session keep
 * their order. There is only ever one group at a time.
 */
export class Accounting {
  readonly #parts: AccountingParts
  readonly #owners: SessionOwners
  readonly #tracker: SessionTracker
  readonly #commit: AccountingCommit
  readonly #foreign: FollowedSessions
  readonly #octets: OctetCounter
  #state: 'direct' | 'spooling' = 'direct'
  readonly #queue: GroupQueue<Job>
  #working: Promise<void> | null = null
  #stopping = false
  #isPrepared = false
  #cancelRetry: () => void = () => {}
  #wantsToSettle = false
  readonly #silence: SilentSessions
  readonly #heard = new HeardNas()
  readonly clocks = new NasClocks()
  readonly #interims: NasInterims
  readonly #sources = new SourceTexts()
  readonly counts: AccountingCounts = {
    start: 0,
    interim: 0,
    stop: 0,
    on: 0,
    off: 0,
    stored: 0,
    spooled: 0,
    drained: 0,
    unsaved: 0,
    refused: 0,
    statements: 0,
  }

  constructor(parts: AccountingParts) {
    this.#parts = parts
    this.#queue = new GroupQueue(parts.clock)
    this.#interims = new NasInterims(parts.interimSeconds, parts.onInterimsLearned)
    const rebootScope = (reboot: NasReboot) => this.#heard.scopeOf(reboot)
    this.#octets = parts.octets ?? noCounter
    this.#owners = new SessionOwners(parts)
    this.#tracker = new SessionTracker({
      ...parts,
      owners: this.#owners,
      octets: this.#octets,
      rebootScope,
      end: (session, atMs) => void this.endSession(session, new Date(atMs), endReasons.replaced),
    })
    this.#commit = new AccountingCommit({
      ...parts,
      rebootScope,
      tracker: this.#tracker,
      owners: this.#owners,
      counts: this.counts,
    })
    this.#foreign = new FollowedSessions({ ...parts, octets: this.#octets, heard: this.#heard })
    this.#silence = new SilentSessions({
      ...parts,
      interims: this.#interims,
      heard: this.#heard,
      endSession: (...end) => this.endSession(...end),
    })
  }

  get state(): 'direct' | 'spooling' {
    return this.#state
  }

  /** No session that is not in memory by now gets an earlier id. */
  get nextSessionId(): number {
    return this.#commit.nextSessionId
  }

  /**
   * Drains what an earlier run left in the spool, then loads the live sessions. Rejects while the database that they
   * are read from is unavailable; while only that is away to which they are written, it begins with the spool.
   */
  async start(): Promise<void> {
    const { store, sessions, clock, isUp } = this.#parts
    if (isUp()) await this.#takeUp()
    else this.#state = 'spooling'
    await store.loadInto(sessions, (slot) => {
      this.#tracker.sessionLoaded(slot)
      this.#heard.hear(sessions.nasIdAt(slot), sessions.nasIdentityAt(slot))
    })
    if (this.#state === 'direct') await this.#octets.settle()
    else this.#planRetry()
    this.#silence.begin(clock.now())
  }

  async #takeUp(): Promise<void> {
    await this.#prepare()
    let drained = 0
    for (let count = 1; count > 0; drained += count) count = await this.#drainGroup(() => {})
    const { spool, log } = this.#parts
    if (drained > 0) log.info('Accounting kept by the spool has been stored.', { records: drained, left: spool.bytes })
  }

  /** To be done once, before anything is stored. */
  async #prepare(): Promise<void> {
    if (this.#isPrepared) return
    await this.#parts.nodes?.adopt()
    await this.#commit.reserve()
    this.#isPrepared = true
  }

  /** Accepts no new accounting and finishes what was accepted. What is in the spool stays there for the next start. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#cancelRetry()
    while (this.#working) await this.#working
    await this.#parts.spool.close()
  }

  /** How many sessions other nodes have stored that are not in memory yet. */
  get toFollow(): number {
    return this.#foreign.waiting
  }

  /** To be called when other nodes have stored sessions, which are then in memory soon. */
  follow(rows: readonly LoggedSessions[]): void {
    this.#foreign.add(rows)
    if (!this.#stopping) this.#wake()
  }

  /** Reads all live sessions anew. To be called when more has been missed than the log of nodes holds. */
  async followAll(): Promise<void> {
    await this.#foreign.addAll()
    if (!this.#stopping) this.#wake()
  }

  /** Resolves when the sessions that other nodes have told of until now are in memory. */
  followed(): Promise<void> {
    return this.#foreign.played()
  }

  /** To be called when the database was away, so that other nodes could not be told that a session was heard of. */
  hearAgain(): void {
    if (this.#parts.nodes) this.#silence.begin(this.#parts.clock.now())
  }

  /** Lets the counter of octets find out between two groups what it missed. */
  settleOctets(): void {
    this.#wantsToSettle = true
    if (!this.#stopping) this.#wake()
  }

  /** See AccountingSink. Packets of another status type than those that are stored are accepted. */
  readonly sink: AccountingSink = async (batch) => {
    if (this.#stopping) return new Int32Array(0)
    const pieces = this.#piecesOf(batch)
    const accepted = new Int32Array(pieces.length)
    let count = 0
    const parts: Promise<void>[] = []
    for (let from = 0; from < pieces.length; from += groupMax) {
      const part = pieces.length <= groupMax ? pieces : pieces.slice(from, from + groupMax)
      parts.push(
        new Promise((resolve) => {
          const done = (kept: (index: number) => boolean) => {
            for (let index = 0; index < part.length; index++) if (kept(index)) accepted[count++] = from + index
            resolve()
          }
          this.#add({ pieces: part, done })
        }),
      )
    }
    await Promise.all(parts)
    return accepted.subarray(0, count)
  }

  /**
   * Ends a session that no packet ended, and resolves when that is durable. A session that has ended meanwhile stays as
   * it is, and so does one that was to be silent (SessionEnding) and has been heard of.
   */
  endSession(session: LiveSession, at: Date, reason: string, silentSinceMs: number | null = null): Promise<void> {
    if (this.#stopping) return Promise.resolve()
    const { nasId: nas, nasIdentity, acctSessionId, login, startedAt } = session
    // Our clock may have been set back since the session began, but it cannot end before its start.
    const atMs = Math.max(at.getTime(), startedAt.getTime())
    const ending = { nasId: nas, nasIdentity, acctSessionId, login, atMs, reason, silentSinceMs }
    return new Promise((resolve) => {
      this.#add({
        pieces: [{ entry: { kind: 'ending', ending }, frame: () => frameEnding(ending) }],
        done: () => resolve(),
      })
    })
  }

  /** Job: ends the sessions that have been silent for three interim intervals, and returns how many. */
  closeSilentSessions(now: Date): Promise<number> {
    return this.#silence.close(now)
  }

  /** Whether a NAS on `auto` has taught that it sends Interim-Updates. */
  learnedInterims(nas: NasId): boolean | null {
    return this.#interims.learnedOf(nas)
  }

  setNas(list: readonly NasEntry[]): void {
    this.#interims.setNas(list)
    this.#heard.setNas(list)
  }

  /** How the NAS of this record names itself; null when it has sent nothing, `several` when the record is a proxy. */
  nasIdentity(nas: NasId): NasIdentity | 'several' | null {
    return this.#heard.identityOf(nas)
  }

  /** A record is as old as its datagram, because another node may have stored meanwhile what came after it. */
  #piecesOf({ packets, ends, nasIds, sources, arrivedMs }: AccountingBatch): Piece[] {
    const nowMs = this.#parts.clock.now().getTime()
    const aheadMs = nowMs - steadyMs()
    const bytes = Buffer.from(packets.buffer, packets.byteOffset, packets.byteLength)
    const pieces: Piece[] = []
    let from = 0
    for (let index = 0; index < ends.length; index++) {
      const [start, end] = [from, ends[index]!]
      const source = this.#sources.textOf(sources, index * addressWords)
      const receivedAtMs = Math.min(nowMs, Math.round(aheadMs + arrivedMs[index]!))
      const record = readAccountingRecord(bytes, nasId(nasIds[index]!), receivedAtMs, source, start, end)
      completeWrapped(record, this.#parts.sessions)
      this.#countRecord(record)
      const frame = () => framePacket(this.#owners.withOffer(record), bytes.subarray(start, end))
      pieces.push({ entry: { kind: 'packet', record }, frame })
      from = end
    }
    return pieces
  }

  #countRecord(record: AccountingRecord): void {
    const { status, nasId: nas, nasIdentity, clockAheadMs = null, receivedAtMs } = record
    if (status !== null) this.counts[status]++
    // A retransmission is answered and ends no session that began since.
    if (isReboot(status) && this.#heard.isRepeatedReboot(record)) record.status = null
    this.#heard.hear(nas, nasIdentity)
    if (clockAheadMs !== null) this.clocks.hear(nas, clockAheadMs, receivedAtMs)
    if (this.#interims.isOpen(record)) this.#interims.hear(record, this.#ageSeconds(record))
  }

  #ageSeconds(record: AccountingRecord): number {
    if (record.sessionTime > 0) return record.sessionTime
    const slot = this.#parts.sessions.find(record)
    return slot < 0 ? 0 : (record.atMs - this.#parts.sessions.startedAtMsAt(slot)) / 1000
  }

  #add(job: Job): void {
    this.#queue.add(job)
    this.#wake()
  }

  #wake(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = null
      if (!this.#queue.isEmpty) this.#wake()
      else if ((this.#state === 'spooling' || this.#foreign.waiting > 0) && !this.#stopping) this.#planRetry()
    })
  }

  #planRetry(): void {
    this.#cancelRetry()
    this.#cancelRetry = this.#parts.clock.after(retryMs, () => this.#wake())
  }

  /** Stores groups until the queue is empty, and drains the spool between them while spooling. Never throws. */
  async #work(): Promise<void> {
    for (;;) {
      const jobs = this.#queue.take()
      if (jobs.length > 0) await this.#keep(jobs)
      if (this.#wantsToSettle) await this.#settle()
      const followed = this.#state === 'direct' && !this.#stopping ? await this.#foreign.play() : 0
      if (this.#state === 'direct') await this.#queue.gather()
      const drained = this.#state === 'spooling' && !this.#stopping ? await this.#drain() : 0
      if (this.#queue.isEmpty && drained + followed === 0) return
    }
  }

  /** Lets the counter of octets settle. When that fails, the counter asks for it again. */
  async #settle(): Promise<void> {
    const { isUp, log } = this.#parts
    this.#wantsToSettle = false
    if (this.#state === 'spooling' || this.#octets.isSettled || !isUp()) return
    await this.#octets.settle().catch((error) => log.warn('Traffic could not be settled now.', { error }))
  }

  async #keep(jobs: readonly Job[]): Promise<void> {
    const pieces = jobs.flatMap((job) => job.pieces)
    const refused = await this.#commitOrSpool(pieces)
    for (const { entry } of pieces)
      if (entry.kind === 'packet' && isReboot(entry.record.status) && !refused.has(entry))
        this.#heard.rememberReboot(markOf(entry.record))
    for (const { pieces: own, done } of jobs) {
      try {
        done((index) => !refused.has(own[index]!.entry))
      } catch (error) {
        this.#parts.log.error('An answer to accounting could not be given.', { error })
      }
    }
  }

  /** Returns the entries that are not durable. */
  async #commitOrSpool(pieces: readonly Piece[]): Promise<ReadonlySet<SessionEntry>> {
    const { isUp, log, spool } = this.#parts
    const entries = pieces.map(({ entry }) => entry)
    if (this.#state === 'direct' && isUp()) {
      try {
        const refused = await this.#commit.run(entries, (change, stored) => this.#tracker.apply(change, stored), 'live')
        this.counts.stored += entries.length - refused.size
        return refused
      } catch (error) {
        log.warn('Accounting cannot be stored in the database and goes to the spool.', { error })
      }
    }
    this.#octets.forget()
    // It is unknown whether a failed statement was committed, but storing its entries again changes nothing.
    try {
      await spool.append(pieces.filter(({ entry }) => isKept(entry)).map(({ frame }) => frame()))
    } catch (error) {
      this.counts.unsaved += pieces.length
      log.error(
        'Accounting can be kept nowhere: the database is away and the spool cannot be written. The NAS will repeat it.',
        { error },
      )
      return new Set(entries.filter(isKept))
    }
    this.#state = 'spooling'
    this.counts.spooled += pieces.length
    for (const step of planSteps(entries)) {
      if (step.kind === 'reboot') this.#commit.notify(() => this.#tracker.endSessionsOfNasProvisionally(step))
      else for (const change of step.changes) this.#commit.notify(() => this.#tracker.applyProvisionally(change))
    }
    return new Set()
  }

  /**
   * Moves one group from the spool to the database. Returns 0 when the spool is empty or the database is unavailable.
   */
  async #drain(): Promise<number> {
    const { isUp, log, spool, store } = this.#parts
    if (!isUp()) return 0
    try {
      await this.#prepare()
      const drained = spool.isEmpty
        ? 0
        : await this.#drainGroup((change, stored) => this.#tracker.confirm(change, stored))
      if (spool.isEmpty) {
        await this.#tracker.confirmRest(store)
        await this.#octets.settle()
        this.#state = 'direct'
        log.info('The accounting spool is empty; accounting goes to the database again.')
      }
      return drained
    } catch (error) {
      log.warn('The accounting spool could not be drained now.', { error })
      return 0
    }
  }

  async #drainGroup(onStored: ChangeStored): Promise<number> {
    const { log, spool } = this.#parts
    const frames = await spool.read(groupMax)
    const entries: SessionEntry[] = []
    for (const frame of frames) {
      const entry = readFrame(frame)
      if (entry) entries.push(entry)
      else
        log.error('A record of the accounting spool is of an unknown kind and was left out.', {
          frame: frame.toString('hex'),
        })
    }
    await this.#commit.run(entries, onStored, 'drained')
    await spool.confirm(frames.length)
    this.counts.drained += frames.length
    return frames.length
  }
}

const isReboot = (status: AccountingRecord['status']): boolean => status === 'on' || status === 'off'

const isKept = (entry: SessionEntry): boolean => entry.kind === 'ending' || entry.record.status !== null
