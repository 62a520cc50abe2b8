import type { Author } from '../../domain/author.ts'
import { formatRubles } from '../../domain/money.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import { fault, type SoapFault } from './fault.ts'
import type { Parameters } from './parameters.ts'
import type { SoapParts } from './parts.ts'
import { fieldOf, findPayer, maskedName } from './payer.ts'
import { readSum, takePayment, unknownContract } from './payment.ts'

const actNames = ['CHECK', 'PAY'] as const
export type ActName = (typeof actNames)[number]

export const actOf = ({ ACT = '' }: Parameters): ActName | SoapFault =>
  actNames.find((name) => name === ACT.toUpperCase()) ?? fault('Client.BadAct', 'ACT is CHECK or PAY.')

/**
 * pay_usr_act2 (contract section 5): CHECK answers `OK;<contract>;<masked name>;<balance>`, PAY answers
 * `OK;<op_id>;<balance>`.
 */
export const payUsrAct2 = (
  parts: SoapParts,
  act: ActName,
  parameters: Parameters,
  staff: StaffUser,
  author: Author,
): Promise<string | SoapFault> =>
  act === 'CHECK' ? check(parts, parameters, staff) : pay(parts, parameters, staff, author)

async function check(
  { pool }: SoapParts,
  { CONTRACT_NUMBER: contract = '', SUM_IN: sum = '' }: Parameters,
  { organizations }: StaffUser,
): Promise<string | SoapFault> {
  // CHECK refuses what PAY would refuse, before the client hands over the money. No sum or zero means it is not known
  // yet.
  if (sum !== '' && readSum(sum) === null) return badSum
  const payer = await findPayer(pool, contract, organizations)
  if (!payer) return unknownContract(contract)
  return `OK;${fieldOf(payer.contract)};${fieldOf(maskedName(payer.name))};${formatRubles(payer.balance)}`
}

async function pay(
  parts: SoapParts,
  parameters: Parameters,
  staff: StaffUser,
  author: Author,
): Promise<string | SoapFault> {
  const { CONTRACT_NUMBER: contract = '', SUM_IN = '', PAY_OPERATOR: operator = '' } = parameters
  const { COMMENT_IN: comment = '', PAY_ID_STR: payId = '' } = parameters
  if (SUM_IN === '') return fault('Client.MissingParameter', 'SUM_IN is missing or empty.')
  const amount = readSum(SUM_IN)
  if (amount === null || amount === 0n) return badSum
  const payment = { contract, amount, operator, payId, movedAt: null, comment }
  const paid = await takePayment(parts, payment, staff, author)
  return paid.kind === 'fault' ? paid : `OK;${paid.operationId};${formatRubles(paid.balance)}`
}

const badSum = fault('Client.BadSum', 'SUM_IN is rubles above zero with at most two places after a comma or a point.')
