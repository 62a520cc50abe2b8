import type { PoolClient } from 'pg'
import type { Account } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { Operation } from '../../domain/operation.ts'
import { isRefusal, type Refusal } from '../../platform/records/refusals.ts'
import type { EntityManager } from '../../platform/storage/orm.ts'
import { type PersistenceScope, persisting } from '../../platform/storage/transactions.ts'
import type { AccountChange } from './account-change.ts'
import { AccountStore } from './account-store.ts'
import { type CommitUnit, commitStatement } from './commit-statement.ts'
import { decideOpening, type LedgerPolicy } from './decision.ts'
import { isKeyTaken } from './group-commit.ts'
import type { AccountCommand, AccountRefusal } from './messages.ts'
import type { DecisionContext } from './postings.ts'

/** What the actor of a new account gives to whoever writes its first turn. */
export type FirstTurn = {
  readonly id: AccountId
  readonly now: Date
  readonly policy: LedgerPolicy
  /** The context of a decision that posts at most this many operations. */
  contextOf(operations: number): Promise<DecisionContext>
  unitOf(change: AccountChange): Promise<CommitUnit>
}

/** What the first turn has committed, with a null unit where nothing was; and what its caller gets. */
export type WrittenFirst<T> = { readonly unit: CommitUnit | null; readonly result: T }

/** The side of the ledger that opens accounts together with their first subscribers. */
export type AccountOpening = {
  /**
   * Takes the first turn of a new account. `write` commits it, with everything that begins together with it, before it
   * resolves; then memory and the followers of commits learn of it, as after every other turn.
   */
  open<T>(author: Author, write: (turn: FirstTurn) => Promise<WrittenFirst<T>>): Promise<T>
}

export type OpeningParts = PersistenceScope & { readonly accounts: AccountOpening }

/** The transaction in which an account is opened. */
export type OpeningStep = {
  readonly client: PoolClient
  /** The entity manager of the same transaction. */
  readonly manager: EntityManager
  /** The id that the account is to have. */
  readonly account: AccountId
  readonly now: Date
}

/** What was inserted, and what the account does first. */
export type Beginning<Made> = {
  readonly made: Made
  readonly payment: Extract<AccountCommand, { kind: 'post' }> | null
  /** Idempotency keys of the request. */
  readonly keys: readonly string[]
}

type Undone =
  | { readonly kind: 'notWritten'; readonly refusal: Refusal }
  /** A key was taken by another request meanwhile. */
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly reason: AccountRefusal }

export type Opened<Made> =
  | { readonly kind: 'opened'; readonly made: Made; readonly operation: Operation | null }
  | Undone

/** Thrown to roll the transaction back: a refusal leaves nothing behind, whatever has been written before it. */
class TurnedBack extends Error {
  readonly outcome: Undone

  constructor(outcome: Undone) {
    super(outcome.kind)
    this.outcome = outcome
  }
}

/**
 * Opens an account with everything that begins together with it, in one transaction: `insert` inserts the account, its
 * subscribers and their logins, then the account is read as any turn reads it, decides its first payment, and writes it
 * by the statement of all turns. Until the commit nobody else can see the account, so its row lock is free.
 */
export const openWith = <Made>(
  parts: OpeningParts,
  author: Author,
  insert: (step: OpeningStep) => Promise<Beginning<Made> | Refusal>,
): Promise<Opened<Made>> =>
  parts.accounts.open<Opened<Made>>(author, async (turn) => {
    try {
      return await persisting(parts, async (client, manager) => {
        const begun = await insert({ client, manager, account: turn.id, now: turn.now })
        if (isRefusal(begun)) throw new TurnedBack({ kind: 'notWritten', refusal: begun })
        const { unit, operation } = await writeFirst(client, turn, begun)
        return { unit, result: { kind: 'opened', made: begun.made, operation } }
      })
    } catch (error) {
      if (error instanceof TurnedBack) return { unit: null, result: error.outcome }
      if (isKeyTaken(error)) return { unit: null, result: { kind: 'known' } }
      throw error
    }
  })

async function writeFirst(
  client: PoolClient,
  { id, policy, contextOf, unitOf }: FirstTurn,
  { payment, keys }: Beginning<unknown>,
): Promise<{ unit: CommitUnit; operation: Operation | null }> {
  const store = new AccountStore(client)
  const account: Account | null = await store.load(id)
  if (!account) throw new Error(`The account ${id} was not inserted by what was to insert it.`)
  const decision = decideOpening(account, { payment, keys }, await contextOf(payment ? 1 : 0), policy)
  if (decision.kind === 'refused') throw new TurnedBack(decision)
  if (decision.kind === 'unchanged') throw new Error('The first turn of an account was not accepted.')
  const unit = await unitOf(decision.change)
  const { accepted } = await store.send(commitStatement([unit]))
  // Nobody else knows the account, so only a key can stand in the way.
  if (accepted !== 't') throw new TurnedBack({ kind: 'known' })
  return { unit, operation: decision.change.operation }
}
