import type { TProperties } from 'typebox'
import type { AccountParts } from '../../../billing/accounts/account-writes.ts'
import {
  findRepeat,
  type IdempotencyKeys,
  idempotencyKeyMax,
  idempotencyKeys,
} from '../../../billing/accounts/operation-keys.ts'
import type { Money } from '../../../domain/money.ts'
import type { OperationSign } from '../../../domain/operation.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import { staffOf } from '../../../platform/staff/author.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { findVisible, notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { operationSchema, readOperation } from '../finops/operation-shape.ts'
import { accountMissing, accountSchema, readAccount } from './account-shape.ts'
import { type Fields, type Refused, readBody, refused, wrongField } from '../body.ts'
import { answers } from '../doors.ts'

/** A request that moves money: the account, the fields of the body and the keys of idempotence. */
export type MoneyRequest = {
  readonly account: number
  readonly visible: VisibleOrganizations
  readonly fields: Fields
  readonly keys: IdempotencyKeys | null
}

/**
 * Reads what all requests that move money have in common. `answered`: the request is refused, or is a repeat and gets
 * its first answer again.
 */
export async function readMoneyRequest(parts: AccountParts, call: Call): Promise<MoneyRequest | { answered: Reply }> {
  const visible = visibleTo(call)
  const account = await findVisible(parts.database.pool, 'account', call.params.id, visible)
  if (account === null) return { answered: notFoundReply() }
  const body = readBody(call)
  if ('refused' in body) return { answered: body.refused }
  const asked = keysOf(call, body.fields)
  if ('refused' in asked) return { answered: asked.refused }
  const repeated = await repeatReply(parts, call, account, asked.keys)
  return repeated ? { answered: repeated } : { account, visible, fields: body.fields, keys: asked.keys }
}

/** The keys made from the header Idempotency-Key. The path counts as part of the request. */
export function keysOf(call: Call, fields: Fields): { keys: IdempotencyKeys | null } | Refused {
  const header = call.header('idempotency-key').trim()
  if (header.length > idempotencyKeyMax)
    return { refused: wrongField('Idempotency-Key', `have at most ${idempotencyKeyMax} characters`) }
  return { keys: idempotencyKeys(staffOf(call), header, { path: call.path, fields }) }
}

/**
 * Contract section 3. Same key, same request: the first answer again. Same key, another request: 409. Null: it is new.
 */
export async function replyToRepeat(
  scope: TransactionScope,
  keys: IdempotencyKeys | null,
  firstAnswer: (operationId: number) => Promise<Reply>,
): Promise<Reply | null> {
  if (!keys) return null
  const repeat = await reading(scope, (client) => findRepeat(client, keys))
  if (repeat.kind === 'new') return null
  if (repeat.kind === 'conflict')
    return refused(409, 'key_taken', 'This Idempotency-Key was used before with another request.')
  return firstAnswer(Number(repeat.operationId ?? 0))
}

export const repeatReply = (
  parts: TransactionScope,
  call: Call,
  account: number,
  keys: IdempotencyKeys | null,
): Promise<Reply | null> =>
  replyToRepeat(parts, keys, (operation) => movedReply(parts, call, account, operation, { duplicate: false }))

/** The operation of a repeat may have been deleted since, or belong to another organization. */
export const takenBeforeReply = (): Reply =>
  refused(409, 'taken_before', 'This movement was taken before; its operation is deleted or not yours.')

/** Positive; the amount of an expense may also be sent with a minus, because the sign comes from the type. */
export function checkAmount(amount: Money, sign: OperationSign): Money | Refused {
  if (amount === 0n) return { refused: wrongField('amount', 'not be zero') }
  if (amount < 0n && sign > 0)
    return { refused: wrongField('amount', 'be more than zero for income; take a type of expense to write off') }
  return amount
}

/**
 * `{ok, operation, account}` as both are now. An operation of another organization, or one that was deleted since,
 * cannot be shown.
 */
export function movedReply(
  parts: TransactionScope,
  call: Call,
  account: number,
  operation: number,
  more: { readonly duplicate: boolean },
): Promise<Reply> {
  return reading(parts, async (client) => {
    const shown = await readOperation(client, visibleTo(call), operation)
    if (!shown) return takenBeforeReply()
    return json({ ok: true, ...more, operation: shown, account: await readAccount(client, account) })
  })
}

/** The answers of an endpoint that moves money; `more` has the further members of the first one. */
export const movedAnswers = (more: TProperties) =>
  answers(
    'The operation, and the account after it',
    { ...more, operation: operationSchema, account: accountSchema },
    {
      400: 'A wrong field, or a refusal; `code` names it',
      403: 'Not allowed, or an unusual date without the right to it',
      404: accountMissing,
      409: 'The transaction id or the Idempotency-Key was used before for something else',
    },
  )

export const idempotencyHeader = {
  'Idempotency-Key': { doc: 'Of at most 255 characters. A repeat of the same request gets the first answer again' },
}
