import type { Account, AccountTerms } from '../domain/account.ts'
import type { BlockReason } from '../domain/block.ts'
import type { AccountId, LoginId, OperationId, StaffId, SubscriberId } from '../domain/ids.ts'
import type { Money } from '../domain/money.ts'
import type { Operation, OperationDetails, OperationSign } from '../domain/operation.ts'

/** Who asked, for the audit. Automatic work has no staff id. */
export type Author = { staffId: StaffId | null; name: string; address: string | null }

export const systemAuthor = (name: string): Author => ({ staffId: null, name, address: null })

/**
 * Everything that may change a balance, a block flag or an access switch. One command is one turn of one account's actor.
 */
export type AccountCommand =
  | {
      kind: 'post'
      typeId: number
      sign: OperationSign
      /** The sign follows the type: a positive amount with an expense type becomes an expense. Sign 0 makes it zero: informational. */
      amount: Money
      subscriberId: SubscriberId | null
      movedAt: Date | null
      description: string
      details: OperationDetails
      /** Names of this movement that must never be taken twice: `txn:…`, `pay:<operator>:<id>`, `idem:…`. */
      keys: readonly string[]
    }
  | { kind: 'reverse'; operationId: OperationId | null }
  | { kind: 'removeOperation'; operationId: OperationId }
  | { kind: 'setBlock'; subscriberId: SubscriberId; reason: Exclude<BlockReason, 'debt'>; on: boolean }
  | { kind: 'setLogin'; loginId: LoginId; enabled: boolean }
  | { kind: 'setDeleted'; subscriberId: SubscriberId; deleted: boolean }
  | { kind: 'setTerms'; terms: AccountTerms }
  /** Evaluates debt again and repairs flags that disagree (process_blocks). */
  | { kind: 'sweep' }
  /** Cuts the live sessions of a subscriber without blocking: `reconnect` of the web admin. */
  | { kind: 'disconnect'; subscriberId: SubscriberId }
  /** Tells the NAS the speed of the subscriber's tariff, which has just changed (contract section 6). */
  | { kind: 'applySpeed'; subscriberId: SubscriberId }

export type AccountRefusal =
  | 'accountMissing'
  | 'subscriberMissing'
  | 'subscriberNotOnAccount'
  | 'loginNotOnAccount'
  | 'operationMissing'
  | 'alreadyReversed'
  | 'notLastOperation'
  | 'nothingToReverse'
  | 'amountOutOfRange'
  | 'keyTakenWithOtherAmount'

export const accountRefusalText = {
  accountMissing: 'There is no such account.',
  subscriberMissing: 'There is no such subscriber.',
  subscriberNotOnAccount: 'The subscriber is not linked to this account.',
  loginNotOnAccount: 'The login does not belong to a subscriber of this account.',
  operationMissing: 'There is no such operation on this account.',
  alreadyReversed: 'This operation has been reversed before.',
  notLastOperation: 'Only the last operation of an account can be reversed.',
  nothingToReverse: 'The account has no operation to reverse.',
  amountOutOfRange: 'The amount would take the account beyond what can be stored (922 million rubles).',
  keyTakenWithOtherAmount: 'This transaction id was used before with another amount.',
} as const satisfies Record<AccountRefusal, string>

export type AccountOutcome =
  /** Committed. `operation` is the one this command made, when it made one. */
  | { kind: 'done'; account: Account; operation: Operation | null }
  /** A key was known: this is the first operation (null when it has been deleted since); nothing moved. */
  | { kind: 'known'; account: Account; operationId: OperationId; operation: Operation | null }
  | { kind: 'refused'; reason: AccountRefusal }

/** The door to the heart. Rejects with Unavailable (503) when the mailbox is full, the deadline passed or the database is away. */
export type Accounts = {
  ask(accountId: AccountId, command: AccountCommand, author: Author): Promise<AccountOutcome>
  /** Moves a subscriber to another account: one turn of both, taken in id order. */
  moveSubscriber(subscriberId: SubscriberId, to: AccountId, author: Author): Promise<AccountOutcome>
  /** Forgets what memory holds; the next turn reads the tables. */
  invalidate(accountId: AccountId): void
}
