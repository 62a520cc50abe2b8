import { type Account, isBalanced, reachOf, type Subscriber, settled, withDebtEvaluated } from '../domain/account.ts'
import { withBlock } from '../domain/block.ts'
import { defaultOrganization, type OperationId, type SubscriberId } from '../domain/ids.ts'
import { fitsLedger, type Money, magnitude, minus, negated, plus, zero } from '../domain/money.ts'
import type { AccountSnapshot, Operation, OperationSign } from '../domain/operation.ts'
import type { Effect } from '../events.ts'
import { type AuditEntry, linkAudit, operationAudits, stateAudits, subscriberAudits } from './audit.ts'
import type { AccountCommand, AccountRefusal, Author } from './messages.ts'

/** Everything one accepted command writes about one account. The store turns it into rows. */
export type AccountChange = {
  readonly before: Account
  readonly after: Account
  readonly operation: Operation | null
  /** Marked storno together with the operation that reverses it. */
  readonly reversed: OperationId | null
  readonly removed: OperationId | null
  /** Must be new, or the whole change is refused as known. */
  readonly keys: readonly string[]
  readonly audits: readonly AuditEntry[]
  readonly effects: readonly Effect[]
}

export type Decision =
  | { kind: 'accepted'; change: AccountChange }
  | { kind: 'unchanged' }
  | { kind: 'refused'; reason: AccountRefusal }

/** What a decision may know beside the account: the hour, who asks, the id a new operation will have. */
export type DecisionContext = { now: Date; author: Author; newOperationId(): OperationId }

/** Reads that some commands need before they can be decided. */
export type Known = {
  operation: Operation | null
  /** For a removal: the operation before that one, which is the last when the last is removed. */
  previousId?: OperationId | null
}

/** Pure: the command, the account and the context decide; nothing is read and nothing is written. */
export function decide(account: Account, command: AccountCommand, known: Known, context: DecisionContext): Decision {
  switch (command.kind) {
    case 'post':
      return decidePost(account, command, context)
    case 'reverse':
      return decideReversal(account, command.operationId, known.operation, context)
    case 'removeOperation':
      return decideRemoval(account, known, context)
    case 'setBlock':
      return decideSubscriber(account, command.subscriberId, context, (subscriber) => ({
        ...subscriber,
        blocks: withBlock(subscriber.blocks, command.reason, command.on),
      }))
    case 'setDeleted':
      return decideSubscriber(account, command.subscriberId, context, (subscriber) => ({
        ...subscriber,
        deleted: command.deleted,
      }))
    case 'setLogin':
      return decideLogin(account, command, context)
    case 'setTerms':
      return accepted(account, { ...account, ...command.terms }, context)
    case 'sweep':
      return accepted(account, account, context)
    case 'disconnect':
      return decideDisconnect(account, command.subscriberId, context)
    case 'applySpeed':
      return decideSpeed(account, command.subscriberId, context)
  }
}

function decidePost(
  account: Account,
  command: Extract<AccountCommand, { kind: 'post' }>,
  context: DecisionContext,
): Decision {
  const { subscriberId, sign } = command
  if (subscriberId !== null && !account.subscribers.some((subscriber) => subscriber.id === subscriberId)) {
    return { kind: 'refused', reason: 'subscriberNotOnAccount' }
  }
  const amount = signedAmount(command.amount, sign)
  const moved = withMoved(account, amount)
  if (!moved) return { kind: 'refused', reason: 'amountOutOfRange' }
  // From here the operation is accepted.
  const operation: Operation = {
    id: context.newOperationId(),
    accountId: account.id,
    subscriberId,
    organizationId: organizationOf(account, subscriberId),
    typeId: command.typeId,
    amount,
    movedAt: command.movedAt ?? context.now,
    recordedAt: context.now,
    ownerId: context.author.staffId,
    description: command.description,
    reversed: false,
    reversalOf: null,
    details: command.details,
    snapshot: snapshotOf(account),
  }
  return accepted(account, { ...moved, lastOperationId: operation.id }, context, { operation, keys: command.keys })
}

function decideReversal(
  account: Account,
  wanted: OperationId | null,
  original: Operation | null,
  context: DecisionContext,
): Decision {
  if (account.lastOperationId === null && wanted === null) return { kind: 'refused', reason: 'nothingToReverse' }
  if (!original || original.accountId !== account.id) return { kind: 'refused', reason: 'operationMissing' }
  if (original.reversed) return { kind: 'refused', reason: 'alreadyReversed' }
  if (original.id !== account.lastOperationId) return { kind: 'refused', reason: 'notLastOperation' }
  // The amount goes to the other column (contract section 5), so both sums only ever grow.
  const undone = withMoved(account, negated(original.amount))
  if (!undone) return { kind: 'refused', reason: 'amountOutOfRange' }
  // From here the reversal is accepted.
  const reversal: Operation = {
    id: context.newOperationId(),
    accountId: account.id,
    subscriberId: original.subscriberId,
    organizationId: original.organizationId,
    typeId: original.typeId,
    amount: negated(original.amount),
    movedAt: context.now,
    recordedAt: context.now,
    ownerId: context.author.staffId,
    description: `Reversal of operation ${original.id}`,
    reversed: true,
    reversalOf: original.id,
    details: original.details.uslugaId === undefined ? {} : { uslugaId: original.details.uslugaId },
    snapshot: snapshotOf(account),
  }
  return accepted(account, { ...undone, lastOperationId: reversal.id }, context, {
    operation: reversal,
    reversed: original.id,
  })
}

/** Deleting an operation does not roll back the balance (specification 3.3). */
function decideRemoval(account: Account, { operation, previousId }: Known, context: DecisionContext): Decision {
  if (!operation || operation.accountId !== account.id) return { kind: 'refused', reason: 'operationMissing' }
  const lastOperationId = operation.id === account.lastOperationId ? (previousId ?? null) : account.lastOperationId
  return accepted(account, { ...account, lastOperationId }, context, { removed: operation })
}

function decideSubscriber(
  account: Account,
  id: SubscriberId,
  context: DecisionContext,
  change: (subscriber: Subscriber) => Subscriber,
): Decision {
  if (!account.subscribers.some((subscriber) => subscriber.id === id)) {
    return { kind: 'refused', reason: 'subscriberNotOnAccount' }
  }
  const subscribers = account.subscribers.map((subscriber) =>
    subscriber.id === id ? settled(change(subscriber)) : subscriber,
  )
  return accepted(account, { ...account, subscribers }, context)
}

function decideLogin(
  account: Account,
  command: Extract<AccountCommand, { kind: 'setLogin' }>,
  context: DecisionContext,
): Decision {
  const owner = account.subscribers.find(({ logins }) => logins.some((login) => login.id === command.loginId))
  if (!owner) return { kind: 'refused', reason: 'loginNotOnAccount' }
  return decideSubscriber(account, owner.id, context, (subscriber) => ({
    ...subscriber,
    logins: subscriber.logins.map((login) =>
      login.id === command.loginId ? { ...login, disabledByHand: !command.enabled } : login,
    ),
  }))
}

function decideDisconnect(account: Account, id: SubscriberId, context: DecisionContext): Decision {
  const subscriber = account.subscribers.find((candidate) => candidate.id === id)
  if (!subscriber) return { kind: 'refused', reason: 'subscriberNotOnAccount' }
  const audit: AuditEntry = { table: 'ABONENTS', objectId: id, action: 'reconnect', diff: {} }
  return accepted(account, account, context, { effects: [disconnectOf(subscriber)], audits: [audit] })
}

function decideSpeed(account: Account, id: SubscriberId, context: DecisionContext): Decision {
  const subscriber = account.subscribers.find((candidate) => candidate.id === id)
  if (!subscriber) return { kind: 'refused', reason: 'subscriberNotOnAccount' }
  const logins = subscriber.logins.map(({ name }) => name)
  return accepted(account, account, context, { effects: [{ kind: 'speed', subscriberId: id, logins }] })
}

/**
 * A subscriber goes to another account: one change of each, committed together. Null: the subscriber is not on `source`
 * (any more). Whether the subscriber is in debt now depends on the new account alone.
 */
export function decideMove(
  source: Account,
  target: Account,
  id: SubscriberId,
  now: Date,
): { from: AccountChange; to: AccountChange } | null {
  const moved = source.subscribers.find((subscriber) => subscriber.id === id)
  if (!moved) return null
  const left = { ...source, subscribers: source.subscribers.filter((subscriber) => subscriber.id !== id) }
  const joined = { ...target, subscribers: [...target.subscribers, moved].sort((a, b) => a.id - b.id) }
  const from = changeOf(source, left, now, { audits: [linkAudit(source, 'unlink', id)] })
  const to = changeOf(target, joined, now, { audits: [linkAudit(target, 'link', id)] })
  const is = to.after.subscribers.find((subscriber) => subscriber.id === id)!
  const audits = [...to.audits, ...subscriberAudits(moved, is)]
  const reached = reachOf(source, moved, now)
  const cut = reached !== 'closed' && reached !== reachOf(to.after, is, now) ? [disconnectOf(is)] : []
  return { from, to: { ...to, audits, effects: [...to.effects, ...cut] } }
}

type Extras = {
  operation?: Operation
  reversed?: OperationId
  removed?: Operation
  keys?: readonly string[]
  effects?: readonly Effect[]
  audits?: readonly AuditEntry[]
}

/** The last step of every decision about one account; a change that changes nothing is not written. */
function accepted(before: Account, changed: Account, context: DecisionContext, extras: Extras = {}): Decision {
  const change = changeOf(before, changed, context.now, extras)
  if (change.audits.length === 0 && change.effects.length === 0) return { kind: 'unchanged' }
  return { kind: 'accepted', change }
}

/** Debt is evaluated again, and what differs from before tells which audits and effects follow. */
function changeOf(before: Account, changed: Account, now: Date, extras: Extras): AccountChange {
  const evaluated = withDebtEvaluated(changed, now)
  if (!isBalanced(evaluated)) throw new Error(`Account ${before.id} would leave balance = receipts - write-offs.`)
  return {
    before,
    after: { ...evaluated, version: before.version + 1 },
    operation: extras.operation ?? null,
    reversed: extras.reversed ?? null,
    removed: extras.removed?.id ?? null,
    keys: extras.keys ?? [],
    audits: [
      ...(extras.audits ?? []),
      ...operationAudits(before, evaluated, extras),
      ...stateAudits(before, evaluated),
    ],
    effects: [...(extras.effects ?? []), ...accessEffects(before, evaluated, now)],
  }
}

/** Live sessions are cut when what a subscriber may reach has changed, and always on leaving the walled garden. */
function accessEffects(before: Account, after: Account, now: Date): Effect[] {
  return before.subscribers.flatMap((was) => {
    const is = after.subscribers.find(({ id }) => id === was.id)
    if (!is) return []
    const reached = reachOf(before, was, now)
    if (reached === 'closed') return []
    if (reached !== reachOf(after, is, now)) return [disconnectOf(is)]
    const cut = was.logins.filter((login) =>
      is.logins.some(
        ({ id, enabled, disabledByHand }) =>
          // In the walled garden a login is not enabled, and yet has its session.
          id === login.id && ((login.enabled && !enabled) || (!login.disabledByHand && disabledByHand)),
      ),
    )
    return cut.length > 0
      ? [
          disconnectOf(
            is,
            cut.map(({ name }) => name),
          ),
        ]
      : []
  })
}

const disconnectOf = (
  { id, logins }: Subscriber,
  names: readonly string[] = logins.map((login) => login.name),
): Effect => ({ kind: 'disconnect', subscriberId: id, logins: names })

/** The sign follows the type; an informational operation (sign 0) says something and moves nothing. */
const signedAmount = (amount: Money, sign: OperationSign): Money => {
  if (sign === 0) return zero
  return sign > 0 ? magnitude(amount) : negated(magnitude(amount))
}

/** A receipt grows the receipts, an expense the write-offs. Null when the sums would no longer fit the columns. */
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

/** The main client of an account is the one with the lowest id (specification 2.3 rule 3). */
const mainSubscriber = (account: Account): Subscriber | null => account.subscribers[0] ?? null

/** An account has no organization of its own and takes that of its subscriber (specification section 1 rule 5). */
const organizationOf = (account: Account, id: SubscriberId | null) =>
  (account.subscribers.find((subscriber) => subscriber.id === id) ?? mainSubscriber(account))?.organizationId ??
  defaultOrganization
