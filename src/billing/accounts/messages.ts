import type { Account, AccountTerms } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import type { BlockReason } from '../../domain/block.ts'
import type { AddressChanges } from '../../domain/effects.ts'
import type { AccountId, LoginId, OperationId, SubscriberId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'
import type { Operation, OperationDetails, OperationSign } from '../../domain/operation.ts'
import type { PromisePath, PromiseRefusal } from '../../domain/promise.ts'
import type { Span } from '../../domain/span.ts'

/** An order of payment_orders, with the id of its payment at the gateway. */
export type PaidOrder = { readonly id: number; readonly gatewayId: string }

/**
 * Everything that may change a balance, a block flag or an access switch. One command is one turn of one account's
 * actor.
 */
export type AccountCommand =
  | {
      kind: 'post'
      typeId: number
      sign: OperationSign
      /**
       * The sign follows the type: a positive amount with an expense type becomes an expense. Sign 0 makes it zero:
       * informational.
       */
      amount: Money
      subscriberId: SubscriberId | null
      movedAt: Date | null
      description: string
      details: OperationDetails
      /** Idempotency keys of this posting (domain/money-keys.ts), none of which may have been taken before. */
      keys: readonly string[]
      /** The payment order that this posting pays; the same commit marks it as paid. */
      order?: PaidOrder
    }
  /**
   * Charges the fee of a service or a tariff for one period. Refused (`notChargeable`) while the client is deleted,
   * frozen or under a voluntary block, which is decided in the turn itself. `key` names subscriber, service and period,
   * so that any number of runs charges once.
   */
  | {
      kind: 'charge'
      subscriberId: SubscriberId
      typeId: number
      /** The fee, positive. */
      amount: Money
      movedAt: Date | null
      description: string
      details: OperationDetails
      key: string
      /** For days that were used before a voluntary block or a freeze: of who is deleted alone it is refused. */
      isOfEndedUse?: true
      /**
       * The tariff for which the fee was calculated. If the subscriber has another one by now, the charge is refused
       * (`tariffChanged`).
       */
      tariffId?: number
      /**
       * From when on the subscriber was charged when the fee was calculated. If they have been away since, or had
       * another tariff, the charge is refused (`useChanged`), because the fee may be for days that are charged by
       * themselves.
       */
      chargedFrom?: Date | null
    }
  /** Credits a limit for some days (specification 3.1). Null stands for the usual limit and term of the path. */
  | {
      kind: 'activatePromise'
      subscriberId: SubscriberId
      path: PromisePath
      limit: Money | null
      until: Date | null
      /** Idempotency keys, as in `post`. */
      keys?: readonly string[]
      /** Set where the promise payment was given by the server that the provider moves from, so nobody is notified. */
      isMovedIn?: true
    }
  /** Ends a promise payment and returns its limit. `only` lists the services it may belong to; null: any. */
  | {
      kind: 'endPromise'
      subscriberId: SubscriberId
      why: PromiseEnd
      only: readonly number[] | null
      /** Idempotency keys, as in `post`. */
      keys?: readonly string[]
    }
  /**
   * Changes the tariff, records the change in the history, and charges or refunds the difference for the rest of a
   * month that has been charged. `dropsPlan`: a change that was planned for later is taken back with it. `since`: the
   * tariff was planned for that moment; days from then on that have not been charged are charged with it.
   */
  | {
      kind: 'changeTariff'
      subscriberId: SubscriberId
      tariffId: number | null
      dropsPlan?: true
      since?: Date
      /** Idempotency keys, as in `post`. */
      keys?: readonly string[]
    }
  /** Plans a change of tariff, which the billing worker carries out. Null: what was planned is taken back. */
  | { kind: 'planTariff'; subscriberId: SubscriberId; plan: TariffPlan | null; keys?: readonly string[] }
  /** Takes a service away and gives back what was charged for the days of the month after this one. */
  | { kind: 'endService'; subscriberId: SubscriberId; linkId: number }
  /** Reverses the account's last operation; null: whichever that is. `keys` are idempotency keys, as in `post`. */
  | { kind: 'reverse'; operationId: OperationId | null; keys?: readonly string[] }
  /**
   * Reverses any operation of the account for a reason, unless what it did has been given back (decision 026). `keys`
   * are idempotency keys, as in `post`.
   */
  | { kind: 'reverseAny'; operationId: OperationId; reason: string; refund?: GatewayRefund; keys?: readonly string[] }
  | { kind: 'removeOperation'; operationId: OperationId }
  | { kind: 'setBlock'; subscriberId: SubscriberId; reason: Exclude<BlockReason, 'debt'>; on: boolean }
  | { kind: 'setLogin'; loginId: LoginId; enabled: boolean }
  /** Live sessions follow the VLAN of their login, which has been written. */
  | { kind: 'changeVlan'; loginId: LoginId }
  /** The same of its addresses. */
  | { kind: 'changeAddresses'; loginId: LoginId; changes: AddressChanges }
  | { kind: 'setDeleted'; subscriberId: SubscriberId; deleted: boolean }
  | { kind: 'setTerms'; terms: AccountTerms }
  /** Evaluates debt again and repairs flags that disagree (process_blocks). */
  | { kind: 'sweep' }
  /** Cuts the live sessions of a subscriber without blocking: `reconnect` of the web admin. */
  | { kind: 'disconnect'; subscriberId: SubscriberId }

/** The payment that an operation has credited, and how much of it its gateway returns to the payer. */
export type GatewayRefund = { readonly paymentId: string; readonly paid: Money; readonly amount: Money }

/** A change of tariff that is planned, and the moment at which the tariff begins. */
export type TariffPlan = { readonly tariffId: number; readonly from: Date }

/** Why a promise payment ended: it expired, the client cancelled it, or an operator deleted or disabled the service. */
export type PromiseEnd = 'expired' | 'cancelled' | 'deleted' | 'disabled'

export type AccountRefusal =
  | PromiseRefusal
  | 'accountMissing'
  | 'subscriberMissing'
  | 'subscriberNotOnAccount'
  | 'loginNotOnAccount'
  | 'operationMissing'
  | 'alreadyReversed'
  | 'givenBack'
  | 'notLastOperation'
  | 'nothingToReverse'
  | 'amountOutOfRange'
  | 'keyTakenWithOtherAmount'
  | 'notChargeable'
  | 'tariffChanged'
  | 'useChanged'
  | 'noPromise'
  | 'promiseNotOver'
  | 'tariffMissing'
  | 'tariffSame'
  | 'nothingToGiveBack'

export const accountRefusalText = {
  accountMissing: 'There is no such account.',
  subscriberMissing: 'There is no such subscriber.',
  subscriberNotOnAccount: 'The subscriber is not linked to this account.',
  loginNotOnAccount: 'The login does not belong to a subscriber of this account.',
  operationMissing: 'There is no such operation on this account.',
  alreadyReversed: 'This operation has been reversed before.',
  givenBack: 'What this operation did has been given back by a later one, as a whole or in part.',
  notLastOperation: 'Only the last operation of an account can be reversed.',
  nothingToReverse: 'The account has no operation to reverse.',
  amountOutOfRange: 'The amount would take the account beyond what can be stored (922 million rubles).',
  keyTakenWithOtherAmount: 'This transaction id was used before with another amount.',
  notChargeable: 'The subscriber is deleted, frozen or blocked by own wish and is not charged.',
  tariffChanged: 'The subscriber has another tariff by now.',
  useChanged: 'The subscriber was away meanwhile, or had another tariff.',
  noPromise: 'The subscriber has no such promise payment.',
  promiseNotOver: 'The promise payment has not come to its end yet.',
  tariffMissing: 'There is no such tariff.',
  tariffSame: 'The subscriber has this tariff already.',
  nothingToGiveBack: 'Nothing that was charged for the service is left to be given back.',
  promiseActive: 'A promise payment is active already.',
  promiseMinDebt: 'The debt is too small for a promise payment.',
  promiseMinAge: 'The contract is too young for a promise payment.',
  promiseCooldown: 'It is too soon after the last promise payment.',
  promiseDisabled: 'Promise payments are not available for this subscriber.',
  promiseEndInPast: 'The end of the promise payment must be in the future.',
  promiseLimitWrong: 'The limit of a promise payment must be more than zero and at most 1000000.00.',
} as const satisfies Record<AccountRefusal, string>

export type AccountOutcome =
  /**
   * Committed. `operation` is the one this command was about, if it posted one; `operations` are all that it posted, in
   * order.
   */
  | { kind: 'done'; account: Account; operation: Operation | null; operations: readonly Operation[] }
  /** A key was taken before, by this operation (null when it has been deleted since); nothing was posted. */
  | { kind: 'known'; account: Account; operationId: OperationId; operation: Operation | null }
  | { kind: 'refused'; reason: AccountRefusal }

/**
 * The interface of the ledger. Rejects with Unavailable (503) when the mailbox is full, the deadline passed or the
 * database is away.
 */
export type Accounts = {
  ask(accountId: AccountId, command: AccountCommand, author: Author, span?: Span | null): Promise<AccountOutcome>
  /**
   * Moves a subscriber to another account: one turn of both, taken in id order. With `from`, it is refused unless the
   * subscriber is on that account.
   */
  moveSubscriber(subscriberId: SubscriberId, to: AccountId, author: Author, from?: AccountId): Promise<AccountOutcome>
  /** Drops the account from memory, so that the next turn reads the tables. */
  invalidate(accountId: AccountId): void
}

/** The side of the ledger for code that reads accounts together with something else: see `accountColumns`. */
export type AccountReading = {
  /**
   * To be called before accounts are read. The returned function hands over an account that was read, so that its next
   * turn, which is expected at once, need not read it again.
   */
  beginReading(): (account: Account) => void
}
