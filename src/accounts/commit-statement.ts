import { type Account, type Subscriber, subscribersById } from '../domain/account.ts'
import { type Blocks, sameBlocks } from '../domain/block.ts'
import type { Operation } from '../domain/operation.ts'
import { type PromisePayment, promiseSystemType } from '../domain/promise.ts'
import type { StoredEffect } from '../events.ts'
import type { AccountChange } from './decision.ts'
import type { Author } from './messages.ts'

/** What one turn wants to write: one account, or two when a subscriber moves between them. All of it or nothing. */
export type CommitUnit = {
  readonly changes: readonly AccountChange[]
  readonly effects: readonly StoredEffect[]
  readonly author: Author
  readonly now: Date
}

type Row = Record<string, unknown>

/** The tariff that was planned has begun. */
const reachesNext =
  'row.tariff_changes AND abonents.next_tarif_id = row.tarif_id AND abonents.next_tarif_date <= row.at'

/**
 * The batch as one statement: lock the accounts in id order, leave out every turn whose account somebody else holds or has given
 * another version, or whose key is known, write the others. Each section is one JSON array and takes part only when it has rows, so
 * that the usual batches stay short and each combination is prepared once.
 */
const sections = {
  operations: `INSERT INTO finance_operations (op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id,
      owner_id, descr, number, storno, related_operation_id, usluga_id, fin_op_id, credit_type_id, operator_id, admin_comment,
      organization_id, aa_ostatok, aa_debit, aa_credit, aa_limit_warning, aa_limit, aa_unlimited, aa_unlimited_date,
      balance_buh, is_cash, operator_pay_id_str, operator_name, operator_result, code1c, isbuhdoc, txn, chain_seq, chain_hash)
    SELECT op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id,
      owner_id, descr, number, storno, related_operation_id, usluga_id, fin_op_id, credit_type_id, operator_id, admin_comment,
      organization_id, aa_ostatok, aa_debit, aa_credit, aa_limit_warning, aa_limit, aa_unlimited, aa_unlimited_date,
      aa_ostatok, is_cash, operator_pay_id_str, operator_name, operator_result, code1c, isbuhdoc, txn,
      chain_seq, decode(chain_hash, 'hex')
    FROM json_to_recordset($N) AS row(turn int4, op_id int8, op_date timestamptz, system_date timestamptz, op_summa int8,
      op_type_id int8, abonent_id int8, account_id int8, owner_id int8, descr text, number text, storno bool,
      related_operation_id int8, usluga_id int8, fin_op_id int8, credit_type_id int8, operator_id int8, admin_comment text,
      organization_id int8, aa_ostatok int8, aa_debit int8, aa_credit int8, aa_limit_warning int8, aa_limit int8,
      aa_unlimited bool, aa_unlimited_date timestamptz, is_cash bool, operator_pay_id_str text, operator_name text,
      operator_result text, code1c text, isbuhdoc bool, txn text, chain_seq int4, chain_hash text) JOIN accepted USING (turn)`,
  reversed: `UPDATE finance_operations SET storno = true
    FROM json_to_recordset($N) AS row(turn int4, op_id int8) JOIN accepted USING (turn)
    WHERE finance_operations.op_id = row.op_id`,
  // The record goes, its place in the account's chain stays.
  tombstones: `INSERT INTO removed_operations (op_id, account_id, op_type_id, op_summa, system_date, aa_ostatok, aa_debit,
      aa_credit, storno, related_operation_id, chain_seq, chain_hash, removed_at, removed_by)
    SELECT gone.op_id, gone.account_id, gone.op_type_id, gone.op_summa, gone.system_date, gone.aa_ostatok, gone.aa_debit,
      gone.aa_credit, gone.storno, gone.related_operation_id, gone.chain_seq, gone.chain_hash, row.at, row.by
    FROM json_to_recordset($N) AS row(turn int4, op_id int8, at timestamptz, by int8) JOIN accepted USING (turn)
      JOIN finance_operations AS gone USING (op_id)`,
  removed: `DELETE FROM finance_operations USING json_to_recordset($N) AS row(turn int4, op_id int8) JOIN accepted USING (turn)
    WHERE finance_operations.op_id = row.op_id`,
  keys: `INSERT INTO money_keys (key, account_id, op_id, amount)
    SELECT key, account_id, op_id, amount
    FROM json_to_recordset($N) AS row(turn int4, key text, account_id int8, op_id int8, amount int8) JOIN accepted USING (turn)`,
  // One row is updated once in a statement, so all that may change about a subscriber stands together; what does not, stays as it is.
  subscribers: `UPDATE abonents SET enabled = row.enabled, account_id = row.account_id, deleted = row.deleted,
      deleted_date = CASE WHEN row.deleted = abonents.deleted THEN abonents.deleted_date WHEN row.deleted THEN row.at END,
      tarif_id = CASE WHEN row.tariff_changes THEN row.tarif_id ELSE abonents.tarif_id END,
      next_tarif_id = CASE WHEN ${reachesNext} THEN NULL ELSE abonents.next_tarif_id END,
      next_tarif_date = CASE WHEN ${reachesNext} THEN NULL ELSE abonents.next_tarif_date END,
      promise_pay = row.promise_pay, promise_date_end = row.promise_date_end, promise_last_date = row.promise_last_date,
      charged_from = row.charged_from
    FROM json_to_recordset($N) AS row(turn int4, id int8, account_id int8, enabled bool, deleted bool, at timestamptz,
      tariff_changes bool, tarif_id int8, promise_pay int8, promise_date_end timestamptz, promise_last_date timestamptz,
      charged_from timestamptz)
    JOIN accepted USING (turn) WHERE abonents.id = row.id`,
  linked: `INSERT INTO users_uslugas (id, abonent_id, usluga_id, system_type, end_time, "limit", op_id, create_date)
    SELECT id, abonent_id, usluga_id, system_type, end_time, "limit", op_id, at
    FROM json_to_recordset($N) AS row(turn int4, id int8, abonent_id int8, usluga_id int8, system_type int4, end_time timestamptz,
      "limit" int8, op_id int8, at timestamptz) JOIN accepted USING (turn)`,
  unlinked: `DELETE FROM users_uslugas USING json_to_recordset($N) AS row(turn int4, id int8) JOIN accepted USING (turn)
    WHERE users_uslugas.id = row.id`,
  blocked: `INSERT INTO abonents_block (abonent_id, b_negbal, b_admin, b_own, b_sys, create_date, change_date)
    SELECT abonent_id, b_negbal, b_admin, b_own, b_sys, at, at
    FROM json_to_recordset($N) AS row(turn int4, abonent_id int8, b_negbal bool, b_admin bool, b_own bool, b_sys bool,
      at timestamptz) JOIN accepted USING (turn)
    ON CONFLICT (abonent_id) DO UPDATE SET b_negbal = excluded.b_negbal, b_admin = excluded.b_admin,
      b_own = excluded.b_own, b_sys = excluded.b_sys, change_date = excluded.change_date`,
  unblocked: `DELETE FROM abonents_block USING json_to_recordset($N) AS row(turn int4, abonent_id int8) JOIN accepted USING (turn)
    WHERE abonents_block.abonent_id = row.abonent_id`,
  logins: `UPDATE users SET enabled = row.enabled, disabled_by_hand = row.disabled_by_hand
    FROM json_to_recordset($N) AS row(turn int4, id int8, enabled bool, disabled_by_hand bool) JOIN accepted USING (turn)
    WHERE users.id = row.id`,
  audits: `INSERT INTO audit_operations (at, user_id, user_name, address, table_name, object_id, action, diff, organization_id)
    SELECT at, user_id, user_name, address, table_name, object_id, action, diff, organization_id
    FROM json_to_recordset($N) AS row(turn int4, at timestamptz, user_id int8, user_name text, address text, table_name text,
      object_id text, action text, diff jsonb, organization_id int8) JOIN accepted USING (turn)`,
  outbox: `INSERT INTO outbox (id, kind, payload, subscriber_id, created_at, due_at)
    SELECT id, kind, payload, subscriber_id, at, at
    FROM json_to_recordset($N) AS row(turn int4, id int8, kind text, payload jsonb, subscriber_id int8, at timestamptz)
    JOIN accepted USING (turn)`,
} as const

type SectionName = keyof typeof sections
type Rows = Record<'accounts' | SectionName, Row[]>

const accountColumns = `turn int4, id int8, version int4, ostatok int8, debit int8, credit int8, "limit" int8,
  unlimited bool, unlimited_date timestamptz, warn int8, sleep_date timestamptz, last_notification_date timestamptz,
  last_operation_id int8, chain_length int4, chain_head text`

/** How the database found one account of one turn. */
export type CommitVerdict = {
  turn: number
  accepted: boolean
  /** Null: the row is not there, or somebody else holds it. */
  version: number | null
  /** There is such an account. */
  present: boolean
  /** A key of the turn was taken before, by this operation. */
  op_id: string | null
  amount: string | null
}

export type Statement = { name: string; text: string; values: string[] }

export function commitStatement(units: readonly CommitUnit[]): Statement {
  const rows = rowsOf(units)
  const used = (Object.keys(sections) as SectionName[]).filter((section) => rows[section].length > 0)
  const values = [rows.accounts, ...used.map((section) => rows[section])].map(toJson)
  return { name: nameOf(used), text: statementText(used), values }
}

/** PostgreSQL cuts names of prepared statements at 63 bytes, so the sections are named by their numbers. */
const nameOf = (used: readonly SectionName[]): string =>
  `commit:${used.map((section) => Object.keys(sections).indexOf(section)).join()}`

const texts = new Map<string, string>()

function statementText(used: readonly SectionName[]): string {
  const known = texts.get(nameOf(used))
  if (known) return known
  const keysAt = used.indexOf('keys') + 2
  const text = `WITH
wanted AS MATERIALIZED (SELECT * FROM json_to_recordset($1) AS row(${accountColumns})),
locked AS MATERIALIZED (
  SELECT id, version FROM admin_accounts WHERE id IN (SELECT id FROM wanted) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
known AS MATERIALIZED (${
    keysAt > 1
      ? `SELECT DISTINCT ON (row.turn) row.turn, taken.op_id, taken.amount
    FROM json_to_recordset($${keysAt}) AS row(turn int4, key text) JOIN money_keys AS taken USING (key) ORDER BY row.turn`
      : 'SELECT NULL::int4 AS turn, NULL::int8 AS op_id, NULL::int8 AS amount WHERE false'
  }),
accepted AS MATERIALIZED (
  SELECT turn FROM wanted LEFT JOIN locked USING (id) GROUP BY turn
  HAVING bool_and(locked.version IS NOT DISTINCT FROM wanted.version) AND turn NOT IN (SELECT turn FROM known)),
written_accounts AS (
  UPDATE admin_accounts SET version = row.version + 1, ostatok = row.ostatok, debit = row.debit, credit = row.credit,
    "limit" = row."limit", unlimited = row.unlimited, unlimited_date = row.unlimited_date, warn = row.warn,
    sleep_date = row.sleep_date, last_notification_date = row.last_notification_date,
    last_operation_id = row.last_operation_id, chain_length = row.chain_length, chain_head = decode(row.chain_head, 'hex')
  FROM wanted AS row JOIN accepted USING (turn) WHERE admin_accounts.id = row.id)${used
    .map((section, index) => `,\nwritten_${section} AS (${sections[section].replace('$N', `$${index + 2}`)})`)
    .join('')}
SELECT wanted.turn, locked.version, accepted.turn IS NOT NULL AS accepted, known.op_id, known.amount,
  locked.id IS NOT NULL OR EXISTS (SELECT FROM admin_accounts WHERE admin_accounts.id = wanted.id) AS present
FROM wanted LEFT JOIN locked USING (id) LEFT JOIN accepted USING (turn) LEFT JOIN known USING (turn)`
  texts.set(nameOf(used), text)
  return text
}

function rowsOf(units: readonly CommitUnit[]): Rows {
  const rows: Rows = {
    accounts: [],
    operations: [],
    reversed: [],
    tombstones: [],
    removed: [],
    keys: [],
    subscribers: [],
    linked: [],
    unlinked: [],
    blocked: [],
    unblocked: [],
    logins: [],
    audits: [],
    outbox: [],
  }
  units.forEach((unit, turn) => {
    for (const change of unit.changes) addChange(rows, turn, unit, change)
    for (const { outboxId, effect } of unit.effects) {
      rows.outbox.push({
        turn,
        id: outboxId,
        kind: effect.kind,
        payload: effect,
        subscriber_id: effect.subscriberId,
        at: unit.now,
      })
    }
  })
  return rows
}

function addChange(rows: Rows, turn: number, { author, now }: CommitUnit, change: AccountChange): void {
  const { before, after, operation, operations, removed, joined } = change
  rows.accounts.push({ turn, version: before.version, ...accountRow(after) })
  for (const posted of operations) {
    rows.operations.push({ turn, ...operationRow(posted) })
    if (posted.reversalOf !== null) rows.reversed.push({ turn, op_id: posted.reversalOf })
  }
  if (removed !== null) {
    rows.tombstones.push({ turn, op_id: removed, at: now, by: author.staffId })
    rows.removed.push({ turn, op_id: removed })
  }
  for (const key of change.keys) {
    rows.keys.push({ turn, key, account_id: after.id, op_id: operation?.id, amount: operation?.amount })
  }
  const earlier = subscribersById(before)
  for (const is of after.subscribers) {
    const was = earlier.get(is.id)
    if (was) addSubscriber(rows, turn, now, after, was, is, false)
    else if (joined?.id === is.id) addSubscriber(rows, turn, now, after, joined, is, true)
  }
  const organization = after.subscribers[0]?.organizationId ?? operation?.organizationId ?? null
  for (const { table, objectId, action, diff } of change.audits) {
    rows.audits.push({
      turn,
      at: now,
      user_id: author.staffId,
      user_name: author.name,
      address: author.address,
      table_name: table,
      object_id: String(objectId),
      action,
      diff,
      organization_id: organization,
    })
  }
}

/** Only what differs is written. */
function addSubscriber(
  rows: Rows,
  turn: number,
  at: Date,
  account: Account,
  was: Subscriber,
  is: Subscriber,
  joins: boolean,
): void {
  if (was === is && !joins) return
  if (joins || subscriberDiffers(was, is)) {
    rows.subscribers.push({
      turn,
      id: is.id,
      account_id: account.id,
      enabled: is.enabled,
      deleted: is.deleted,
      at,
      tariff_changes: was.tariffId !== is.tariffId,
      tarif_id: is.tariffId,
      promise_pay: is.promise?.limit ?? null,
      promise_date_end: is.promise?.until ?? null,
      promise_last_date: is.lastPromiseAt,
      charged_from: is.chargedFrom,
    })
  }
  if (was.promise && was.promise.linkId !== null && was.promise.linkId !== is.promise?.linkId) {
    rows.unlinked.push({ turn, id: was.promise.linkId })
  }
  if (is.promise && is.promise.linkId !== was.promise?.linkId) {
    rows.linked.push({ turn, abonent_id: is.id, ...promiseRow(is.promise), at })
  }
  if (was.hasBlockRecord !== is.hasBlockRecord || !sameBlocks(was.blocks, is.blocks)) {
    if (is.hasBlockRecord) rows.blocked.push({ turn, abonent_id: is.id, ...blockRow(is.blocks), at })
    else rows.unblocked.push({ turn, abonent_id: is.id })
  }
  for (const login of is.logins) {
    const before = was.logins.find(({ id }) => id === login.id)
    if (before?.enabled !== login.enabled || before.disabledByHand !== login.disabledByHand) {
      rows.logins.push({ turn, id: login.id, enabled: login.enabled, disabled_by_hand: login.disabledByHand })
    }
  }
}

const subscriberDiffers = (was: Subscriber, is: Subscriber): boolean =>
  was.enabled !== is.enabled ||
  was.deleted !== is.deleted ||
  was.tariffId !== is.tariffId ||
  was.promise?.until !== is.promise?.until ||
  was.promise?.limit !== is.promise?.limit ||
  was.lastPromiseAt !== is.lastPromiseAt ||
  was.chargedFrom !== is.chargedFrom

const promiseRow = ({ linkId, uslugaId, limit, until, operationId }: PromisePayment): Row => ({
  id: linkId,
  usluga_id: uslugaId,
  system_type: promiseSystemType,
  end_time: until,
  limit,
  op_id: operationId,
})

const accountRow = (account: Account): Row => ({
  id: account.id,
  ostatok: account.balance,
  debit: account.receipts,
  credit: account.writeOffs,
  limit: account.limit,
  unlimited: account.unlimited,
  unlimited_date: account.unlimitedUntil,
  warn: account.warnBelow,
  sleep_date: account.sleepUntil,
  last_notification_date: account.warnedAt,
  last_operation_id: account.lastOperationId,
  chain_length: account.chain.length,
  chain_head: account.chain.head,
})

const blockRow = (blocks: Blocks): Row => ({
  b_negbal: blocks.debt,
  b_admin: blocks.operator,
  b_own: blocks.client,
  b_sys: blocks.system,
})

const operationRow = ({ details, snapshot, link, ...operation }: Operation): Row => ({
  op_id: operation.id,
  op_date: operation.movedAt,
  system_date: operation.recordedAt,
  op_summa: operation.amount,
  op_type_id: operation.typeId,
  abonent_id: operation.subscriberId,
  account_id: operation.accountId,
  organization_id: operation.organizationId,
  owner_id: operation.ownerId,
  descr: operation.description,
  storno: operation.reversed,
  related_operation_id: operation.reversalOf,
  number: details.number,
  usluga_id: details.uslugaId,
  fin_op_id: details.parentId,
  credit_type_id: details.creditTypeId,
  operator_id: details.carrierId,
  admin_comment: details.adminComment,
  is_cash: details.isCash ?? false,
  isbuhdoc: details.isAccounting ?? true,
  code1c: details.code1c,
  operator_name: details.operatorName,
  operator_pay_id_str: details.operatorPayId,
  operator_result: details.operatorResult,
  txn: details.txn,
  chain_seq: link?.seq,
  chain_hash: link?.hash,
  aa_ostatok: snapshot.balance,
  aa_debit: snapshot.receipts,
  aa_credit: snapshot.writeOffs,
  aa_limit_warning: snapshot.warnBelow,
  aa_limit: snapshot.limit,
  aa_unlimited: snapshot.unlimited,
  aa_unlimited_date: snapshot.unlimitedUntil,
})

/** Amounts travel as strings of digits, which PostgreSQL reads into int8 without loss. */
const toJson = (rows: Row[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
