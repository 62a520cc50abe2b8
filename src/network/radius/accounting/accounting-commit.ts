import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { LogFields } from '../../../platform/log-fields.ts'
import type { AccountingStore } from './accounting-store.ts'
import type { RebootScope } from './heard-nas.ts'
import type { NodeSessions } from './node-sessions.ts'
import {
  type NasReboot,
  planSteps,
  type SessionChange,
  type SessionEntry,
  type StorageStep,
} from './session-changes.ts'
import type { BegunChange, IdentifiedChange } from './session-columns.ts'
import type { SessionOwners } from './session-owners.ts'
import type { SessionTracker } from './session-tracker.ts'
import type { StoredChange } from './stored-change.ts'

/** Called for every change after its commit. `stored` is null for a change of a session that was known in memory. */
export type ChangeStored = (change: SessionChange, stored: StoredChange | null) => void

/**
 * What is the present to a packet; what lies later than that is of a clock that has been set back since. A program
 * without nodes stores packets in the order in which it receives them, so to it that is the moment of the reception,
 * also where a packet waited in the spool until the clock was set forth again. Among nodes (with DATABASE_URL, even
 * one) it is the moment at which the packet is judged, because what another node stored later than the reception may
 * have happened later, while the packet waited in the spool. The beginning of a session that this node itself heard of
 * last, and a reboot that it stored, are compared with the reception there, too, by the statements (`isOwnSql`).
 */
const judgedAtMs = (clock: Clock, isAmongNodes: boolean) => (received: { readonly receivedAtMs: number }) =>
  isAmongNodes ? clock.now().getTime() : received.receivedAtMs

/** Writes groups of entries into the tables, and then into the sessions in memory. */
export class AccountingCommit {
  readonly #store: AccountingStore
  readonly #tracker: SessionTracker
  readonly #owners: SessionOwners
  readonly #rebootScope: (reboot: NasReboot) => RebootScope
  readonly #judgedAtMs: (received: { readonly receivedAtMs: number }) => number
  readonly #log: Log
  readonly #counts: { statements: number; refused: number }
  /** Ids reserved for new rows. */
  #ids: number[] = []
  /** The first id of the rows that are being written; null while none are. */
  #writing: number | null = null

  constructor(parts: {
    store: AccountingStore
    tracker: SessionTracker
    owners: SessionOwners
    /** As HeardNas.scopeOf. */
    rebootScope: (reboot: NasReboot) => RebootScope
    /** The counters that this class increments. */
    counts: { statements: number; refused: number }
    clock: Clock
    /** Null or left out: there are no other nodes. */
    nodes?: NodeSessions | null
    log: Log
  }) {
    this.#store = parts.store
    this.#tracker = parts.tracker
    this.#owners = parts.owners
    this.#rebootScope = parts.rebootScope
    this.#counts = parts.counts
    this.#judgedAtMs = judgedAtMs(parts.clock, Boolean(parts.nodes))
    this.#log = parts.log
  }

  /** Reserves ids ahead of the first rows. */
  async reserve(): Promise<void> {
    this.#ids.push(...(await this.#store.takeIds(idsAhead)))
  }

  /** No session that is not in memory by now gets an earlier id. */
  get nextSessionId(): number {
    return this.#writing ?? this.#ids[0]!
  }

  /**
   * Commits entries in order and reports of each change what became of it. Returns the entries that the database
   * refuses because of what they hold. Throws when the database is away. Entries that come `live` may belong to
   * sessions whose row is known in memory; those `drained` from the spool have been applied to memory before, so the
   * database judges each of them.
   */
  async run(
    entries: readonly SessionEntry[],
    onStored: ChangeStored,
    from: 'live' | 'drained',
    isAgain = false,
  ): Promise<ReadonlySet<SessionEntry>> {
    try {
      for (const step of planSteps(entries)) {
        this.#writing = this.#ids[0]!
        await this.#commitStep(step, onStored, from)
      }
      return new Set()
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (entries.length === 1) {
        // An earlier statement whose answer was lost may have written the row meanwhile, which a second attempt finds.
        if (!isAgain && codeOf(error) === uniqueViolation) return await this.run(entries, onStored, from, true)
        this.#counts.refused++
        this.#log.error('The database refuses an accounting record; it is left out.', { error, ...nameOf(entries[0]!) })
        return new Set(entries)
      }
    } finally {
      this.#writing = null
    }
    // One bad record must not keep the others out: halves are tried until it stands alone. What was committed before
    // changes nothing.
    const half = entries.length >> 1
    const first = await this.run(entries.slice(0, half), onStored, from)
    const second = await this.run(entries.slice(half), onStored, from)
    return new Set([...first, ...second])
  }

  /** Calls a listener; a listener that throws changes nothing about what has been committed. */
  notify(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#log.error('A change of a session was stored and could not be told on.', { error })
    }
  }

  async #commitStep(step: StorageStep, onStored: ChangeStored, from: 'live' | 'drained'): Promise<void> {
    const live = from === 'live'
    this.#counts.statements++
    if (step.kind === 'reboot') {
      const nowMs = this.#judgedAtMs(step)
      const isNew = await this.#store.endSessionsOfNas(step, this.#rebootScope(step), nowMs)
      if (live && isNew) this.notify(() => this.#tracker.endSessionsOfNas(step, nowMs))
      return
    }
    const { known, begun, unknown } = live ? await this.#sort(step.changes) : unsorted(step.changes)
    const missing = known.length + begun.length > 0 ? await this.#store.write(known, begun) : nothing
    for (const { id, change } of known) {
      // Somebody has deleted the row, so the session continues in a new one.
      if (missing.has(id)) unknown.push(change)
      else this.notify(() => onStored(change, null))
    }
    for (const one of begun) {
      if (missing.has(one.id)) unknown.push(one.change)
      else this.notify(() => onStored(one.change, storedOf(one)))
    }
    if (unknown.length === 0) return
    const ids = await this.#takeIds(unknown.length)
    for (const change of unknown) this.#owners.completeOffer(change)
    const judged = await this.#store.judge(
      unknown.map((change, at) => ({
        id: ids[at]!,
        change,
        ownerId: this.#owners.of(change)?.userId ?? null,
        liveId: this.#tracker.liveId(change),
        isDrained: !live,
        nowMs: this.#judgedAtMs(change),
      })),
    )
    for (const one of judged) this.notify(() => onStored(unknown[one.index]!, one))
  }

  /** Sorts out the changes whose row or owner is known in memory, which spares the database the lookups. */
  async #sort(changes: readonly SessionChange[]): Promise<SortedChanges> {
    const sorted = unsorted([])
    const { known, begun, unknown } = sorted
    for (const change of changes) {
      const id = this.#tracker.knownId(change)
      const owner = id === null && change.creates ? this.#tracker.ownerOfNew(change) : null
      if (id !== null) known.push({ id, change })
      else if (owner) {
        this.#owners.completeOffer(change)
        begun.push({ id: 0, change, owner })
      } else unknown.push(change)
    }
    const ids = await this.#takeIds(begun.length)
    for (const [index, one] of begun.entries()) one.id = ids[index]!
    return sorted
  }

  /** Ids are assigned in the order in which the changes arrived, whichever statement writes the rows. */
  async #takeIds(count: number): Promise<number[]> {
    if (this.#ids.length < count) this.#ids.push(...(await this.#store.takeIds(count + idsAhead)))
    return this.#ids.splice(0, count)
  }
}

const idsAhead = 1_000

type SortedChanges = { known: IdentifiedChange[]; begun: BegunChange[]; unknown: SessionChange[] }

const unsorted = (changes: readonly SessionChange[]): SortedChanges => ({
  known: [],
  begun: [],
  unknown: [...changes],
})

const nothing: ReadonlySet<number> = new Set()

const storedOf = ({ id, change, owner }: BegunChange): StoredChange => ({
  index: 0,
  id,
  added: true,
  live: change.endedAtMs === null,
  startedAtMs: change.startedAtMs,
  endReason: change.endReason,
  userId: owner.userId,
  subscriberId: owner.subscriberId,
  organizationId: owner.organizationId,
  userLogin: owner.login,
  details: null,
  late: null,
})

function nameOf(entry: SessionEntry): LogFields {
  const { nasId, login, acctSessionId } = entry.kind === 'packet' ? entry.record : entry.ending
  return { kind: entry.kind, nas: nasId, login, session: acctSessionId }
}

/** SQLSTATE classes 22 (data) and 23 (constraint): the record itself is at fault, so every attempt would fail. */
const isRefusal = (error: unknown): boolean => /^2[23]\w{3}$/.test(codeOf(error))

const uniqueViolation = '23505'

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
