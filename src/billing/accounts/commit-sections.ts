import type { Account, Subscriber } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import type { Blocks } from '../../domain/block.ts'
import type { StoredEffect } from '../../domain/effects.ts'
import type { OperationId } from '../../domain/ids.ts'
import type { Operation } from '../../domain/operation.ts'
import { type PromisePayment, promiseSystemType } from '../../domain/promise.ts'
import type { AuditEntry } from './audit.ts'
import type { Column } from './binary-arrays.ts'
import type { PaidOrder } from './messages.ts'

type Turn = { readonly turn: number }

/** What one section of the statement writes, as the turns have decided it. */
export type CommitRows = {
  accounts: Turn & { version: number; account: Account }
  operations: Turn & { operation: Operation }
  reversed: Turn & { id: OperationId }
  removed: Turn & { id: OperationId; at: Date; author: Author }
  keys: Turn & { key: string; account: Account; operation: Operation | null }
  orders: Turn & { order: PaidOrder; operation: Operation }
  subscribers: Turn & { account: Account; was: Subscriber; is: Subscriber; at: Date }
  linked: Turn & { subscriber: Subscriber; promise: PromisePayment; at: Date }
  unlinked: Turn & { id: number }
  blocked: Turn & { subscriber: Subscriber; blocks: Blocks; at: Date }
  unblocked: Turn & { subscriber: Subscriber }
  logins: Turn & { login: Subscriber['logins'][number] }
  audits: Turn & { audit: AuditEntry; author: Author; organizationId: number | null; at: Date }
  outbox: Turn & { stored: StoredEffect; at: Date }
}

export type SectionName = keyof CommitRows

type Columns<Row> = Readonly<Record<string, Column<Row>>>

type Section<Row> = {
  readonly columns: Columns<Row>
  /** Each writes what it selects `FROM row`, which holds those of accepted turns. */
  readonly writes: readonly string[]
}

const turn: Column<Turn> = { type: 'int4', of: (row) => row.turn }

/** The tariff that was planned has begun. */
const reachesNext =
  'row.tariff_changes AND abonents.next_tarif_id = row.tarif_id AND abonents.next_tarif_date <= row.at'

/** Columns of the tables, and where their values come from. The order is the order of the statement. */
export const sections: { readonly [Name in SectionName]: Section<CommitRows[Name]> } = {
  accounts: {
    columns: {
      turn,
      id: { type: 'int8', of: ({ account }) => account.id },
      version: { type: 'int4', of: ({ version }) => version },
      ostatok: { type: 'int8', of: ({ account }) => account.balance },
      debit: { type: 'int8', of: ({ account }) => account.receipts },
      credit: { type: 'int8', of: ({ account }) => account.writeOffs },
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
    writes: [
      `UPDATE admin_accounts SET version = row.version + 1, ostatok = row.ostatok, debit = row.debit, credit = row.credit,
        "limit" = row."limit", unlimited = row.unlimited, unlimited_date = row.unlimited_date, warn = row.warn,
        sleep_date = row.sleep_date, last_notification_date = row.last_notification_date,
        last_operation_id = row.last_operation_id, chain_length = row.chain_length, chain_head = row.chain_head
      FROM row WHERE admin_accounts.id = row.id`,
    ],
  },
  operations: {
    columns: {
      turn,
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
    writes: [
      `INSERT INTO finance_operations (op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id,
        owner_id, descr, number, storno, related_operation_id, usluga_id, fin_op_id, credit_type_id, operator_id, admin_comment,
        organization_id, aa_ostatok, aa_debit, aa_credit, aa_limit_warning, aa_limit, aa_unlimited, aa_unlimited_date,
        balance_buh, is_cash, operator_pay_id_str, operator_name, operator_result, code1c, isbuhdoc, txn, chain_seq, chain_hash)
      SELECT op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id,
        owner_id, descr, number, storno, related_operation_id, usluga_id, fin_op_id, credit_type_id, operator_id, admin_comment,
        organization_id, aa_ostatok, aa_debit, aa_credit, aa_limit_warning, aa_limit, aa_unlimited, aa_unlimited_date,
        aa_ostatok, is_cash, operator_pay_id_str, operator_name, operator_result, code1c, isbuhdoc, txn, chain_seq, chain_hash
      FROM row`,
    ],
  },
  reversed: {
    columns: { turn, op_id: { type: 'int8', of: ({ id }) => id } },
    writes: ['UPDATE finance_operations SET storno = true FROM row WHERE finance_operations.op_id = row.op_id'],
  },
  removed: {
    columns: {
      turn,
      op_id: { type: 'int8', of: ({ id }) => id },
      at: { type: 'timestamptz', of: ({ at }) => at },
      by: { type: 'int8', of: ({ author }) => author.staffId },
    },
    writes: [
      // The record goes, its place in the account's chain stays.
      `INSERT INTO removed_operations (op_id, account_id, op_type_id, op_summa, system_date, aa_ostatok, aa_debit,
        aa_credit, storno, related_operation_id, chain_seq, chain_hash, removed_at, removed_by)
      SELECT gone.op_id, gone.account_id, gone.op_type_id, gone.op_summa, gone.system_date, gone.aa_ostatok, gone.aa_debit,
        gone.aa_credit, gone.storno, gone.related_operation_id, gone.chain_seq, gone.chain_hash, row.at, row.by
      FROM row JOIN finance_operations AS gone USING (op_id)`,
      'DELETE FROM finance_operations USING row WHERE finance_operations.op_id = row.op_id',
    ],
  },
  keys: {
    columns: {
      turn,
      key: { type: 'text', of: ({ key }) => key },
      account_id: { type: 'int8', of: ({ account }) => account.id },
      op_id: { type: 'int8', of: ({ operation }) => operation?.id },
      amount: { type: 'int8', of: ({ operation }) => operation?.amount },
    },
    writes: ['INSERT INTO money_keys (key, account_id, op_id, amount) SELECT key, account_id, op_id, amount FROM row'],
  },
  orders: {
    columns: {
      turn,
      id: { type: 'int8', of: ({ order }) => order.id },
      gateway_id: { type: 'text', of: ({ order }) => order.gatewayId },
      op_id: { type: 'int8', of: ({ operation }) => operation.id },
      at: { type: 'timestamptz', of: ({ operation }) => operation.movedAt },
    },
    // The first payment of an order stays its payment.
    writes: [
      `UPDATE payment_orders SET state = 'paid', gateway_id = row.gateway_id, operation_id = row.op_id, paid_at = row.at, error = NULL
      FROM row WHERE payment_orders.id = row.id AND state <> 'paid'`,
    ],
  },
  subscribers: {
    columns: {
      turn,
      id: { type: 'int8', of: ({ is }) => is.id },
      account_id: { type: 'int8', of: ({ account }) => account.id },
      enabled: { type: 'bool', of: ({ is }) => is.enabled },
      deleted: { type: 'bool', of: ({ is }) => is.deleted },
      at: { type: 'timestamptz', of: ({ at }) => at },
      tariff_changes: { type: 'bool', of: ({ was, is }) => was.tariffId !== is.tariffId },
      tarif_id: { type: 'int8', of: ({ is }) => is.tariffId },
      promise_pay: { type: 'int8', of: ({ is }) => is.promise?.limit },
      promise_date_end: { type: 'timestamptz', of: ({ is }) => is.promise?.until },
      promise_last_date: { type: 'timestamptz', of: ({ is }) => is.lastPromiseAt },
      charged_from: { type: 'timestamptz', of: ({ is }) => is.chargedFrom },
    },
    // One row is updated once in a statement, so all that may change about a subscriber stands together; what does not, stays as it is.
    writes: [
      `UPDATE abonents SET enabled = row.enabled, account_id = row.account_id, deleted = row.deleted,
        deleted_date = CASE WHEN row.deleted = abonents.deleted THEN abonents.deleted_date WHEN row.deleted THEN row.at END,
        tarif_id = CASE WHEN row.tariff_changes THEN row.tarif_id ELSE abonents.tarif_id END,
        next_tarif_id = CASE WHEN ${reachesNext} THEN NULL ELSE abonents.next_tarif_id END,
        next_tarif_date = CASE WHEN ${reachesNext} THEN NULL ELSE abonents.next_tarif_date END,
        promise_pay = row.promise_pay, promise_date_end = row.promise_date_end, promise_last_date = row.promise_last_date,
        charged_from = row.charged_from
      FROM row WHERE abonents.id = row.id`,
    ],
  },
  linked: {
    columns: {
      turn,
      id: { type: 'int8', of: ({ promise }) => promise.linkId },
      abonent_id: { type: 'int8', of: ({ subscriber }) => subscriber.id },
      usluga_id: { type: 'int8', of: ({ promise }) => promise.uslugaId },
      system_type: { type: 'int4', of: () => promiseSystemType },
      end_time: { type: 'timestamptz', of: ({ promise }) => promise.until },
      limit: { type: 'int8', of: ({ promise }) => promise.limit },
      op_id: { type: 'int8', of: ({ promise }) => promise.operationId },
      at: { type: 'timestamptz', of: ({ at }) => at },
    },
    writes: [
      `INSERT INTO users_uslugas (id, abonent_id, usluga_id, system_type, end_time, "limit", op_id, create_date)
      SELECT id, abonent_id, usluga_id, system_type, end_time, "limit", op_id, at FROM row`,
    ],
  },
  unlinked: {
    columns: { turn, id: { type: 'int8', of: ({ id }) => id } },
    writes: ['DELETE FROM users_uslugas USING row WHERE users_uslugas.id = row.id'],
  },
  blocked: {
    columns: {
      turn,
      abonent_id: { type: 'int8', of: ({ subscriber }) => subscriber.id },
      b_negbal: { type: 'bool', of: ({ blocks }) => blocks.debt },
      b_admin: { type: 'bool', of: ({ blocks }) => blocks.operator },
      b_own: { type: 'bool', of: ({ blocks }) => blocks.client },
      b_sys: { type: 'bool', of: ({ blocks }) => blocks.system },
      at: { type: 'timestamptz', of: ({ at }) => at },
    },
    writes: [
      `INSERT INTO abonents_block (abonent_id, b_negbal, b_admin, b_own, b_sys, create_date, change_date)
      SELECT abonent_id, b_negbal, b_admin, b_own, b_sys, at, at FROM row
      ON CONFLICT (abonent_id) DO UPDATE SET b_negbal = excluded.b_negbal, b_admin = excluded.b_admin,
        b_own = excluded.b_own, b_sys = excluded.b_sys, change_date = excluded.change_date`,
    ],
  },
  unblocked: {
    columns: { turn, abonent_id: { type: 'int8', of: ({ subscriber }) => subscriber.id } },
    writes: ['DELETE FROM abonents_block USING row WHERE abonents_block.abonent_id = row.abonent_id'],
  },
  logins: {
    columns: {
      turn,
      id: { type: 'int8', of: ({ login }) => login.id },
      enabled: { type: 'bool', of: ({ login }) => login.enabled },
      disabled_by_hand: { type: 'bool', of: ({ login }) => login.disabledByHand },
    },
    writes: [
      'UPDATE users SET enabled = row.enabled, disabled_by_hand = row.disabled_by_hand FROM row WHERE users.id = row.id',
    ],
  },
  audits: {
    columns: {
      turn,
      at: { type: 'timestamptz', of: ({ at }) => at },
      user_id: { type: 'int8', of: ({ author }) => author.staffId },
      user_name: { type: 'text', of: ({ author }) => author.name },
      address: { type: 'text', of: ({ author }) => author.address },
      table_name: { type: 'text', of: ({ audit }) => audit.table },
      object_id: { type: 'text', of: ({ audit }) => String(audit.objectId) },
      action: { type: 'text', of: ({ audit }) => audit.action },
      diff: { type: 'text', of: ({ audit }) => JSON.stringify(audit.diff) },
      organization_id: { type: 'int8', of: ({ organizationId }) => organizationId },
    },
    writes: [
      `INSERT INTO audit_operations (at, user_id, user_name, address, table_name, object_id, action, diff, organization_id)
      SELECT at, user_id, user_name, address, table_name, object_id, action, diff::jsonb, organization_id FROM row`,
    ],
  },
  outbox: {
    columns: {
      turn,
      id: { type: 'int8', of: ({ stored }) => stored.outboxId },
      kind: { type: 'text', of: ({ stored }) => stored.effect.kind },
      payload: { type: 'text', of: ({ stored }) => JSON.stringify(stored.effect) },
      subscriber_id: { type: 'int8', of: ({ stored }) => stored.effect.subscriberId },
      at: { type: 'timestamptz', of: ({ at }) => at },
    },
    writes: [
      `INSERT INTO outbox (id, kind, payload, subscriber_id, created_at, due_at)
      SELECT id, kind, payload::jsonb, subscriber_id, at, at FROM row`,
    ],
  },
}
