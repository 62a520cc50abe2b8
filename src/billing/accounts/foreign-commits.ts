import type { Account } from '../../domain/account.ts'
import type { Events } from '../../domain/events.ts'
import { type AccountId, accountId, operationId } from '../../domain/ids.ts'
import type { Operation } from '../../domain/operation.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { growingCache } from '../../platform/growing-cache.ts'
import type { LoggedCommits } from '../../platform/nodes/log-reading.ts'
import type { AccountStore } from './account-store.ts'
import { accountBefore, combined, type ToldCommit } from './told-commit.ts'

export type ForeignCommitsParts = {
  readonly store: AccountStore
  /** The actors: an account that another node has changed is read again by its next turn. */
  readonly accounts: { invalidate(id: AccountId): void }
  readonly events: Events
  readonly clock: Clock
}

/** How many accounts one statement reads. */
const pieceMax = 500
/** For how many accounts the version that was published last is remembered. */
const publishedMax = 50_000

/**
 * Publishes what other nodes have committed as the same event that they have published. What an account is now is read
 * from the tables, so rows that come late, twice or in another order do no harm: followers compare versions. Effects
 * are carried out by the node whose commit ordered them.
 */
export class ForeignCommits {
  readonly #parts: ForeignCommitsParts
  readonly #published = growingCache<AccountId, number>(publishedMax)

  /** How many accounts have been published. */
  count = 0

  constructor(parts: ForeignCommitsParts) {
    this.#parts = parts
  }

  /** To be called when the tables have lost commits, so that versions that were published may come again. */
  forgetVersions(): void {
    this.#published.clear()
  }

  /** Resolves when every follower has been told. Rejects while the database is away; then it has to be repeated. */
  async publish(rows: readonly LoggedCommits[]): Promise<void> {
    const told = byAccount(rows)
    const ids = [...told.keys()]
    for (let at = 0; at < ids.length; at += pieceMax) await this.#publishPiece(ids.slice(at, at + pieceMax), told)
  }

  async #publishPiece(ids: readonly AccountId[], told: ReadonlyMap<AccountId, ToldCommit>): Promise<void> {
    const { store, accounts } = this.#parts
    const operationIds = ids.flatMap((id) => told.get(id)!.operations.map(operationId))
    const [present, operations] = await Promise.all([store.loadMany(ids), store.operations(operationIds)])
    const posted = Map.groupBy(operations, (operation) => operation.accountId)
    for (const id of ids) {
      accounts.invalidate(id)
      const after = present.get(id)
      if (after) this.#publish(after, told.get(id)!, posted.get(id) ?? [])
    }
  }

  #publish(after: Account, commit: ToldCommit, operations: readonly Operation[]): void {
    // An earlier reading has told of this state already, and only the operations are new.
    const isKnown = (this.#published.get(after.id) ?? -1) >= after.version
    const before = isKnown ? { ...after, version: commit.version } : accountBefore(after, commit)
    this.#published.set(after.id, after.version)
    this.count++
    const { events, clock } = this.#parts
    events.publish({
      kind: 'accountCommitted',
      at: clock.now(),
      before,
      after,
      operations,
      effects: [],
      isForeign: true,
    })
  }
}

function byAccount(rows: readonly LoggedCommits[]): ReadonlyMap<AccountId, ToldCommit> {
  const told = new Map<AccountId, ToldCommit>()
  for (const { accounts, commits } of rows) {
    accounts.forEach((number, index) => {
      const id = accountId(number)
      const commit = JSON.parse(commits[index]!) as ToldCommit
      const earlier = told.get(id)
      told.set(id, earlier ? combined(earlier, commit) : commit)
    })
  }
  return told
}
