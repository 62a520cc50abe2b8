import type { Pool } from 'pg'
import {
  type AccountCommand,
  type AccountOutcome,
  type AccountRefusal,
  accountRefusalText,
  type Accounts,
} from '../../billing/accounts/messages.ts'
import { unusualDate, unusualDateText } from '../../billing/accounts/unusual-dates.ts'
import type { Author } from '../../domain/author.ts'
import { type Money, moneyFromUnits, parseTypedRubles } from '../../domain/money.ts'
import { cashDeskKey, receiptKey } from '../../domain/money-keys.ts'
import { operationTypes } from '../../domain/operation.ts'
import { missingRight, type StaffUser } from '../../domain/staff-user.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { isVisible, type VisibleOrganizations } from '../../platform/staff/visible-organizations.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { FinanceOperation } from '../../platform/storage/entities/accounts.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import { reading } from '../../platform/storage/transactions.ts'
import { fault, type SoapFault } from './fault.ts'
import { findPayer, type Payer } from './payer.ts'

/** A payment that a cash desk or an accounting system has received. */
export type Payment = {
  readonly contract: string
  /** More than zero. */
  readonly amount: Money
  readonly operator: string
  /** The operator's id of the payment; '' when there is none, and a repeat then counts as another payment. */
  readonly payId: string
  /** When the money was received; null means now. */
  readonly movedAt: Date | null
  readonly comment: string
}

export type Paid = {
  readonly kind: 'paid'
  readonly operationId: number
  /** The balance just after the payment, also in the answer to a repeat. */
  readonly balance: Money
  readonly isRepeat: boolean
}

export type PaymentParts = {
  readonly pool: Pool
  readonly accounts: Pick<Accounts, 'ask'>
  readonly settings: Pick<Settings, 'get'>
}

/** Reads rubles with a comma or a point; zeros beyond kopecks are allowed. Returns null for anything else. */
export const readSum = (text: string): Money | null =>
  /^\d[\d.,]*$/.test(text) ? parseTypedRubles(text.replace(/([.,]\d\d)0+$/, '$1')) : null

const taken = (sentence: string): SoapFault => fault('Client.PayIdTaken', sentence)

export const unknownContract = (contract: string): SoapFault =>
  fault('Client.UnknownContract', `There is no contract ${contract}.`)

/**
 * Posts a payment to the payer's account. A repeat of operator and id gets the first answer again. Rejects Unavailable.
 */
export async function takePayment(
  parts: PaymentParts,
  payment: Payment,
  staff: StaffUser,
  author: Author,
): Promise<Paid | SoapFault> {
  const visible = staff.organizations
  const payer = await findPayer(parts.pool, payment.contract, visible)
  if (!payer) return repeatOfFormerPayer(parts, payment, visible)
  if (!(await mayBeDated(parts, payment, payer, staff)) && !(await findFirst(parts.pool, keysFor(payment, payer))))
    return fault('Client.DateNotAllowed', unusualDateText.future_not_allowed)
  const outcome = await askPayer(parts, payer, payment, visible, author)
  if (outcome.kind === 'refused') return refusalOf(outcome.reason, payment)
  if (outcome.kind === 'known') return repeated(parts, payment, payer)
  return { kind: 'paid', operationId: outcome.operation!.id, balance: outcome.account.balance, isRepeat: false }
}

/**
 * A date in the future needs a right, as at every other door. One before the account does not: a bank may have taken
 * the money before the contract was entered here.
 */
async function mayBeDated(
  { pool, settings }: PaymentParts,
  { movedAt }: Payment,
  { accountId: account }: Payer,
  staff: StaffUser,
): Promise<boolean> {
  if (movedAt === null || missingRight(staff, 'money_dates') === null) return true
  const scope = { database: { pool }, timeZone: () => settings.get('TIME_ZONE') }
  return (await reading(scope, (client) => unusualDate(client, account, movedAt))) !== 'date_in_future'
}

/** Asks the payer's account, and once more if the subscriber has moved to another account in the meantime. */
async function askPayer(
  { pool, accounts }: PaymentParts,
  payer: Payer,
  payment: Payment,
  visible: VisibleOrganizations,
  author: Author,
): Promise<AccountOutcome> {
  const command = commandFor(payment, payer)
  const outcome = await accounts.ask(payer.accountId, command, author)
  if (outcome.kind !== 'refused' || outcome.reason !== 'subscriberNotOnAccount') return outcome
  const moved = await findPayer(pool, payment.contract, visible)
  return moved && moved.subscriberId === payer.subscriberId ? accounts.ask(moved.accountId, command, author) : outcome
}

const commandFor = (
  { amount, operator, payId, movedAt, comment }: Payment,
  { subscriberId, accountId }: Payer,
): AccountCommand => ({
  kind: 'post',
  typeId: operationTypes.cashDesk,
  sign: 1,
  amount,
  subscriberId,
  movedAt,
  description: comment || `Оплата: ${operator}`,
  details: { operatorName: operator, ...(payId !== '' && { operatorPayId: payId }) },
  keys: keysFor({ amount, operator, payId }, { accountId }),
})

type Keys = readonly [] | readonly [string] | readonly [string, string]

/** The key of the cash desk, and that of a receipt that staff may have entered before; none without an id. */
const keysFor = (
  { amount, operator, payId }: Pick<Payment, 'amount' | 'operator' | 'payId'>,
  { accountId }: Pick<Payer, 'accountId'>,
): Keys =>
  payId === '' ? [] : [cashDeskKey.of(operator, payId), receiptKey.of(accountId, String(amount), operator, payId)]

function refusalOf(reason: AccountRefusal, { contract }: Payment): SoapFault {
  switch (reason) {
    case 'keyTakenWithOtherAmount':
      return taken('This PAY_ID_STR was taken before with another sum.')
    case 'amountOutOfRange':
      return fault('Client.BadSum', accountRefusalText.amountOutOfRange)
    case 'accountMissing':
    case 'subscriberMissing':
    case 'subscriberNotOnAccount':
      return unknownContract(contract)
    default:
      return fault('Client.NotPosted', accountRefusalText[reason])
  }
}

/**
 * The answer when the key is known. The first payment must be this very payment: the same key may come from a cashier,
 * or from an operator and an id that are different but equal when joined.
 */
async function repeated({ pool }: PaymentParts, payment: Payment, payer: Payer): Promise<Paid | SoapFault> {
  const first = await findFirst(pool, keysFor(payment, payer))
  if (!first) return taken('This PAY_ID_STR was taken before.')
  const [known, expected] = first.is_there
    ? [first.abonent_id, payer.subscriberId]
    : [first.account_id, payer.accountId]
  if (Number(known) !== expected) return taken('This PAY_ID_STR was taken before for another contract.')
  return answerAgain(first, payment)
}

/**
 * The answer to a repeat whose payer is not found: the subscriber may have left or got another contract number before
 * the cash desk repeated a payment that it had no answer to.
 */
async function repeatOfFormerPayer(
  { pool }: PaymentParts,
  payment: Payment,
  visible: VisibleOrganizations,
): Promise<Paid | SoapFault> {
  const first = payment.payId === '' ? null : await findFirst(pool, [cashDeskKey.of(payment.operator, payment.payId)])
  const isTheirs =
    first &&
    isVisible(visible, first.organization_id === null ? null : Number(first.organization_id)) &&
    withoutZeros(first.contract_number ?? '') === withoutZeros(payment.contract)
  return isTheirs ? answerAgain(first, payment) : unknownContract(payment.contract)
}

const withoutZeros = (contract: string): string => contract.replace(/^0+/, '')

function answerAgain(first: First, { amount, operator, payId }: Payment): Paid | SoapFault {
  if (moneyFromUnits(first.amount) !== amount) return taken('This PAY_ID_STR was taken before with another sum.')
  const isSameOperator =
    !first.is_there || ((first.operator_name ?? '') === operator && (first.operator_pay_id_str ?? '') === payId)
  if (!isSameOperator) return taken('This PAY_ID_STR was taken before by another operator.')
  return {
    kind: 'paid',
    operationId: Number(first.op_id),
    balance: moneyFromUnits(first.balance ?? 0),
    isRepeat: true,
  }
}

/** The first payment with an id. Its operation is not there when it has been deleted since. */
type First = Joined<RowOf<typeof FinanceOperation, 'operator_name' | 'operator_pay_id_str'>> &
  Joined<RowOf<typeof Abonent, 'contract_number'>> & {
    op_id: string
    account_id: string
    amount: string
    is_there: boolean
    abonent_id: string | null
    organization_id: string | null
    balance: string | null
  }

const firstStatement = `SELECT known.op_id, known.account_id, known.amount, op.op_id IS NOT NULL AS is_there, op.abonent_id, op.operator_name,
    op.operator_pay_id_str, abonents.contract_number, abonents.organization_id,
    coalesce(op.aa_ostatok + op.op_summa, gone.aa_ostatok + gone.op_summa, account.ostatok) AS balance
  FROM money_keys AS known LEFT JOIN finance_operations AS op ON op.op_id = known.op_id
    LEFT JOIN removed_operations AS gone ON gone.op_id = known.op_id
    LEFT JOIN abonents ON abonents.id = op.abonent_id LEFT JOIN admin_accounts AS account ON account.id = known.account_id
  WHERE known.key IN ($1::text, $2::text) ORDER BY known.key = $1::text DESC LIMIT 1`

/**
 * Finds the first payment with this id. A payment is the last operation of its transaction (a promise is returned
 * before it), so the balance afterwards is the balance before it plus its amount. That holds for a deleted operation
 * too. Each key is a parameter of its own: PostgreSQL expects ten values in an array that it does not know yet, finds
 * such a plan dear, and would plan the statement anew each time.
 */
async function findFirst(pool: Pick<Pool, 'query'>, keys: Keys): Promise<First | null> {
  const [first = null, second = null] = keys
  const { rows } = await pool.query<First>({ name: 'soap-first', text: firstStatement, values: [first, second] })
  return rows[0] ?? null
}
