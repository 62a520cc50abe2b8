import type { Pool } from 'pg'
import type { AccessBook, Refresh } from './access/book.ts'
import type { AccountActors } from './accounts/accounts.ts'
import { systemAuthor } from './accounts/messages.ts'
import type { SubscriberActors } from './accounts/subscribers.ts'
import { type AccountId, accountId, subscriberId } from './domain/ids.ts'
import type { Change } from './storage/changes.ts'

export type FollowerParts = {
  pool: Pool
  accounts: AccountActors
  subscribers: SubscriberActors
  book: AccessBook
  /** More has changed than can be named: every account is to be looked at. */
  sweepAll: () => void
}

/** Rows that somebody else than the heart wrote, by the name of their table. */
export type ChangedRows = { readonly table: string; readonly ids: readonly number[] | '*' }

const author = systemAuthor('change')

/** Whose access hangs on the rows of a table. */
const concerned = {
  users: `SELECT account_id, id AS subscriber_id FROM abonents
    WHERE id IN (SELECT abonent_id FROM users WHERE id = ANY($1))`,
  abonents: 'SELECT account_id, id AS subscriber_id FROM abonents WHERE id = ANY($1)',
  abonents_block: 'SELECT account_id, id AS subscriber_id FROM abonents WHERE id = ANY($1)',
  admin_accounts: `SELECT account.id AS account_id, abonents.id AS subscriber_id
    FROM unnest($1::int8[]) AS account(id) LEFT JOIN abonents ON account_id = account.id`,
  tarifs: 'SELECT account_id, id AS subscriber_id FROM abonents WHERE tarif_id = ANY($1)',
} as const

const refreshed: Readonly<Record<string, keyof Refresh>> = {
  users: 'users',
  abonents: 'subscribers',
  admin_accounts: 'accounts',
  tarifs: 'tarifs',
  ip_pulls: 'pools',
  nas: 'nas',
}

/** Brings the actors up to rows that a REST write, a command, another node or an operator in psql has written. */
export class ChangeFollower {
  readonly #parts: FollowerParts

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  /** For a writer of ours, before it answers: resolves when the next RADIUS request and the next turn see the rows. */
  async changed({ table, ids }: ChangedRows): Promise<void> {
    await this.#forget({ table, ids })
    const kind = refreshed[table]
    if (kind) await this.#parts.book.refresh({ [kind]: ids })
  }

  /** Told by the database; the access book listens for itself. Nobody asked for the debt to be judged, so it is judged now. */
  async noticed(change: Change): Promise<void> {
    const found = await this.#forget(change)
    if (found === 'all') return this.#parts.sweepAll()
    if (change.table === 'tarifs') return
    await Promise.all([...found].map((id) => this.#parts.accounts.ask(id, { kind: 'sweep' }, author)))
  }

  async #forget({ table, ids }: ChangedRows): Promise<ReadonlySet<AccountId> | 'all'> {
    const { pool, accounts, subscribers } = this.#parts
    const found = new Set<AccountId>()
    if (!Object.hasOwn(concerned, table)) return found
    if (ids === '*') {
      accounts.invalidateAll()
      subscribers.invalidateAll()
      return 'all'
    }
    const { rows } = await pool.query(concerned[table as keyof typeof concerned], [ids])
    for (const row of rows as { account_id: string; subscriber_id: string | null }[]) {
      found.add(accountId(row.account_id))
      if (row.subscriber_id !== null) subscribers.invalidate(subscriberId(row.subscriber_id))
    }
    for (const id of found) accounts.invalidate(id)
    return found
  }
}
