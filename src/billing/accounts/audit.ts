import { type Account, type AccountTerms, type Subscriber, subscribersById } from '../../domain/account.ts'
import { type Blocks, blockReasons, sameBlocks } from '../../domain/block.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money, plus } from '../../domain/money.ts'
import type { Operation } from '../../domain/operation.ts'

/** One row of AUDIT_OPERATIONS; `table` is spelled as the specification spells it. */
export type AuditEntry = {
  table: 'ABONENTS_BLOCK' | 'ADMIN_ACCOUNTS' | 'FINANCE_OPERATIONS' | 'ABONENTS' | 'USERS' | 'USERS_USLUGA'
  objectId: number
  action: string
  diff: Readonly<Record<string, unknown>>
}

export const linkAudit = (account: Account, action: 'link' | 'unlink', id: SubscriberId): AuditEntry => ({
  table: 'ADMIN_ACCOUNTS',
  objectId: account.id,
  action,
  diff: { abonent_id: id },
})

/**
 * Audit entries of posted, reversed and removed operations. A posting is also recorded for the account, with the
 * balance before and after it.
 */
export function operationAudits(
  after: Account,
  operations: readonly Operation[],
  removed: Operation | undefined,
): AuditEntry[] {
  const audits: AuditEntry[] = []
  for (const { id, typeId, amount, reversed, reversalOf, snapshot } of operations) {
    const diff = {
      op_id: id,
      op_type: typeId,
      amount: formatRubles(amount),
      ...(reversalOf && { reversal_of: reversalOf }),
    }
    const balance = [formatRubles(snapshot.balance), formatRubles(plus(snapshot.balance, amount))]
    audits.push({ table: 'FINANCE_OPERATIONS', objectId: id, action: reversed ? 'storno' : 'create', diff })
    audits.push({
      table: 'ADMIN_ACCOUNTS',
      objectId: after.id,
      action: reversed ? 'storno' : 'operation',
      diff: { ...diff, balance },
    })
  }
  if (removed) {
    const diff = { op_type: removed.typeId, amount: formatRubles(removed.amount), descr: removed.description }
    audits.push({ table: 'FINANCE_OPERATIONS', objectId: removed.id, action: 'delete', diff })
  }
  return audits
}

/** Audit entries of what has changed about an account and its subscribers. */
export function stateAudits(before: Account, after: Account): AuditEntry[] {
  const audits: AuditEntry[] = []
  const terms = termsDiff(before, after)
  if (Object.keys(terms).length > 0) {
    audits.push({ table: 'ADMIN_ACCOUNTS', objectId: after.id, action: 'change', diff: terms })
  }
  if (after.subscribers === before.subscribers) return audits
  const earlier = subscribersById(before)
  for (const is of after.subscribers) {
    const was = earlier.get(is.id)
    if (was) audits.push(...subscriberAudits(was, is))
  }
  return audits
}

export function subscriberAudits(was: Subscriber, is: Subscriber): AuditEntry[] {
  const audits: AuditEntry[] = []
  if (!sameBlocks(was.blocks, is.blocks)) {
    const diff = { ...blocksDiff(was.blocks, is.blocks), enabled: [was.enabled, is.enabled] }
    audits.push({ table: 'ABONENTS_BLOCK', objectId: is.id, action: is.enabled ? 'unblock' : 'block', diff })
  } else if (
    was.enabled !== is.enabled ||
    was.hasBlockRecord !== is.hasBlockRecord ||
    anyLoginDiffers(was, is, 'enabled')
  ) {
    if (!anyLoginDiffers(was, is, 'disabledByHand')) {
      const diff = { enabled: [was.enabled, is.enabled], block_record: [was.hasBlockRecord, is.hasBlockRecord] }
      audits.push({ table: 'ABONENTS_BLOCK', objectId: is.id, action: 'repair', diff })
    }
  }
  if (was.deleted !== is.deleted) {
    audits.push({
      table: 'ABONENTS',
      objectId: is.id,
      action: is.deleted ? 'delete' : 'restore',
      diff: { deleted: [was.deleted, is.deleted] },
    })
  }
  for (const login of is.logins) {
    const before = was.logins.find(({ id }) => id === login.id)
    if (before && before.disabledByHand !== login.disabledByHand) {
      audits.push({
        table: 'USERS',
        objectId: login.id,
        action: 'change',
        diff: { enabled: [!before.disabledByHand, !login.disabledByHand] },
      })
    }
  }
  return audits
}

const anyLoginDiffers = (was: Subscriber, is: Subscriber, field: 'enabled' | 'disabledByHand') =>
  is.logins.some((login) => was.logins.some((other) => other.id === login.id && other[field] !== login[field]))

const blockColumns = { debt: 'b_negbal', operator: 'b_admin', client: 'b_own', system: 'b_sys' } as const

const blocksDiff = (was: Blocks, is: Blocks) =>
  Object.fromEntries(
    blockReasons
      .filter((reason) => was[reason] !== is[reason])
      .map((reason) => [blockColumns[reason], [was[reason], is[reason]]]),
  )

const termNames = {
  limit: 'limit',
  unlimited: 'unlimited',
  unlimitedUntil: 'unlimited_date',
  warnBelow: 'warn',
  sleepUntil: 'sleep_date',
  warnedAt: 'last_notification_date',
} as const satisfies Record<keyof AccountTerms, string>

function termsDiff(before: Account, after: Account): Record<string, unknown> {
  const diff: Record<string, unknown> = {}
  for (const term of Object.keys(termNames) as (keyof AccountTerms)[]) {
    const [was, is] = [before[term], after[term]]
    if (comparable(was) !== comparable(is)) diff[termNames[term]] = [formatted(was), formatted(is)]
  }
  return diff
}

type TermValue = Money | Date | boolean | null

/** A value that `===` can compare: two dates of the same moment are equal, and amounts differ by their last unit. */
const comparable = (value: TermValue) => (value instanceof Date ? value.getTime() : value)

const formatted = (value: TermValue) =>
  typeof value === 'bigint' ? formatRubles(value) : value instanceof Date ? value.toISOString() : value
