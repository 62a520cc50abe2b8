import { outcomeRefusal } from '../../../billing/accounts/account-writes.ts'
import type { AccountCommand } from '../../../billing/accounts/messages.ts'
import { detailNames, detailsOf, postingKeys } from '../../../billing/accounts/operation-details.ts'
import {
  findRepeat,
  type IdempotencyKeys,
  idempotencyKeyMax,
  idempotencyKeys,
  isTakenByAnother,
  takePaymentKeys,
} from '../../../billing/accounts/operation-keys.ts'
import { dateRefusalOf, everyUnusualDate, unusualDateText } from '../../../billing/accounts/unusual-dates.ts'
import { isItsOwnAncestor, lockParents } from '../../../billing/accounts/operation-parents.ts'
import { cashRefusalText } from '../../../billing/cash/limits.ts'
import { notifyDateChange } from '../../../billing/accounts/operation-notice.ts'
import { type AccountId, accountId, defaultOrganization, operationId, subscriberId } from '../../../domain/ids.ts'
import type { Money } from '../../../domain/money.ts'
import { txnOf } from '../../../domain/money-keys.ts'
import type { OperationSign } from '../../../domain/operation.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { noContent } from '../../../platform/http/reply.ts'
import type { Value } from '../../../platform/records/model.ts'
import { RecordWriter } from '../../../platform/records/record-writer.ts'
import {
  conflict,
  drf,
  isRefusal,
  notFound,
  type Refusal,
  refusedWrite,
  wrongField,
  wrongRequest,
} from '../../../platform/records/refusals.ts'
import { checkRelations, columnsOf, updateRow } from '../../../platform/records/rows.ts'
import { type Current, readValues, type Values } from '../../../platform/records/values.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import type { FinanceOperation } from '../../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { persisting, reading } from '../../../platform/storage/transactions.ts'
import { readBody } from '../body.ts'
import { financeOperations } from '../models/finance-operations.ts'
import type { RestParts } from '../parts.ts'
import { recordReply, refusalReply } from '../replies.ts'
import { type Writes, writesThrough } from './writes.ts'

type Post = Extract<AccountCommand, { kind: 'post' }>

/** Writes of FinanceOperations. Money is moved by the account; only descriptive columns are changed directly. */
export function financeOperationWrites(parts: RestParts): Writes {
  const writer = new RecordWriter(parts, financeOperations, {
    lock: async (client, _, values) => {
      if (values.get('fin_op')?.value) await lockParents(client)
    },
    derive: async ({ client, values, before, call }) => {
      const parent = values.get('fin_op')
      if (before && parent?.value && (await isItsOwnAncestor(client, Number(before.op_id), Number(parent.value))))
        return wrongField(parent.sentAs, 'An operation cannot be its own parent.')
      return (
        (await transactionRefusal(client, values, before)) ??
        (await movedDateRefusal(client, call, values, before)) ??
        []
      )
    },
    also: async ({ client, values, before }, id) => {
      await takePaymentKeys(client, id)
      if (before && values.has('op_date')) await notifyDateChange(client, id)
    },
    organizationOf: async (_, record) => Number(record.organization ?? defaultOrganization),
  })
  return {
    ...writesThrough(parts, financeOperations, writer),
    create: (call) => postOperation(parts, call),
    remove: (call, id) => removeOperation(parts, call, id),
  }
}

/** Refuses to move a transaction of a payment operator to another operation. */
async function transactionRefusal(client: Client, values: Values, before: Current): Promise<Refusal | null> {
  const current = (name: string) => (values.has(name) ? values.get(name)!.value : before?.[name]) as string | null
  if (!values.has('operator_pay_id_str') && !values.has('operator_name')) return null
  const payment = { operatorName: current('operator_name'), operatorPayId: current('operator_pay_id_str') }
  return (await isTakenByAnother(client, payment, Number(before?.op_id)))
    ? conflict('Another operation has taken this transaction of the payment operator.')
    : null
}

/** A program has nobody to ask, so the right alone decides about a date in the future or before the account. */
async function dateRefusal(
  client: Client,
  { staff }: Call,
  account: number,
  movedAt: Date | null,
): Promise<Refusal | null> {
  const reason = await dateRefusalOf(client, staff, { account, movedAt, meant: everyUnusualDate })
  return reason && refusedWrite(unusualDateText[reason], 403, reason)
}

async function movedDateRefusal(client: Client, call: Call, values: Values, before: Current): Promise<Refusal | null> {
  const opDate = textOf(values, 'op_date')
  if (opDate === null || !before) return null
  const movedAt = await momentOf(client, opDate)
  const isSame = movedAt.getTime() === Date.parse(String(before.op_date))
  return isSame ? null : dateRefusal(client, call, Number(before.account), movedAt)
}

async function postOperation(parts: RestParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if (isRefusal(body)) return refusalReply(body)
  const header = call.header('idempotency-key').trim()
  if (header.length > idempotencyKeyMax)
    return refusalReply(wrongRequest(`Idempotency-Key: ${drf.longest(idempotencyKeyMax)}`))
  const idempotency = idempotencyKeys(staffOf(call), header, body.body)
  const repeated = await repeatReply(parts, idempotency, call)
  if (repeated) return repeated
  const read = readValues(financeOperations, body.body, null)
  if (isRefusal(read)) return refusalReply(read)
  const prepared = await reading(parts, (client) => preparePost(client, call, read.values, idempotency))
  if (isRefusal(prepared)) return refusalReply(prepared)
  const outcome = await parts.cashDesk.take(staffOf(call), prepared.command, () =>
    parts.accounts.ask(prepared.account, prepared.command, authorOf(call), call.span),
  )
  if ('exceeded' in outcome) return refusalReply(refusedWrite(cashRefusalText[outcome.exceeded], 400, outcome.exceeded))
  // The same request may have been carried out concurrently.
  if (outcome.kind !== 'done') {
    const raced = await repeatReply(parts, idempotency, call)
    if (raced) return raced
  }
  const refused = outcomeRefusal(outcome)
  if (refused) return refusalReply(refused)
  if (outcome.kind === 'known') return knownReply(parts, String(outcome.operationId), 200, call)
  const id = outcome.kind === 'done' ? outcome.operation?.id : undefined
  if (id === undefined) throw new Error('The account took a posting and named no operation.')
  await writeOtherFields(parts, String(id), read.values)
  return recordReply(parts, financeOperations, String(id), 201, call)
}

/** The answer to a repeated Idempotency-Key: 201 again for the same body, 409 for another; null for a new key. */
async function repeatReply(parts: RestParts, keys: IdempotencyKeys | null, call: Call): Promise<Reply | null> {
  if (!keys) return null
  const repeat = await reading(parts, (client) => findRepeat(client, keys))
  if (repeat.kind === 'new') return null
  if (repeat.kind === 'conflict')
    return refusalReply(conflict('This Idempotency-Key was used before with another body.'))
  return knownReply(parts, repeat.operationId ?? '0', 201, call)
}

async function knownReply(parts: RestParts, id: string, status: 200 | 201, call: Call): Promise<Reply> {
  const reply = await recordReply(parts, financeOperations, id, status, call)
  return reply.status === 404
    ? refusalReply(conflict(`This movement was taken before as operation ${id}, which is deleted.`))
    : reply
}

async function preparePost(
  client: Client,
  call: Call,
  values: Values,
  idempotency: IdempotencyKeys | null,
): Promise<{ account: AccountId; command: Post } | Refusal> {
  if (!values.get('account') && !values.get('abonent')?.value) return wrongField('account', drf.required)
  const relating = { model: financeOperations, visible: null, before: null, held: false }
  const wrongRelation = await checkRelations(client, values, relating)
  if (wrongRelation) return wrongRelation
  const subscriber = (values.get('abonent')?.value ?? null) as number | null
  const text = `SELECT (SELECT op_sign FROM fin_types WHERE type_id = $1::int8) AS sign,
    (SELECT account_id FROM abonents WHERE id = $2::int8) AS account`
  type Found = { sign: OperationSign; account: string | null }
  const { rows } = await client.query<Found>(text, [values.get('op_type')!.value, subscriber])
  const { sign, account } = rows[0]!
  const description = textOf(values, 'descr') ?? ''
  const details = detailsOf((name) => namedValue(values, name), txnOf(textOf(values, 'txn'), description))
  const opDate = textOf(values, 'op_date')
  const amount = values.get('op_summa')!.value as Money
  const to = accountId((values.get('account')?.value as number | undefined) ?? account!)
  const movedAt = opDate === null ? null : await momentOf(client, opDate)
  const wrongDate = await dateRefusal(client, call, to, movedAt)
  if (wrongDate) return wrongDate
  const command: Post = {
    kind: 'post',
    typeId: values.get('op_type')!.value as number,
    sign,
    amount,
    subscriberId: subscriber === null ? null : subscriberId(subscriber),
    movedAt,
    description,
    details,
    keys: postingKeys(idempotency, { account: to, sign, amount, details }),
  }
  return { account: to, command }
}

const textOf = (values: Values, name: string): string | null =>
  (values.get(name)?.value as string | null | undefined) || null

/** The value of a field; an empty text counts as no value. */
function namedValue(values: Values, name: string): Value | undefined {
  const value = values.get(name)?.value
  return value === '' ? undefined : value
}

const postedFields: ReadonlySet<string> = new Set([
  ...Object.keys(detailNames),
  ...['op_summa', 'op_type', 'abonent', 'account', 'op_date', 'descr', 'txn'],
])

/**
 * Writes the fields that the account does not know, about receipts and accounting. They move no money, so they may come
 * later.
 */
async function writeOtherFields(parts: RestParts, id: string, values: Values): Promise<void> {
  const others = new Map([...values].filter(([name]) => !postedFields.has(name)))
  if (others.size === 0) return
  await persisting(parts, (_, manager) => updateRow(manager, financeOperations, id, columnsOf(others, parts.secrets)))
}

/** Removes the record of an operation; the balance does not change (specification 3.3). */
async function removeOperation(parts: RestParts, call: Call, id: string): Promise<Reply> {
  const account = await reading(parts, async (client) => {
    const text = 'SELECT account_id FROM finance_operations WHERE op_id = $1::int8'
    return (await client.query<RowOf<typeof FinanceOperation, 'account_id'>>(text, [id])).rows[0]?.account_id ?? null
  })
  if (account === null) return refusalReply(notFound)
  const command = { kind: 'removeOperation', operationId: operationId(id) } as const
  const outcome = await parts.accounts.ask(accountId(account), command, authorOf(call))
  if (outcome.kind === 'refused' && outcome.reason === 'operationMissing') return refusalReply(notFound)
  const refused = outcomeRefusal(outcome)
  return refused ? refusalReply(refused) : noContent()
}
