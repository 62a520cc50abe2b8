import type { Log } from '../log.ts'
import type { KnownChange } from './accounting-statement.ts'
import type { AccountingStore, StoredChange } from './accounting-store.ts'
import { planSteps, type SessionChange, type SessionEntry, type StorageStep } from './session-changes.ts'
import type { SessionMirror } from './session-mirror.ts'

/** Told of every change after its commit; null for a change of a session the book knew. */
export type ChangeStored = (change: SessionChange, stored: StoredChange | null) => void

/** Takes groups of entries into the tables, and the book after them. */
export class AccountingCommit {
  readonly #store: AccountingStore
  readonly #mirror: SessionMirror
  readonly #log: Log
  readonly #counts: { statements: number; refused: number }

  constructor(parts: {
    store: AccountingStore
    mirror: SessionMirror
    /** Counted into. */
    counts: { statements: number; refused: number }
    log: Log
  }) {
    this.#store = parts.store
    this.#mirror = parts.mirror
    this.#counts = parts.counts
    this.#log = parts.log
  }

  /**
   * Commits entries in order and tells of each change what became of it; answers those the database refuses for what they are.
   * Throws when the database is away. `live` trusts the book about sessions; what is `drained` the book has known for long.
   */
  async run(
    entries: readonly SessionEntry[],
    tell: ChangeStored,
    from: 'live' | 'drained',
  ): Promise<ReadonlySet<SessionEntry>> {
    try {
      for (const step of planSteps(entries)) await this.#take(step, tell, from === 'live')
      return new Set()
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (entries.length === 1) {
        this.#counts.refused++
        this.#log.error('The database refuses an accounting record; it is left out.', { error, ...nameOf(entries[0]!) })
        return new Set(entries)
      }
    }
    // One bad record must not keep the others out: halves are tried until it stands alone. What was committed before changes nothing.
    const half = entries.length >> 1
    const first = await this.run(entries.slice(0, half), tell, from)
    const second = await this.run(entries.slice(half), tell, from)
    return new Set([...first, ...second])
  }

  /** What is durable stays so, whatever a listener makes of it. */
  told(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.#log.error('A change of a session was stored and could not be told on.', { error })
    }
  }

  async #take(step: StorageStep, tell: ChangeStored, live: boolean): Promise<void> {
    this.#counts.statements++
    if (step.kind === 'reboot') {
      // What is drained may have been stored before, and sessions that began since are to be left alone.
      const heardAtMs = live ? step.heardAtMs : null
      await this.#store.closeOfNas(step.nasId, step.atMs, heardAtMs)
      if (live) this.told(() => this.#mirror.closeOfNas(step.nasId, step.atMs, heardAtMs))
      return
    }
    const known: KnownChange[] = []
    const unknown: SessionChange[] = []
    for (const change of step.changes) {
      const id = live ? this.#mirror.knownId(change) : null
      if (id === null) unknown.push(change)
      else known.push({ id, change })
    }
    const { stored, missing } = await this.#store.commit(known, unknown)
    const gone = new Set(missing)
    for (const { id, change } of known) if (!gone.has(id)) this.told(() => tell(change, null))
    for (const one of stored) this.told(() => tell(unknown[one.index]!, one))
    if (gone.size === 0) return
    // Rows somebody deleted: the sessions live on under new ones.
    const orphans = known.filter(({ id }) => gone.has(id)).map(({ change }) => change)
    const again = await this.#store.commit([], orphans)
    for (const one of again.stored) this.told(() => tell(orphans[one.index]!, one))
  }
}

function nameOf(entry: SessionEntry) {
  const { nasId, login, acctSessionId } = entry.kind === 'packet' ? entry.record : entry.ending
  return { kind: entry.kind, nasId, login, acctSessionId }
}

/** SQLSTATE classes 22 (data) and 23 (constraint): the record's own fault, the same at every try. */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^2[23]\w{3}$/.test(code)
}
