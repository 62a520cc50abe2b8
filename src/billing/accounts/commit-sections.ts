import type { Account, Subscriber } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import type { Blocks } from '../../domain/block.ts'
import type { StoredEffect } from '../../domain/effects.ts'
import type { AccountId, OperationId } from '../../domain/ids.ts'
import type { Operation } from '../../domain/operation.ts'
import { type PromisePayment, promiseSystemType } from '../../domain/promise.ts'
import { Abonent, AbonentsBlock } from '../../platform/storage/entities/subscribers.ts'
import { AdminAccount, FinanceOperation, keptOfRemoved, MoneyKey } from '../../platform/storage/entities/accounts.ts'
import { AuditOperation } from '../../platform/storage/entities/organizations.ts'
import { NodeLog, Outbox } from '../../platform/storage/entities/program.ts'
import { PaymentOrder } from '../../platform/storage/entities/payments.ts'
import { User } from '../../platform/storage/entities/network.ts'
import { EndedUse, UsersUsluga } from '../../platform/storage/entities/services.ts'
import { assignments, insertInto } from '../../platform/storage/sql.ts'
import type { PlanChange } from './account-change.ts'
import type { AuditEntry } from './audit.ts'
import { type Columns, inserted, type Section, type Turn, updated, written } from './commit-section.ts'
import type { PaidOrder } from './messages.ts'
import type { ToldCommit } from './told-commit.ts'
import { subscriberBegins, type UseEnd } from './uses.ts'

/** The rows of every section of the statement, as the turns have decided them. */
export type CommitRows = {
  accounts: Turn & { version: number; account: Account }
  operations: Turn & { operation: Operation }
  reversed: Turn & { id: OperationId }
  removed: Turn & { id: OperationId; at: Date; author: Author }
  keys: Turn & { key: string; account: Account; operation: Operation | null }
  orders: Turn & { order: PaidOrder; operation: Operation }
  subscribers: Turn & { account: Account; was: Subscriber; is: Subscriber; plan: PlanChange | null; at: Date }
  linked: Turn & { subscriber: Subscriber; promise: PromisePayment; at: Date }
  unlinked: Turn & { id: number }
  blocked: Turn & { subscriber: Subscriber; blocks: Blocks; at: Date }
  unblocked: Turn & { subscriber: Subscriber }
  logins: Turn & { login: Subscriber['logins'][number] }
  audits: Turn & { audit: AuditEntry; author: Author; organizationId: number | null; at: Date }
  outbox: Turn & { stored: StoredEffect; at: Date }
  told: Turn & { account: AccountId; commit: ToldCommit }
  usesEnded: Turn & UseEnd
}

export type SectionName = keyof CommitRows

/** SQL: the planned tariff has come into force. */
const startsPlannedTariff =
  'row.tariff_changes AND abonents.next_tarif_id = row.tarif_id AND abonents.next_tarif_date <= row.at'

const planned = (column: 'next_tarif_id' | 'next_tarif_date'): string =>
  `CASE WHEN row.plan_changes THEN row.${column} WHEN ${startsPlannedTariff} THEN NULL ELSE abonents.${column} END`

const blockFlags: Columns<CommitRows['blocked']> = {
  b_negbal: { type: 'bool', of: ({ blocks }) => blocks.debt },
  b_admin: { type: 'bool', of: ({ blocks }) => blocks.operator },
  b_own: { type: 'bool', of: ({ blocks }) => blocks.client },
  b_sys: { type: 'bool', of: ({ blocks }) => blocks.system },
}

/** The columns that each section writes, and where their values come from, in the order of the statement. */
export const sections: { readonly [Name in SectionName]: Section<CommitRows[Name]> } = {
  accounts: updated(
    AdminAccount,
    {
      id: { type: 'int8', of: ({ account }) => account.id },
      version: { type: 'int4', of: ({ version }) => version },
      ostatok: { type: 'int8', of: ({ account }) => account.balance },
      debit: { type: 'int8', of: ({ account }) => account.receipts },
      credit: { type: 'int8', of: ({ account }) => account.writeOffs },
      debt_since: { type: 'timestamptz', of: ({ account }) => account.debtSince },
      limit: { type: 'int8', of: ({ account }) => account.limit },
      unlimited: { type: 'bool', of: ({ account }) => account.unlimited },
      unlimited_date: { type: 'timestamptz', of: ({ account }) => account.unlimitedUntil },
      warn: { type: 'int8', of: ({ account }) => account.warnBelow },
      sleep_date: { type: 'timestamptz', of: ({ account }) => account.sleepUntil },
      last_notification_date: { type: 'timestamptz', of: ({ account }) => account.warnedAt },
      last_operation_id: { type: 'int8', of: ({ account }) => account.lastOperationId },
      chain_length: { type: 'int4', of: ({ account }) => account.chain.length },
      chain_head: { type: 'bytea', of: ({ account }) => account.chain.head },
    },
    { version: 'row.version + 1' },
  ),
  operations: inserted(
    FinanceOperation,
    {
      op_id: { type: 'int8', of: ({ operation }) => operation.id },
      op_date: { type: 'timestamptz', of: ({ operation }) => operation.movedAt },
      system_date: { type: 'timestamptz', of: ({ operation }) => operation.recordedAt },
      op_summa: { type: 'int8', of: ({ operation }) => operation.amount },
      op_type_id: { type: 'int8', of: ({ operation }) => operation.typeId },
      abonent_id: { type: 'int8', of: ({ operation }) => operation.subscriberId },
      account_id: { type: 'int8', of: ({ operation }) => operation.accountId },
      owner_id: { type: 'int8', of: ({ operation }) => operation.ownerId },
      descr: { type: 'text', of: ({ operation }) => operation.description },
      number: { type: 'text', of: ({ operation }) => operation.details.number },
      storno: { type: 'bool', of: ({ operation }) => operation.reversed },
      related_operation_id: { type: 'int8', of: ({ operation }) => operation.reversalOf },
      usluga_id: { type: 'int8', of: ({ operation }) => operation.details.uslugaId },
      fin_op_id: { type: 'int8', of: ({ operation }) => operation.details.parentId },
      credit_type_id: { type: 'int8', of: ({ operation }) => operation.details.creditTypeId },
      operator_id: { type: 'int8', of: ({ operation }) => operation.details.carrierId },
      admin_comment: { type: 'text', of: ({ operation }) => operation.details.adminComment },
      organization_id: { type: 'int8', of: ({ operation }) => operation.organizationId },
      aa_ostatok: { type: 'int8', of: ({ operation }) => operation.snapshot.balance },
      aa_debit: { type: 'int8', of: ({ operation }) => operation.snapshot.receipts },
      aa_credit: { type: 'int8', of: ({ operation }) => operation.snapshot.writeOffs },
      aa_limit_warning: { type: 'int8', of: ({ operation }) => operation.snapshot.warnBelow },
      aa_limit: { type: 'int8', of: ({ operation }) => operation.snapshot.limit },
      aa_unlimited: { type: 'bool', of: ({ operation }) => operation.snapshot.unlimited },
      aa_unlimited_date: { type: 'timestamptz', of: ({ operation }) => operation.snapshot.unlimitedUntil },
      is_cash: { type: 'bool', of: ({ operation }) => operation.details.isCash ?? false },
      operator_pay_id_str: { type: 'text', of: ({ operation }) => operation.details.operatorPayId },
      operator_name: { type: 'text', of: ({ operation }) => operation.details.operatorName },
      operator_result: { type: 'text', of: ({ operation }) => operation.details.operatorResult },
      code1c: { type: 'text', of: ({ operation }) => operation.details.code1c },
      isbuhdoc: { type: 'bool', of: ({ operation }) => operation.details.isAccounting ?? true },
      txn: { type: 'text', of: ({ operation }) => operation.details.txn },
      chain_seq: { type: 'int4', of: ({ operation }) => operation.link?.seq },
      chain_hash: { type: 'bytea', of: ({ operation }) => operation.link?.hash },
    },
    { balance_buh: 'row.aa_ostatok' },
  ),
  reversed: written(
    { op_id: { type: 'int8', of: ({ id }) => id } },
    'UPDATE finance_operations SET storno = true FROM row WHERE finance_operations.op_id = row.op_id',
  ),
  removed: written(
    {
      op_id: { type: 'int8', of: ({ id }) => id },
      at: { type: 'timestamptz', of: ({ at }) => at },
      by: { type: 'int8', of: ({ author }) => author.staffId },
    },
    `${insertInto('removed_operations', {
      ...Object.fromEntries(keptOfRemoved.map((column) => [column, `gone.${column}`])),
      removed_at: 'row.at',
      removed_by: 'row.by',
    })} FROM row JOIN finance_operations AS gone USING (op_id)`,
    'DELETE FROM finance_operations USING row WHERE finance_operations.op_id = row.op_id',
  ),
  keys: inserted(MoneyKey, {
    key: { type: 'text', of: ({ key }) => key },
    account_id: { type: 'int8', of: ({ account }) => account.id },
    op_id: { type: 'int8', of: ({ operation }) => operation?.id },
    amount: { type: 'int8', of: ({ operation }) => operation?.amount },
  }),
  orders: updated(
    PaymentOrder,
    {
      id: { type: 'int8', of: ({ order }) => order.id },
      gateway_id: { type: 'text', of: ({ order }) => order.gatewayId },
      operation_id: { type: 'int8', of: ({ operation }) => operation.id },
      paid_at: { type: 'timestamptz', of: ({ operation }) => operation.movedAt },
    },
    { state: `'paid'`, error: 'NULL' },
    // An order that has been paid keeps its first payment.
    `state <> 'paid'`,
  ),
  // PostgreSQL updates a row only once in a statement, so everything that may change about a subscriber is written
  // together, and what does not change is written as it was.
  subscribers: updated(
    Abonent,
    {
      id: { type: 'int8', of: ({ is }) => is.id },
      account_id: { type: 'int8', of: ({ account }) => account.id },
      enabled: { type: 'bool', of: ({ is }) => is.enabled },
      deleted: { type: 'bool', of: ({ is }) => is.deleted },
      at: { type: 'timestamptz', isAside: true, of: ({ at }) => at },
      tariff_changes: { type: 'bool', isAside: true, of: ({ was, is }) => was.tariffId !== is.tariffId },
      tarif_id: { type: 'int8', of: ({ is }) => is.tariffId },
      plan_changes: { type: 'bool', isAside: true, of: ({ plan }) => plan !== null },
      next_tarif_id: { type: 'int8', of: ({ plan }) => plan?.is?.tariffId },
      next_tarif_date: { type: 'timestamptz', of: ({ plan }) => plan?.is?.from },
      promise_pay: { type: 'int8', of: ({ is }) => is.promise?.limit },
      promise_date_end: { type: 'timestamptz', of: ({ is }) => is.promise?.until },
      promise_last_date: { type: 'timestamptz', of: ({ is }) => is.lastPromiseAt },
      charged_from: { type: 'timestamptz', of: ({ is }) => is.chargedFrom },
    },
    {
      deleted_date:
        'CASE WHEN row.deleted = abonents.deleted THEN abonents.deleted_date WHEN row.deleted THEN row.at END',
      tarif_id: 'CASE WHEN row.tariff_changes THEN row.tarif_id ELSE abonents.tarif_id END',
      next_tarif_id: planned('next_tarif_id'),
      next_tarif_date: planned('next_tarif_date'),
    },
  ),
  linked: inserted(UsersUsluga, {
    id: { type: 'int8', of: ({ promise }) => promise.linkId },
    abonent_id: { type: 'int8', of: ({ subscriber }) => subscriber.id },
    usluga_id: { type: 'int8', of: ({ promise }) => promise.uslugaId },
    system_type: { type: 'int4', of: () => promiseSystemType },
    end_time: { type: 'timestamptz', of: ({ promise }) => promise.until },
    limit: { type: 'int8', of: ({ promise }) => promise.limit },
    op_id: { type: 'int8', of: ({ promise }) => promise.operationId },
    create_date: { type: 'timestamptz', of: ({ at }) => at },
  }),
  unlinked: written(
    { id: { type: 'int8', of: ({ id }) => id } },
    'DELETE FROM users_uslugas USING row WHERE users_uslugas.id = row.id',
  ),
  blocked: inserted(
    AbonentsBlock,
    {
      abonent_id: { type: 'int8', of: ({ subscriber }) => subscriber.id },
      ...blockFlags,
      change_date: { type: 'timestamptz', of: ({ at }) => at },
    },
    { create_date: 'row.change_date' },
    `ON CONFLICT (abonent_id) DO UPDATE SET ${assignments(
      Object.fromEntries([...Object.keys(blockFlags), 'change_date'].map((column) => [column, `excluded.${column}`])),
    )}`,
  ),
  unblocked: written(
    { abonent_id: { type: 'int8', of: ({ subscriber }) => subscriber.id } },
    'DELETE FROM abonents_block USING row WHERE abonents_block.abonent_id = row.abonent_id',
  ),
  logins: updated(User, {
    id: { type: 'int8', of: ({ login }) => login.id },
    enabled: { type: 'bool', of: ({ login }) => login.enabled },
    disabled_by_hand: { type: 'bool', of: ({ login }) => login.disabledByHand },
  }),
  audits: inserted(AuditOperation, {
    at: { type: 'timestamptz', of: ({ at }) => at },
    user_id: { type: 'int8', of: ({ author }) => author.staffId },
    user_name: { type: 'text', of: ({ author }) => author.name },
    address: { type: 'text', of: ({ author }) => author.address },
    table_name: { type: 'text', of: ({ audit }) => audit.table },
    object_id: { type: 'text', of: ({ audit }) => String(audit.objectId) },
    action: { type: 'text', of: ({ audit }) => audit.action },
    diff: { type: 'text', of: ({ audit }) => JSON.stringify(audit.diff) },
    organization_id: { type: 'int8', of: ({ organizationId }) => organizationId },
  }),
  outbox: inserted(
    Outbox,
    {
      id: { type: 'int8', of: ({ stored }) => stored.outboxId },
      kind: { type: 'text', of: ({ stored }) => stored.effect.kind },
      payload: { type: 'text', of: ({ stored }) => JSON.stringify(stored.effect) },
      subscriber_id: { type: 'int8', of: ({ stored }) => stored.effect.subscriberId },
      created_at: { type: 'timestamptz', of: ({ at }) => at },
    },
    { due_at: 'row.created_at' },
  ),
  // One row for the whole statement, and none where no turn was accepted.
  told: written(
    {
      account: { type: 'int8', of: ({ account }) => account },
      commit: { type: 'text', of: ({ commit }) => JSON.stringify(commit) },
    },
    `${insertInto(NodeLog.table, {
      accounts: 'array_agg(row.account)',
      commits: 'array_agg(row.commit)',
    })} FROM row HAVING count(*) > 0`,
  ),
  // The statement reads the rows as they were before it.
  usesEnded: written(
    {
      abonent_id: { type: 'int8', of: ({ subscriberId }) => subscriberId },
      ends_at: { type: 'timestamptz', of: ({ at }) => at },
    },
    `${insertInto(EndedUse.table, {
      abonent_id: 'abonent.id',
      tarif_id: 'abonent.tarif_id',
      begins_at: `greatest(${subscriberBegins})`,
      ends_at: 'row.ends_at',
    })} FROM row JOIN abonents AS abonent ON abonent.id = row.abonent_id
      JOIN admin_accounts AS account ON account.id = abonent.account_id WHERE greatest(${subscriberBegins}) < row.ends_at`,
  ),
}
