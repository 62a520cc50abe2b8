import type { PoolClient } from 'pg'
import { isTakenByAnother, takePaymentKeys } from '../../../billing/accounts/operation-keys.ts'
import { isItsOwnAncestor, lockParents } from '../../../billing/accounts/operation-parents.ts'
import { notifyDateChange } from '../../../billing/accounts/operation-notice.ts'
import { accountId, operationId } from '../../../domain/ids.ts'
import { formatRubles, parseRubles } from '../../../domain/money.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { isSet } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import { diffOf } from '../../../platform/records/diff.ts'
import { isRefusal } from '../../../platform/records/refusals.ts'
import { checkRelations, columnsOf, updateRow } from '../../../platform/records/rows.ts'
import { plainValues, readValues, type Values } from '../../../platform/records/values.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { type VisibleOrganizations, visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import type { FinanceOperation } from '../../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import type { EntityManager } from '../../../platform/storage/orm.ts'
import type { Sealing } from '../../../platform/secrets/secrets.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import { persisting } from '../../../platform/storage/transactions.ts'
import { isRefused, type Refused, readBody, refusalWithout, refused, refusedBy, wrongField } from '../body.ts'
import { dateRefusal } from '../accounts/posting-date.ts'
import { replyToRefusal } from '../write-refusals.ts'
import { describedOperation } from './fields.ts'
import { fixedFields, fixedSql, readOperation } from './operation-shape.ts'
import type { FinopsParts } from './parts.ts'
import { invisibleSubscriber } from './posting.ts'

type Shown = Readonly<Record<string, unknown>>
/** Values by the name of their field. */
type Named = ReturnType<typeof plainValues>

/** POST finops_crud/<OP_ID>: changes the descriptive fields of an operation, or deletes its record with `_delete=1`. */
export async function changeOperation(parts: FinopsParts, call: Call): Promise<Reply> {
  const visible = visibleTo(call)
  const id = await findVisible(parts.database.pool, 'operation', call.params.op_id, visible)
  if (id === null) return notFoundReply()
  const body = readBody(call)
  if (isRefused(body)) return body.refused
  const { fields } = body
  if (isSet(fields._delete))
    return refusalWithout(recordRights.operation.remove, call.staff) ?? removeOperation(parts, call, id)
  const read = readValues(describedOperation, fields, {})
  if (isRefusal(read)) return replyToRefusal(read, { fields: describedOperation.fields })
  const saved = await persisting(parts, (client, manager) =>
    save({ client, manager, call, visible, secrets: parts.secrets }, id, read.values, fields),
  )
  return isRefused(saved) ? saved.refused : json({ ok: true, operation: saved.operation })
}

/** DELETE finops_crud/<OP_ID>. */
export async function deleteOperation(parts: FinopsParts, call: Call): Promise<Reply> {
  const id = await findVisible(parts.database.pool, 'operation', call.params.op_id, visibleTo(call))
  return id === null ? notFoundReply() : removeOperation(parts, call, id)
}

/** Deletes the record; the balance stays as it is (specification 3.3). */
async function removeOperation(parts: FinopsParts, call: Call, id: number): Promise<Reply> {
  const { rows } = await parts.database.pool.query<RowOf<typeof FinanceOperation, 'account_id'>>(
    'SELECT account_id FROM finance_operations WHERE op_id = $1::int8',
    [id],
  )
  if (!rows[0]) return notFoundReply()
  const command = { kind: 'removeOperation', operationId: operationId(id) } as const
  const outcome = await parts.accounts.ask(accountId(rows[0].account_id), command, authorOf(call))
  if (outcome.kind === 'refused') return outcome.reason === 'operationMissing' ? notFoundReply() : refusedBy(outcome)
  return json({ ok: true, deleted: id })
}

type Change = {
  readonly client: PoolClient
  readonly manager: EntityManager
  readonly call: Call
  readonly visible: VisibleOrganizations
  readonly secrets: Sealing
}

async function save(change: Change, id: number, sent: Values, body: Shown): Promise<{ operation: Shown } | Refused> {
  const { client, call, visible } = change
  const values = plainValues(sent)
  if (values.fin_op) await lockParents(client)
  const locked = `SELECT FROM finance_operations WHERE op_id = $1 AND ${visibleSql('organization_id', '$2')} FOR UPDATE`
  if ((await client.query(locked, [id, visible])).rowCount === 0) return { refused: notFoundReply() }
  const before = (await readOperation(client, visible, id))!
  const wrong =
    (await fixedRefusal(client, id, body)) ??
    (await subscriberRefusal(client, before, values, visible)) ??
    (await parentRefusal(client, id, values.fin_op)) ??
    (await relationRefusal(client, sent, before, visible)) ??
    (await paymentRefusal(client, id, before, values)) ??
    (await movedDateRefusal(change, before, values, body))
  if (wrong) return wrong
  // From here on the change is accepted.
  await update(change, id, sent)
  await takePaymentKeys(client, id)
  const operation = (await readOperation(client, visible, id))!
  const diff = diffOf(describedOperation, before, operation)
  if (Object.keys(diff).length > 0) {
    const organizationId = (operation.organization_id ?? null) as number | null
    const about = { table: 'FINANCE_OPERATIONS', id: String(id), action: 'change' } as const
    await writeAudit(client, { author: authorOf(call), ...about, diff, organizationId })
  }
  return { operation }
}

/** A form may send fixed fields back unchanged; another value is refused. */
async function fixedRefusal(client: PoolClient, id: number, body: Shown): Promise<Refused | null> {
  const named = fixedFields.filter((name) => Object.hasOwn(body, name))
  if (named.length === 0) return null
  const { rows } = await client.query<{ fixed: Shown }>(fixedText, [id])
  const [{ fixed } = { fixed: {} as Shown }] = rows
  const changed = named.find((name) => comparable(body[name]) !== comparable(fixed[name]))
  return changed === undefined
    ? null
    : {
        refused: refused(
          400,
          'fixed_field',
          `${changed}: It cannot be changed; reverse the operation and post another.`,
        ),
      }
}

const fixedText = `SELECT ${fixedSql} AS fixed FROM finance_operations AS operation WHERE op_id = $1`

/** 100, "100" and "100.00" are the same amount, and the same id. */
function comparable(value: unknown): string {
  if (value === null || value === undefined) return ''
  const amount = typeof value === 'boolean' ? null : parseRubles(value)
  return amount === null ? String(value).trim() : formatRubles(amount)
}

/**
 * A subscriber whom the caller may not see is refused with 403 (specification 4.12 rule 3). A visible one must be a
 * client of the account of the operation.
 */
async function subscriberRefusal(
  client: PoolClient,
  before: Shown,
  values: Named,
  visible: VisibleOrganizations,
): Promise<Refused | null> {
  for (const name of ['abonent', 'operator'] as const) {
    const id = values[name]
    if (id === undefined || id === null || id === before[name]) continue
    const refusal = await invisibleSubscriber(client, name, id, visible)
    if (refusal) return refusal
    if (name === 'operator') continue
    const text = 'SELECT FROM abonents WHERE id = $1 AND account_id = $2'
    if ((await client.query(text, [id, before.account_id])).rowCount === 0)
      return { refused: wrongField('abonent_id', 'be a client of the account of the operation') }
  }
  return null
}

/** An operation cannot be its own parent, nor have one of its descendants as its parent. */
async function parentRefusal(client: PoolClient, id: number, parent: unknown): Promise<Refused | null> {
  if (parent === undefined || parent === null) return null
  if (parent === id) return { refused: refused(400, 'self_link', 'fin_op_id: An operation cannot be its own parent.') }
  return (await isItsOwnAncestor(client, id, Number(parent)))
    ? { refused: refused(400, 'self_link', 'fin_op_id: This operation is an ancestor of that one already.') }
    : null
}

/** A transaction of a payment operator stays with the operation that took it. */
async function paymentRefusal(
  client: PoolClient,
  id: number,
  before: Shown,
  { operator_pay_id_str, operator_name }: Named,
): Promise<Refused | null> {
  const transaction = operator_pay_id_str === undefined ? before.operator_pay_id_str : operator_pay_id_str
  const operator = operator_name === undefined ? before.operator_name : operator_name
  if (transaction === null || (transaction === before.operator_pay_id_str && operator === before.operator_name))
    return null
  const payment = { operatorName: operator as string | null, operatorPayId: transaction as string }
  if (!(await isTakenByAnother(client, payment, id))) return null
  return { refused: refused(409, 'key_taken', 'operator_pay_id_str: Another operation has taken this transaction.') }
}

/** Another date must be as usual as that of a new posting. */
async function movedDateRefusal(
  { client, call }: Change,
  before: Shown,
  { op_date: sent }: Named,
  fields: Shown,
): Promise<Refused | null> {
  if (sent === undefined || sent === null) return null
  const movedAt = await momentOf(client, sent as string)
  if (movedAt.getTime() === Date.parse(before.op_date as string)) return null
  return dateRefusal(client, call, { account: before.account as number, movedAt, fields })
}

async function relationRefusal(
  client: PoolClient,
  values: Values,
  before: Shown,
  visible: VisibleOrganizations,
): Promise<Refused | null> {
  const missingRow = await checkRelations(client, values, { model: describedOperation, visible, before })
  return missingRow ? { refused: replyToRefusal(missingRow, { fields: describedOperation.fields }) } : null
}

async function update({ client, manager, secrets }: Change, id: number, values: Values): Promise<void> {
  // An empty date of a form is ignored, because every operation has a date.
  const named = new Map([...values].filter(([name, { value }]) => !(name === 'op_date' && value === null)))
  await updateRow(manager, describedOperation, String(id), columnsOf(named, secrets))
  if (named.has('op_date')) await notifyDateChange(client, id)
}
