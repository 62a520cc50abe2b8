import type { Account } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import { extended, nextLink } from '../../domain/chain.ts'
import { defaultOrganization, type OperationId, type SubscriberId } from '../../domain/ids.ts'
import { fitsLedger, type Money, minus, negated, plus } from '../../domain/money.ts'
import type { AccountSnapshot, Operation, OperationDetails } from '../../domain/operation.ts'

/** What a decision may know beside the account: the hour, who asks, the ids new rows will have. */
export type DecisionContext = {
  readonly now: Date
  readonly author: Author
  readonly newOperationId: () => OperationId
  readonly newLinkId: () => number
}

/** What is to be posted; the amount has its sign. */
export type Entry = {
  readonly subscriberId: SubscriberId | null
  readonly typeId: number
  readonly amount: Money
  readonly description: string
  readonly movedAt?: Date | null
  readonly details?: OperationDetails
  /** It takes another operation back (null: one whose record is gone). Both carry the mark storno (specification 3.3). */
  readonly reversalOf?: OperationId | null
}

/** The account and what has been posted to it in this turn, in order. A value like the account itself. */
export type Posted = { readonly account: Account; readonly operations: readonly Operation[] }

export const nothingPosted = (account: Account): Posted => ({ account, operations: [] })

/** One more operation, on what the ones before it left. Null: the sums would no longer fit the columns. */
export function post({ account, operations }: Posted, entry: Entry, context: DecisionContext): Posted | null {
  const moved = withMoved(account, entry.amount)
  if (!moved) return null
  const facts = {
    id: context.newOperationId(),
    accountId: account.id,
    subscriberId: entry.subscriberId,
    organizationId: organizationOf(account, entry.subscriberId),
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

/** The amount goes to the other column (contract section 5), so both sums only ever grow. */
export const reversalOf = ({ id, subscriberId, typeId, amount, details }: Operation): Entry => ({
  subscriberId,
  typeId,
  amount: negated(amount),
  description: `Сторно операции ${id}`,
  reversalOf: id,
  details: details.uslugaId === undefined ? {} : { uslugaId: details.uslugaId },
})

/** A receipt grows the receipts, an expense the write-offs. */
function withMoved(account: Account, amount: Money): Account | null {
  const receipts = amount > 0n ? plus(account.receipts, amount) : account.receipts
  const writeOffs = amount < 0n ? minus(account.writeOffs, amount) : account.writeOffs
  const balance = minus(receipts, writeOffs)
  return [receipts, writeOffs, balance].every(fitsLedger) ? { ...account, receipts, writeOffs, balance } : null
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
