import type { AccountId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'
import { enteredKeys } from '../../domain/money-keys.ts'
import { type OperationDetails, type OperationSign, signedAmount } from '../../domain/operation.ts'
import type { IdempotencyKeys } from './operation-keys.ts'

/** Maps the request fields that are written with an operation to their names in `OperationDetails`. */
export const detailNames = {
  number: 'number',
  usluga: 'uslugaId',
  fin_op: 'parentId',
  credit_type: 'creditTypeId',
  operator: 'carrierId',
  admin_comment: 'adminComment',
  is_cash: 'isCash',
  isbuhdoc: 'isAccounting',
  code1c: 'code1c',
  operator_name: 'operatorName',
  operator_pay_id_str: 'operatorPayId',
  operator_result: 'operatorResult',
} as const satisfies Record<string, keyof OperationDetails>

/** The details of an operation from a request. `read` returns the parsed value of a field. */
export function detailsOf(read: (name: string) => unknown, txn: string | null): OperationDetails {
  const details: Record<string, unknown> = txn === null ? {} : { txn }
  for (const [name, detail] of Object.entries(detailNames)) {
    const value = read(name)
    if (value !== undefined && value !== null) details[detail] = value
  }
  return details as OperationDetails
}

/** All idempotency keys of a posting that staff or a program enter. `amount` gets its sign from `sign`. */
export const postingKeys = (
  idempotency: IdempotencyKeys | null,
  { account, sign, amount, details }: Entered,
): string[] => [
  ...(idempotency ? [idempotency.own, idempotency.withBody] : []),
  ...enteredKeys(account, signedAmount(amount, sign), details),
]

type Entered = {
  readonly account: AccountId
  readonly sign: OperationSign
  readonly amount: Money
  readonly details: OperationDetails
}
