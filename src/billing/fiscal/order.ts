import type { PoolClient } from 'pg'
import type { Author } from '../../domain/author.ts'
import { phoneDigitsSql } from '../../domain/contacts.ts'
import { defaultOrganization, type OrganizationId } from '../../domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import { visibleSql } from '../../platform/staff/visible-organizations.ts'
import { type Diff, writeAudit } from '../../platform/storage/audit.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { FinanceOperation, FinType } from '../../platform/storage/entities/accounts.ts'
import type { FiscalReceipt } from '../../platform/storage/entities/payments.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import { toId, toIdOrNull } from '../../platform/storage/int8.ts'
import { chooseConfiguration } from './configuration.ts'
import {
  contactOf,
  decideReceipt,
  externalIdOf,
  type FiscalOperation,
  nextExternalId,
  refused,
  writeRequest,
} from './receipt.ts'

export type OrderQuery = {
  readonly operationId: number
  /** The organizations visible to the caller. Null: all. */
  readonly visible: readonly OrganizationId[] | null
  /** Null: for a refund the configuration of its receipt, otherwise the organization's default one. */
  readonly configId: number | null
  /** The external id of a receipt that replaces a refused one. */
  readonly replacementId?: string
  readonly timeZone: string
  readonly now: Date
}

type Row = RowOf<
  typeof FinanceOperation,
  | 'op_id'
  | 'op_type_id'
  | 'op_summa'
  | 'isbuhdoc'
  | 'storno'
  | 'kkm_printed'
  | 'system_date'
  | 'is_cash'
  | 'related_operation_id'
  | 'organization_id'
  | 'atol_config_id'
> &
  RowOf<typeof FinType, 'op_sign'> &
  Joined<RowOf<typeof Abonent, 'contract_number' | 'email'>> &
  Joined<RowOf<typeof FiscalReceipt, 'state'>> & { phone: string | null }

/** An operation without a subscriber belongs to the account's main client, the first by id. */
const operationStatement = `SELECT op.op_id, op.op_type_id, type.op_sign, op.op_summa, op.isbuhdoc, op.storno, op.kkm_printed,
    op.system_date, op.is_cash, op.related_operation_id, op.organization_id, op.atol_config_id, abonents.contract_number,
    abonents.email, ${phoneDigitsSql('abonents.sms')} AS phone, receipt.state
  FROM finance_operations AS op JOIN fin_types AS type ON type.type_id = op.op_type_id
    LEFT JOIN abonents ON abonents.id = coalesce(op.abonent_id,
      (SELECT min(id) FROM abonents AS client WHERE client.account_id = op.account_id))
    LEFT JOIN fiscal_receipts AS receipt ON receipt.op_id = op.op_id`

/**
 * Locks the operation, or the reversed one when a reversal is named. This has to be a statement of its own: after
 * waiting for a lock, PostgreSQL rereads only the locked row and not the rows joined to it. NO KEY lets the ledger
 * insert rows that refer to the operation.
 */
const lockStatement = `SELECT FROM finance_operations WHERE op_id = (
    SELECT CASE WHEN storno THEN coalesce(related_operation_id, op_id) ELSE op_id END FROM finance_operations WHERE op_id = $1)
  FOR NO KEY UPDATE`

/**
 * The receipt of an operation (`ready`), or why it can have none (`missing`, `refused`). The operation is locked until
 * the transaction ends, so that two concurrent requests queue one receipt. A reversal may be named by its own id or by
 * that of the reversed operation.
 */
export async function prepareOrder(client: PoolClient, query: OrderQuery) {
  const { operationId, visible, timeZone, now } = query
  await client.query(lockStatement, [operationId])
  const named = await find(client, `op.op_id = $1 AND ${visibleSql('op.organization_id', '$2')}`, [
    operationId,
    visible,
  ])
  if (!named) return missing
  const isReversal = named.storno && named.related_operation_id !== null
  const original = isReversal ? await find(client, 'op.op_id = $1', [named.related_operation_id]) : named
  if (!original) return refused('nothingToReturn')
  const reversal = isReversal
    ? named
    : original.storno
      ? await find(client, 'op.related_operation_id = $1 AND op.storno', [original.op_id])
      : null
  const decision = decideReceipt(operationOf(original), reversal && operationOf(reversal))
  if (decision.kind === 'refused') {
    const isUnfinished = original.storno && (original.state === 'waiting' || original.state === 'sent')
    return isUnfinished ? refused('stillOnItsWay') : decision
  }
  const { direction, of, amount } = decision
  const printed = direction === 'sell' ? original : reversal!
  const { replacementId } = query
  if (printed.state !== null && !(replacementId !== undefined && printed.state === 'refused'))
    return refused('alreadyQueued')
  if (original.contract_number === null) return refused('noSubscriber')
  const contact = contactOf(original.email, original.phone)
  if (!contact) return refused('noContact')
  const organizationId = toIdOrNull(original.organization_id) ?? defaultOrganization
  const originalConfigId = direction === 'sell_refund' ? toIdOrNull(original.atol_config_id) : null
  const configuration =
    (query.configId === null && originalConfigId !== null
      ? await chooseConfiguration(client, organizationId, originalConfigId)
      : null) ?? (await chooseConfiguration(client, organizationId, query.configId))
  if (!configuration) return refused('noConfiguration')
  const externalId = replacementId ?? externalIdOf(of)
  const request = writeRequest({
    ...{ configuration, externalId, amount, contact, timeZone, at: now },
    contractNumber: original.contract_number,
    isCash: original.is_cash,
  })
  return {
    kind: 'ready',
    order: {
      operationId: of.id,
      /** For a refund: the operation that was reversed. Otherwise null. */
      originalId: direction === 'sell' ? null : toId(original.op_id),
      organizationId,
      direction,
      amount,
      contact: 'email' in contact ? contact.email : contact.phone,
      externalId,
      configuration,
      request,
    },
  } as const
}

/** A receipt that is ready to be queued. */
export type ReceiptOrder = Extract<Awaited<ReturnType<typeof prepareOrder>>, { kind: 'ready' }>['order']

const missing = { kind: 'missing' } as const

async function find(client: PoolClient, where: string, values: unknown[]): Promise<Row | null> {
  const { rows } = await client.query<Row>(`${operationStatement} WHERE ${where} ORDER BY op.op_id LIMIT 1`, values)
  return rows[0] ?? null
}

const operationOf = (row: Row): FiscalOperation => ({
  id: toId(row.op_id),
  typeId: Number(row.op_type_id),
  typeSign: row.op_sign,
  amount: moneyFromUnits(row.op_summa),
  isAccounting: row.isbuhdoc,
  isReversed: row.storno,
  isPrinted: row.kkm_printed,
  recordedAt: row.system_date,
})

/** Queues a receipt and records in the audit who has had it printed. */
export async function queueOrder(client: PoolClient, order: ReceiptOrder, author: Author, now: Date): Promise<void> {
  const { operationId, originalId, organizationId, direction, amount, contact, externalId, configuration, request } =
    order
  await client.query(
    `WITH receipt AS (
      INSERT INTO fiscal_receipts (op_id, original_op_id, organization_id, config_id, direction, external_id, amount, contact, request,
        staff_id, due_at, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING op_id, config_id)
    UPDATE finance_operations AS op SET atol_config_id = receipt.config_id FROM receipt WHERE op.op_id = receipt.op_id`,
    [
      ...[operationId, originalId, organizationId, configuration.id, direction, externalId, amount, contact, request],
      ...[author.staffId, now],
    ],
  )
  await writeAudit(client, {
    author,
    table: 'FINANCE_OPERATIONS',
    id: String(operationId),
    action: 'fiscalize',
    diff: diffOf(order),
    organizationId,
  })
}

const diffOf = ({ direction, amount, contact, configuration, externalId }: ReceiptOrder): Diff => ({
  receipt: [null, direction],
  amount: [null, formatRubles(amount)],
  contact: [null, contact],
  atol_config: [null, configuration.id],
  external_id: [null, externalId],
})

/**
 * Retries a receipt at once (`queued`). A waiting one is sent unchanged, because the receiver may have it already. A
 * refused one is replaced by a new one with the current contact and configuration under another external id. Otherwise
 * it is `missing`, or `refused` with a reason.
 */
export async function retryOrder(client: PoolClient, query: OrderQuery) {
  const { operationId, visible, now } = query
  const { rows } = await client.query<{ state: string; external_id: string }>(
    `SELECT state, external_id FROM fiscal_receipts WHERE op_id = $1 AND ${visibleSql('organization_id', '$2')} FOR UPDATE`,
    [operationId, visible],
  )
  const [receipt] = rows
  if (!receipt) return missing
  const { state } = receipt
  if (state === 'done') return refused('alreadyPrinted')
  if (state !== 'refused') {
    await client.query('UPDATE fiscal_receipts SET due_at = $2 WHERE op_id = $1 AND due_at > $2', [operationId, now])
    return { kind: 'queued', before: state } as const
  }
  const prepared = await prepareOrder(client, { ...query, replacementId: nextExternalId(receipt.external_id) })
  if (prepared.kind !== 'ready') return prepared
  const { configuration, externalId, contact, amount, request } = prepared.order
  await client.query(
    `UPDATE fiscal_receipts SET state = 'waiting', config_id = $2, external_id = $3, contact = $4, amount = $5, request = $6,
        uuid = NULL, tries = 0, due_at = $7, done_at = NULL WHERE op_id = $1`,
    [operationId, configuration.id, externalId, contact, amount, request, now],
  )
  return { kind: 'queued', before: state } as const
}
