import Type from 'typebox'
import type { AccountParts } from '../../../billing/accounts/account-writes.ts'
import { accountId, type OperationId, operationId } from '../../../domain/ids.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { findVisible } from '../../../platform/staff/visible-records.ts'
import { isAbsent, refused, refusedBy } from '../body.ts'
import { idempotencyHeader, movedAnswers, movedReply, readMoneyRequest, repeatReply } from './money-request.ts'

/** POST accounts_storno: reverses the last operation of an account, once (specification 3.3). */
export async function reverseLast(parts: AccountParts, call: Call): Promise<Reply> {
  const request = await readMoneyRequest(parts, call)
  if ('answered' in request) return request.answered
  const { account, visible, fields, keys } = request
  const wanted = await findWanted(parts, account, fields.op_id, visible)
  if (wanted === 'notVisible')
    return refused(400, 'operationMissing', 'op_id: There is no such operation on this account.')
  const command = {
    kind: 'reverse',
    operationId: wanted,
    keys: keys ? [keys.own, keys.withBody] : [],
  } as const
  const outcome = await parts.accounts.ask(accountId(account), command, authorOf(call))
  if (outcome.kind === 'done') {
    if (!outcome.operation) throw new Error('The account took a reversal and named no operation.')
    return movedReply(parts, call, account, outcome.operation.id, { duplicate: false })
  }
  // The same request may have been taken while this one was on its way.
  const raced = await repeatReply(parts, call, account, keys)
  if (raced) return raced
  if (outcome.kind === 'known') throw new Error('A reversal was known by a key that nobody has taken.')
  return refusedBy(outcome)
}

/**
 * The operation the caller means. Without an id it is whichever operation is the last one when the account decides. For
 * a caller who does not see all organizations it is looked up first, because another organization may have posted it.
 */
async function findWanted(
  { database: { pool } }: AccountParts,
  account: number,
  sent: unknown,
  visible: VisibleOrganizations,
): Promise<OperationId | null | 'notVisible'> {
  if (isAbsent(sent)) {
    if (visible === null) return null
    const text = 'SELECT last_operation_id AS id FROM admin_accounts WHERE id = $1::int8'
    const { rows } = await pool.query<{ id: string | null }>(text, [account])
    const last = rows[0]?.id ?? null
    if (last === null) return null
    return (await findVisible(pool, 'operation', last, visible)) === null ? 'notVisible' : operationId(last)
  }
  const id = await findVisible(pool, 'operation', sent, visible)
  return id === null ? 'notVisible' : operationId(id)
}

export const stornoDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: 'Reverse the last operation of an account',
  description:
    'A new operation of the opposite amount; both are marked storno. With op_id it must be the last one still.',
  headers: idempotencyHeader,
  body: Type.Object({ op_id: Type.Optional(schemas.integer) }),
  answers: movedAnswers({ duplicate: schemas.boolean }),
}
