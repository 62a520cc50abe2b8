import type { PoolClient } from 'pg'
import type { AccountCommand } from '../../../billing/accounts/messages.ts'
import { detailsOf, postingKeys } from '../../../billing/accounts/operation-details.ts'
import type { IdempotencyKeys } from '../../../billing/accounts/operation-keys.ts'
import { type AccountId, accountId, subscriberId } from '../../../domain/ids.ts'
import { txnOf } from '../../../domain/money-keys.ts'
import { type Money, zero } from '../../../domain/money.ts'
import type { OperationSign } from '../../../domain/operation.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import { isRefusal } from '../../../platform/records/refusals.ts'
import { checkRelations } from '../../../platform/records/rows.ts'
import { plainValues, readValues, type Values } from '../../../platform/records/values.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import { reading, writing } from '../../../platform/storage/transactions.ts'
import {
  deletesUnnamed,
  type Fields,
  isRefused,
  type Refused,
  readBody,
  refused,
  refusedBy,
  wrongField,
} from '../body.ts'
import { takingCash } from '../accounts/cash-limit.ts'
import { checkAmount, keysOf, replyToRepeat, takenBeforeReply } from '../accounts/money-request.ts'
import { dateRefusal } from '../accounts/posting-date.ts'
import { replyToRefusal } from '../write-refusals.ts'
import { postedOperation } from './fields.ts'
import { readOperation } from './operation-shape.ts'
import type { FinopsParts } from './parts.ts'

type Post = Extract<AccountCommand, { kind: 'post' }>

/** POST finops_crud without an id: money moves through the account. */
export async function createOperation(parts: FinopsParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  const asked = keysOf(call, isRefused(body) ? {} : body.fields)
  if (isRefused(asked)) return asked.refused
  const { keys } = asked
  const repeated = await repeatReply(parts, call, keys)
  if (repeated) return repeated
  if (isRefused(body)) return body.refused
  const unnamed = deletesUnnamed(body.fields)
  if (unnamed) return unnamed
  const read = readValues(postedOperation, body.fields, null)
  if (isRefusal(read)) return replyToRefusal(read, { fields: postedOperation.fields })
  // The rows that the request names are locked against deletion, which needs a writing transaction.
  const prepared = await writing(parts, (client) => prepare(client, call, read.values, keys, body.fields))
  if (isRefused(prepared)) return prepared.refused
  const outcome = await takingCash(parts.cashDesk, call, prepared.command, () =>
    parts.accounts.ask(prepared.account, prepared.command, authorOf(call)),
  )
  if (isRefused(outcome)) return outcome.refused
  if (outcome.kind === 'done') {
    if (!outcome.operation) throw new Error('The account took a posting and named no operation.')
    return operationReply(parts, call, outcome.operation.id, { duplicate: false })
  }
  // The same request may have been taken while this one was on its way.
  const raced = await repeatReply(parts, call, keys)
  if (raced) return raced
  return outcome.kind === 'known'
    ? operationReply(parts, call, outcome.operationId, { duplicate: true })
    : refusedBy(outcome)
}

const repeatReply = (parts: FinopsParts, call: Call, keys: IdempotencyKeys | null): Promise<Reply | null> =>
  replyToRepeat(parts, keys, (operation) => operationReply(parts, call, operation, { duplicate: false }))

/** `duplicate`: another request has posted the operation under the same transaction id. */
async function operationReply(
  parts: FinopsParts,
  call: Call,
  id: number | string,
  { duplicate }: { readonly duplicate: boolean },
): Promise<Reply> {
  const operation = await reading(parts, (client) => readOperation(client, visibleTo(call), id))
  return operation ? json({ ok: true, duplicate, operation }) : takenBeforeReply()
}

type Prepared = { readonly account: AccountId; readonly command: Post }

async function prepare(
  client: PoolClient,
  call: Call,
  sent: Values,
  idempotency: IdempotencyKeys | null,
  fields: Fields,
): Promise<Prepared | Refused> {
  const visible = visibleTo(call)
  const values = plainValues(sent)
  const payer = await findPayer(client, values, visible)
  if (isRefused(payer)) return payer
  const refusal = await invisibleSubscriber(client, 'operator', values.operator, visible)
  if (refusal) return refusal
  const missingRow = await checkRelations(client, sent, { model: postedOperation, visible, before: null })
  if (missingRow) return { refused: replyToRefusal(missingRow, { fields: postedOperation.fields }) }
  const type = await readType(client, values.op_type)
  if (!type.enabled) return { refused: wrongField('op_type', 'be a type of operation that is in use') }
  const amount = amountOf(values.amount as Money | null | undefined, type.op_sign)
  if (typeof amount === 'object') return amount
  const description = textOf(values.descr) ?? ''
  const details = detailsOf((name) => values[name], txnOf(textOf(values.txn), description))
  const opDate = textOf(values.op_date)
  const movedAt = opDate === null ? null : await momentOf(client, opDate)
  const wrongDate = await dateRefusal(client, call, { account: payer.account, movedAt, fields })
  if (wrongDate) return wrongDate
  return {
    account: payer.account,
    command: {
      kind: 'post',
      typeId: values.op_type as number,
      sign: type.op_sign,
      amount,
      subscriberId: payer.subscriber === null ? null : subscriberId(payer.subscriber),
      movedAt,
      description,
      details,
      keys: postingKeys(idempotency, { account: payer.account, sign: type.op_sign, amount, details }),
    },
  }
}

/** Values by the name of their field. */
type Named = ReturnType<typeof plainValues>

type Payer = { readonly account: AccountId; readonly subscriber: number | null }

/**
 * By subscriber, or by account and then its main client. An account that the caller may not see is answered with 404,
 * such a subscriber with 403.
 */
async function findPayer(client: PoolClient, values: Named, visible: VisibleOrganizations): Promise<Payer | Refused> {
  const refusal = await invisibleSubscriber(client, 'abonent', values.abonent, visible)
  if (refusal) return refusal
  const subscriber = (values.abonent ?? null) as number | null
  const named = values.account ?? null
  if (subscriber === null && named === null) return { refused: wrongField('abonent_id', 'be named, or account_id') }
  if (named !== null && (await findVisible(client, 'account', named, visible)) === null)
    return { refused: notFoundReply() }
  const { rows } = await client.query<{ account: string; subscriber: string | null }>(
    `SELECT account_id AS account, id AS subscriber FROM abonents
      WHERE id = $1::int8 OR ($1::int8 IS NULL AND account_id = $2::int8) ORDER BY id LIMIT 1`,
    [subscriber, named],
  )
  const [found] = rows
  return {
    account: accountId((named as number | null) ?? found!.account),
    subscriber: found?.subscriber === undefined || found.subscriber === null ? null : Number(found.subscriber),
  }
}

/** Specification 4.12 rule 3. An unknown id gets the same answer, so that callers do not learn which ids exist. */
export async function invisibleSubscriber(
  client: PoolClient,
  name: string,
  id: unknown,
  visible: VisibleOrganizations,
): Promise<Refused | null> {
  if (id === null || id === undefined) return null
  if ((await findVisible(client, 'subscriber', id, visible)) !== null) return null
  return { refused: refused(403, 'foreign_subscriber', `${name}_id: The subscriber does not exist or is not yours.`) }
}

type Type = { op_sign: OperationSign; enabled: boolean }

async function readType(client: PoolClient, id: unknown): Promise<Type> {
  const text = 'SELECT op_sign, enabled FROM fin_types WHERE type_id = $1::int8'
  return (await client.query<Type>(text, [id])).rows[0]!
}

/** An informational operation moves nothing and needs no amount. */
function amountOf(amount: Money | null | undefined, sign: OperationSign): Money | Refused {
  if (sign === 0) return zero
  if (amount === null || amount === undefined) return { refused: wrongField('amount', 'be named') }
  return checkAmount(amount, sign)
}

const textOf = (value: unknown): string | null => (value as string | null | undefined) ?? null
