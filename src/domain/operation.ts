import type { ChainLink } from './chain.ts'
import type { AccountId, OperationId, OrganizationId, StaffId, SubscriberId } from './ids.ts'
import { type Money, magnitude, negated, zero } from './money.ts'

/** Operation types whose numbers are fixed (specification 2.4, contract section 4). */
export const operationTypes = {
  monthlyService: 3,
  manualReceipt: 7,
  manualExpense: 9,
  gatewayA: 23,
  gatewayB: 24,
  promise: 31,
  tariffCharge: 32,
  tariffChange: 33,
  cashDesk: 40,
  recalculation: 41,
} as const

/**
 * Whether an operation is a payment from outside. The limit of a promise payment is no real money, and a recalculation
 * only returns money that had been charged.
 */
export const isPayment = (typeId: number, amount: Money): boolean =>
  amount > 0n && typeId !== operationTypes.promise && typeId !== operationTypes.recalculation

export type OperationSign = 1 | -1 | 0

/** The account just before an operation, stored with the operation for good. */
export type AccountSnapshot = {
  balance: Money
  receipts: Money
  writeOffs: Money
  warnBelow: Money | null
  limit: Money
  unlimited: boolean
  unlimitedUntil: Date | null
}

/** A posting in the ledger. A positive amount is a receipt, a negative one an expense, and zero is informational. */
export type Operation = {
  id: OperationId
  accountId: AccountId
  subscriberId: SubscriberId | null
  organizationId: OrganizationId
  typeId: number
  amount: Money
  /** When the money actually moved. */
  movedAt: Date
  /** When it was recorded. */
  recordedAt: Date
  ownerId: StaffId | null
  description: string
  reversed: boolean
  reversalOf: OperationId | null
  details: OperationDetails
  snapshot: AccountSnapshot
  /** Its link in the account's chain; null for a row that the program did not write. */
  link: ChainLink | null
}

/** Descriptive columns of an operation; none of them affects the balance. */
export type OperationDetails = {
  number?: string
  uslugaId?: number
  parentId?: OperationId
  creditTypeId?: number
  carrierId?: SubscriberId
  adminComment?: string
  isCash?: boolean
  isAccounting?: boolean
  code1c?: string
  operatorName?: string
  operatorPayId?: string
  operatorResult?: string
  txn?: string
}

/** The sign follows the operation type; an informational operation (sign 0) moves no money. */
export const signedAmount = (amount: Money, sign: OperationSign): Money => {
  if (sign === 0) return zero
  return sign > 0 ? magnitude(amount) : negated(magnitude(amount))
}
