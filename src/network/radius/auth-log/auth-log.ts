import type { Pool } from 'pg'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { readAuthEntries } from '../worker/auth-entries.ts'
import { AuthLogTable, rowsAtOnce } from './auth-log-table.ts'
import type { AuthRow } from './auth-row.ts'
import { Folding } from './folding.ts'

type AuthLogParts = {
  readonly pool: Pool
  readonly isUp: () => boolean
  readonly clock: Clock
  readonly log: Log
}

type AuthLogCounts = {
  /** How many rows have been written. */
  readonly rows: number
  /** Answers that were only counted by NAS and reason, because there were too many. */
  readonly flooded: number
  /** Answers that are in no row, because the database was away or slow. */
  readonly lost: number
}

const tickMs = 1000
/** Rows that wait to be written; about 10 MB. */
const waitingMax = 20_000

/**
 * The log of sign-ins: what the workers have answered, as rows of radius_auth_log. It is written apart from the
 * answers, and what cannot be written at once is left out and counted: nothing waits for it.
 */
export class AuthLog {
  readonly #parts: AuthLogParts
  readonly #folding: Folding
  readonly #table: AuthLogTable
  #waiting: AuthRow[] = []
  #writing: Promise<void> | null = null
  #rows = 0
  #lost = 0
  #failed = false
  #cancelTick: () => void = () => {}

  constructor(parts: AuthLogParts) {
    this.#parts = parts
    this.#folding = new Folding(parts.clock.elapsedMs())
    this.#table = new AuthLogTable(parts.pool)
  }

  start(): void {
    this.#cancelTick = this.#parts.clock.after(tickMs, () => this.#tick())
  }

  get counts(): AuthLogCounts {
    return { rows: this.#rows, flooded: this.#folding.flooded, lost: this.#lost }
  }

  /** Answers to logins of a subscriber that are still being counted and are in no row yet. */
  ofSubscriber(id: number): AuthRow[] {
    return this.#folding.of(id)
  }

  /** What a worker has answered (worker/auth-entries.ts); it had no room for `left` answers more. */
  take(entries: Uint8Array<ArrayBuffer>, left: number): void {
    this.#folding.flooded += left
    this.#queue(this.#folding.add(readAuthEntries(entries), this.#parts.clock.elapsedMs()))
  }

  /** Writes what is there now. */
  async flush(): Promise<void> {
    await this.#writing
    await this.#write()
  }

  /** Writes what has been counted so far as well. */
  async stop(): Promise<void> {
    this.#cancelTick()
    this.#queue(this.#folding.due(this.#parts.clock.elapsedMs(), true))
    await this.flush()
  }

  #tick(): void {
    this.#cancelTick = this.#parts.clock.after(tickMs, () => this.#tick())
    this.#queue(this.#folding.due(this.#parts.clock.elapsedMs()))
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  #queue(rows: Iterable<AuthRow>): void {
    for (const row of rows) {
      if (this.#waiting.length < waitingMax) this.#waiting.push(row)
      else this.#lose([row])
    }
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.splice(0, rowsAtOnce)
      try {
        if (!this.#parts.isUp()) throw new Error('The database is away.')
        await this.#table.write(rows)
        this.#rows += rows.length
        if (this.#failed) this.#parts.log.info('The log of sign-ins is written again.')
        this.#failed = false
      } catch (error) {
        this.#lose(rows)
        if (!this.#failed) this.#parts.log.warn('The log of sign-ins cannot be written and is left out.', { error })
        this.#failed = true
      }
    }
  }

  #lose(rows: readonly AuthRow[]): void {
    for (const { count } of rows) this.#lost += count
  }
}
