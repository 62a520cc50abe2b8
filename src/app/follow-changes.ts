import type { Pool } from 'pg'
import type { AccountActors } from '../billing/accounts/accounts.ts'
import type { SubscriberActors } from '../billing/accounts/subscribers.ts'
import { systemAuthor } from '../domain/author.ts'
import { type AccountId, accountId, subscriberId } from '../domain/ids.ts'
import type { AccessWriter } from '../network/access/writer.ts'
import type { Log } from '../platform/log.ts'
import type { Change } from '../platform/storage/changes.ts'

export type FollowerParts = {
  pool: Pool
  accounts: AccountActors
  subscribers: SubscriberActors
  access: AccessWriter
  /** Called when more has changed than a notification can name, so that every account has to be checked. */
  sweepAll: () => void
  log: Log
}

/** Rows of a table that somebody other than the ledger wrote. */
export type ChangedRows = { readonly table: string; readonly ids: readonly number[] | '*' }

const author = systemAuthor('change')

/** SQL for the accounts and subscribers whose access depends on the rows of a table. */
const concerned = {
  users: `SELECT account_id, id AS subscriber_id FROM abonents
    WHERE id IN (SELECT abonent_id FROM users WHERE id = ANY($1))`,
  abonents: 'SELECT account_id, id AS subscriber_id FROM abonents WHERE id = ANY($1)',
  abonents_block: 'SELECT account_id, id AS subscriber_id FROM abonents WHERE id = ANY($1)',
  admin_accounts: `SELECT account.id AS account_id, abonents.id AS subscriber_id
    FROM unnest($1::int8[]) AS account(id) LEFT JOIN abonents ON account_id = account.id`,
  /**
   * Half of all subscribers may have one tariff, so dropping everybody from memory is cheaper than finding out who they
   * are.
   */
  tarifs: null,
} as const

/** Rows that were notified and have not been checked yet. */
type Waiting = { readonly table: string; readonly settled: boolean; readonly ids: Set<number> }

/** How many rows are checked together: as many as one notification names. */
const pieceMax = 500

/**
 * Brings the actors up to date with rows that a REST write, a command, another node or an operator in psql has written.
 */
export class ChangeFollower {
  readonly #parts: FollowerParts
  readonly #waiting = new Map<string, Waiting>()
  #following = false

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  /**
   * Called by our own writers before they answer. Resolves when the next RADIUS request and the next turn see the rows.
   */
  async changed({ table, ids }: ChangedRows): Promise<void> {
    if (Object.hasOwn(concerned, table)) {
      if (ids === '*' || table === 'tarifs') this.#forgetAll()
      else await this.#forget({ table, ids })
    }
    await this.#parts.access.refreshAfter(table, ids)
  }

  /**
   * Follows a notification of the database; AccessWriter listens for itself. Nobody else re-evaluates the debt, so this
   * does. Rows that are notified while earlier ones are being checked are collected, so that a script that writes ten
   * thousand rows one by one takes one connection and leaves the pool to others. Rows of settled accounts are only
   * dropped from memory.
   */
  noticed({ table, ids, settled = false }: Change): void {
    if (!Object.hasOwn(concerned, table)) return
    if (table === 'tarifs' && ids !== '*') {
      this.#forgetAll()
      return
    }
    if (ids === '*') {
      this.#forgetAll()
      this.#parts.sweepAll()
      return
    }
    const key = settled ? `${table}, settled` : table
    const waiting = this.#waiting.get(key) ?? { table, settled, ids: new Set() }
    this.#waiting.set(key, waiting)
    for (const id of ids) waiting.ids.add(id)
    if (!this.#following) void this.#follow()
  }

  async #follow(): Promise<void> {
    this.#following = true
    // Waiting for the next turn of the event loop combines a burst of notifications into one reading.
    await new Promise((resolve) => setImmediate(resolve))
    for (let piece = this.#nextPiece(); piece; piece = this.#nextPiece()) {
      try {
        const found = await this.#forget(piece)
        if (!piece.settled) await this.#sweep(found)
      } catch (error) {
        // Whom it concerns is not known, so nobody's memory counts. When the database was unavailable, every table is
        // notified after its return; a reading that only came too late is not.
        this.#forgetAll()
        this.#parts.log.warn('a change of others could not be followed', {
          name: piece.table,
          count: piece.ids.length,
          error,
        })
      }
    }
    this.#following = false
  }

  #nextPiece(): { table: string; settled: boolean; ids: number[] } | null {
    for (const [key, waiting] of this.#waiting) {
      const { table, settled } = waiting
      const ids: number[] = []
      for (const id of waiting.ids) {
        if (ids.push(id) === pieceMax) break
      }
      for (const id of ids) waiting.ids.delete(id)
      // It is inserted again at the end, so that tables take turns.
      this.#waiting.delete(key)
      if (waiting.ids.size > 0) this.#waiting.set(key, waiting)
      return { table, settled, ids }
    }
    return null
  }

  async #sweep(found: ReadonlySet<AccountId>): Promise<void> {
    await Promise.all([...found].map((id) => this.#parts.accounts.ask(id, { kind: 'sweep' }, author)))
  }

  #forgetAll(): void {
    this.#parts.accounts.invalidateAll()
    this.#parts.subscribers.invalidateAll()
  }

  async #forget({ table, ids }: { table: string; ids: readonly number[] }): Promise<ReadonlySet<AccountId>> {
    const { pool, accounts, subscribers } = this.#parts
    const found = new Set<AccountId>()
    const { rows } = await pool.query(concerned[table as Exclude<keyof typeof concerned, 'tarifs'>], [ids])
    for (const row of rows as { account_id: string; subscriber_id: string | null }[]) {
      found.add(accountId(row.account_id))
      if (row.subscriber_id !== null) subscribers.invalidate(subscriberId(row.subscriber_id))
    }
    for (const id of found) accounts.invalidate(id)
    return found
  }
}
