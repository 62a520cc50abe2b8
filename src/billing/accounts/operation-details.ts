import { paymentKeys } from '../../domain/money-keys.ts'
import type { OperationDetails } from '../../domain/operation.ts'
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

/** All idempotency keys of a posting. */
export const postingKeys = (idempotency: IdempotencyKeys | null, details: OperationDetails): string[] => [
  ...(idempotency ? [idempotency.own, idempotency.withBody] : []),
  ...paymentKeys(details.txn ?? null, details.operatorName ?? null, details.operatorPayId ?? null),
]
