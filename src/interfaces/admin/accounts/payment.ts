import { postingKeys } from '../../../billing/accounts/operation-details.ts'
import type { PoolClient } from 'pg'
import Type from 'typebox'
import type { AccountParts } from '../../../billing/accounts/account-writes.ts'
import type { AccountCommand } from '../../../billing/accounts/messages.ts'
import type { CashDesk } from '../../../billing/cash/limits.ts'
import { accountId, readId, subscriberId } from '../../../domain/ids.ts'
import { type Money, zero } from '../../../domain/money.ts'
import { txnOf } from '../../../domain/money-keys.ts'
import { type OperationSign, operationTypes } from '../../../domain/operation.ts'
import { readText, spelled } from '../../../domain/text.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { choice, field, flag, moment, rubles, text } from '../../../platform/http/fields.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { findVisible } from '../../../platform/staff/visible-records.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { type Fields, isAbsent, type Refused, readSent, refused, refusedBy, wrongField } from '../body.ts'
import { takingCash } from './cash-limit.ts'
import {
  checkAmount,
  idempotencyHeader,
  type MoneyRequest,
  movedAnswers,
  movedReply,
  readMoneyRequest,
  repeatReply,
} from './money-request.ts'
import { confirmField, dateRefusal } from './posting-date.ts'

type Post = Extract<AccountCommand, { kind: 'post' }>

export type PaymentParts = AccountParts & { readonly cashDesk: Pick<CashDesk, 'take'> }

const descriptionMax = 10_000
const txnMax = 100

/** POST accounts_payment: a top-up, or an adjustment by any type of operation (specification 4.11 rules 1 to 3). */
export async function takePayment(parts: PaymentParts, call: Call): Promise<Reply> {
  const request = await readMoneyRequest(parts, call)
  if ('answered' in request) return request.answered
  const { account, visible, fields, keys } = request
  const command = await reading(parts, (client) => readPayment(client, call, { account, fields, visible, keys }))
  if ('refused' in command) return command.refused
  const outcome = await takingCash(parts.cashDesk, call, command, () =>
    parts.accounts.ask(accountId(account), command, authorOf(call), call.span),
  )
  if ('refused' in outcome) return outcome.refused
  if (outcome.kind === 'done') {
    if (!outcome.operation) throw new Error('The account took a posting and named no operation.')
    return movedReply(parts, call, account, outcome.operation.id, { duplicate: false })
  }
  // The same request may have been taken while this one was on its way.
  const raced = await repeatReply(parts, call, account, keys)
  if (raced) return raced
  if (outcome.kind === 'refused') return refusedBy(outcome)
  return movedReply(parts, call, account, outcome.operationId, { duplicate: true })
}

async function readPayment(
  client: PoolClient,
  call: Call,
  { account, fields, visible, keys: idempotency }: MoneyRequest,
): Promise<Post | Refused> {
  const type = await readType(client, fields)
  if ('refused' in type) return type
  const amount = readAmount(fields, type)
  if (typeof amount === 'object') return amount
  const said = readSent(body.properties, fields, { names: ['descr', 'txn', 'op_date', 'is_cash'], isLeftOut: isAbsent })
  if ('refused' in said) return said
  const { descr = '', txn = null, op_date: opDate = null, is_cash: isCash = false } = said.values
  const payer = await readPayer(client, account, fields.abonent_id, visible)
  if ('refused' in payer) return payer
  const movedAt = opDate === null ? null : await momentOf(client, opDate)
  const wrongDate = await dateRefusal(client, call, { account, movedAt, fields })
  if (wrongDate) return wrongDate
  const named = txnOf(txn, descr)
  const details = { ...(named !== null && { txn: named }), ...(isCash && { isCash }) }
  return {
    kind: 'post',
    typeId: type.id,
    sign: type.sign,
    amount,
    subscriberId: payer.id === null ? null : subscriberId(payer.id),
    movedAt,
    description: descr,
    details,
    keys: postingKeys(idempotency, { account: accountId(account), sign: type.sign, amount, details }),
  }
}

type OfferedType = { readonly id: number; readonly sign: OperationSign; readonly isTopUp: boolean }

/** A top-up offers only types of income; an adjustment all. */
async function readType(client: PoolClient, fields: Fields): Promise<OfferedType | Refused> {
  const read = readSent(body.properties, fields, { names: ['kind'], isLeftOut: isAbsent })
  if ('refused' in read) return read
  const isTopUp = read.values.kind !== 'adjustment'
  if (isAbsent(fields.op_type_id) && !isTopUp) return { refused: wrongField('op_type_id', 'be named') }
  const id = isAbsent(fields.op_type_id) ? operationTypes.manualReceipt : readId(fields.op_type_id)
  const { rows } = await client.query<{ op_sign: OperationSign; enabled: boolean }>(
    'SELECT op_sign, enabled FROM fin_types WHERE type_id = $1::int8',
    [id],
  )
  const [found] = rows
  if (id === null || !found) return { refused: wrongField('op_type_id', 'be a type of operation that exists') }
  if (!found.enabled) return { refused: wrongField('op_type_id', 'be a type of operation that is in use') }
  if (isTopUp && found.op_sign !== 1)
    return { refused: wrongField('op_type_id', 'be a type of income; an adjustment takes every type') }
  return { id, sign: found.op_sign, isTopUp }
}

/** An informational operation moves nothing and needs no amount. */
function readAmount(fields: Fields, { sign, isTopUp }: OfferedType): Money | Refused {
  if (sign === 0) return zero
  const read = readSent(body.properties, fields, { names: ['amount'] })
  if ('refused' in read) return read
  const { amount } = read.values
  if (isTopUp && amount <= 0n) return { refused: wrongField('amount', 'be more than zero') }
  return checkAmount(amount, sign)
}

/** The client who pays: the one that was sent, else the main one. */
async function readPayer(
  client: PoolClient,
  account: number,
  sent: unknown,
  visible: VisibleOrganizations,
): Promise<{ id: number | null } | Refused> {
  if (isAbsent(sent)) {
    const text = 'SELECT min(id) AS id FROM abonents WHERE account_id = $1::int8'
    const { rows } = await client.query<{ id: string | null }>(text, [account])
    const id = rows[0]!.id
    return { id: id === null ? null : Number(id) }
  }
  const id = await findVisible(client, 'subscriber', sent, visible)
  // A record of another organization is answered like one that does not exist, and like one of another account.
  const text = 'SELECT FROM abonents WHERE id = $1::int8 AND account_id = $2::int8'
  const { rowCount } = await client.query(text, [id, account])
  if (id === null || rowCount === 0)
    return { refused: refused(400, 'subscriberNotOnAccount', 'abonent_id: It must be a client of this account.') }
  return { id }
}

/** Read in parts, because what an amount may be depends on the type, which the tables know. */
const body = Type.Object({
  amount: Type.With(rubles, { description: 'Rubles, at most two decimal places' }),
  op_type_id: Type.Optional(Type.Integer({ description: 'Of a top-up left out: 7, manual receipt' })),
  kind: Type.Optional(choice(['topup', 'adjustment'], 'be topup or adjustment')),
  txn: Type.Optional(
    field(
      Type.String({ maxLength: txnMax, description: 'Transaction id, taken once in all accounts' }),
      `have at most ${txnMax} characters`,
      (sent) => readText(spelled(sent), txnMax) || null,
    ),
  ),
  descr: Type.Optional(text(descriptionMax)),
  abonent_id: Type.Optional(Type.Integer({ description: 'A client of the account; left out: the main one' })),
  op_date: Type.Optional(
    Type.With(moment, { description: 'When the money moved: a date or a datetime; left out: now' }),
  ),
  is_cash: Type.Optional(
    Type.With(flag, { description: 'Paid in banknotes: it counts for the limits of cash and the drawer of the shift' }),
  ),
  confirm: confirmField,
})

export const paymentDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: 'Top an account up, or adjust it',
  description:
    'A top-up takes types of income only. An adjustment takes every type, and the sign comes from the type: a positive amount with a type of expense is written off. A txn that is known answers with the first operation and moves nothing.',
  headers: idempotencyHeader,
  body,
  answers: movedAnswers({
    duplicate: Type.Boolean({ description: 'The transaction id was known: this is the first operation' }),
  }),
}
