import { type Account, debtSinceAfter } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import { extended, nextLink } from '../../domain/chain.ts'
import { defaultOrganization, type OperationId, type OrganizationId, type SubscriberId } from '../../domain/ids.ts'
import { fitsLedger, type Money, minus, negated, plus } from '../../domain/money.ts'
import type { AccountSnapshot, Operation, OperationDetails } from '../../domain/operation.ts'

/** What a decision may use beside the account: the current time, the author, and ids for new rows. */
export type DecisionContext = {
  readonly now: Date
  readonly author: Author
  readonly newOperationId: () => OperationId
  readonly newLinkId: () => number
}

/** One entry to be posted. The amount carries its sign: positive is a receipt, negative an expense. */
export type Entry = {
  readonly subscriberId: SubscriberId | null
  /** Left out: the organization of the subscriber. */
  readonly organizationId?: OrganizationId
  readonly typeId: number
  readonly amount: Money
  readonly description: string
  readonly movedAt?: Date | null
  readonly details?: OperationDetails
  /**
   * The operation that this entry reverses; null when its record has been deleted. Both are marked storno
   * (specification 3.3).
   */
  readonly reversalOf?: OperationId | null
}

/**
 * The account after the postings of this turn, and the operations in order. An immutable value, like the account
 * itself.
 */
export type Posted = { readonly account: Account; readonly operations: readonly Operation[] }

export const nothingPosted = (account: Account): Posted => ({ account, operations: [] })

/** Posts one more entry after those before it. Null: the sums would no longer fit their columns. */
export function post({ account, operations }: Posted, entry: Entry, context: DecisionContext): Posted | null {
  const moved = withAmount(account, entry.amount, context.now)
  if (!moved) return null
  const facts = {
    id: context.newOperationId(),
    accountId: account.id,
    subscriberId: entry.subscriberId,
    organizationId: entry.organizationId ?? organizationOf(account, entry.subscriberId),
    typeId: entry.typeId,
    amount: entry.amount,
    movedAt: entry.movedAt ?? context.now,
    recordedAt: context.now,
    ownerId: context.author.staffId,
    description: entry.description,
    reversed: entry.reversalOf !== undefined,
    reversalOf: entry.reversalOf ?? null,
    details: entry.details ?? {},
    snapshot: snapshotOf(account),
  }
  const link = nextLink(account.chain, facts)
  return {
    account: { ...moved, lastOperationId: facts.id, chain: extended(link) },
    operations: [...operations, { ...facts, link }],
  }
}

/**
 * The reversal of an operation. The amount is added to the opposite sum (contract section 5), so both sums only ever
 * grow. It stays with the organization of the operation, wherever the subscriber belongs by now. The reversal of an
 * operation that is no real financial document is none either, and what was paid in cash is given back in cash.
 */
export const reversalOf = ({ id, subscriberId, organizationId, typeId, amount, details }: Operation): Entry => ({
  subscriberId,
  organizationId,
  typeId,
  amount: negated(amount),
  description: `Сторно операции ${id}`,
  reversalOf: id,
  details: {
    ...(details.uslugaId !== undefined && { uslugaId: details.uslugaId }),
    ...(details.isAccounting === false && { isAccounting: false }),
    ...(details.isCash && { isCash: true }),
  },
})

/** A receipt adds to the receipts, an expense to the write-offs. Null: a sum would no longer fit its column. */
function withAmount(account: Account, amount: Money, at: Date): Account | null {
  const receipts = amount > 0n ? plus(account.receipts, amount) : account.receipts
  const writeOffs = amount < 0n ? minus(account.writeOffs, amount) : account.writeOffs
  const balance = minus(receipts, writeOffs)
  if (![receipts, writeOffs, balance].every(fitsLedger)) return null
  return { ...account, receipts, writeOffs, balance, debtSince: debtSinceAfter(account, balance, at) }
}

const snapshotOf = (account: Account): AccountSnapshot => ({
  balance: account.balance,
  receipts: account.receipts,
  writeOffs: account.writeOffs,
  warnBelow: account.warnBelow,
  limit: account.limit,
  unlimited: account.unlimited,
  unlimitedUntil: account.unlimitedUntil,
})

/** An account has no organization of its own and takes that of its subscriber (specification section 1 rule 5). */
const organizationOf = (account: Account, id: SubscriberId | null) =>
  (account.subscribers.find((subscriber) => subscriber.id === id) ?? account.subscribers[0])?.organizationId ??
  defaultOrganization
