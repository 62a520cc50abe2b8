import { paymentKeys } from '../../domain/money-keys.ts'
import type { OperationDetails } from '../../domain/operation.ts'
import type { IdempotencyKeys } from './operation-keys.ts'

/** Fields that the account writes with an operation, by their names inside. */
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

/** What a request says of an operation; each value has been read by the kind of its field. */
export function detailsOf(read: (name: string) => unknown, txn: string | null): OperationDetails {
  const details: Record<string, unknown> = txn === null ? {} : { txn }
  for (const [name, inside] of Object.entries(detailNames)) {
    const value = read(name)
    if (value !== undefined && value !== null) details[inside] = value
  }
  return details as OperationDetails
}

/** All the names under which a posting is taken once. */
export const postingKeys = (idempotency: IdempotencyKeys | null, details: OperationDetails): string[] => [
  ...(idempotency ? [idempotency.own, idempotency.withBody] : []),
  ...paymentKeys(details.txn ?? null, details.operatorName ?? null, details.operatorPayId ?? null),
]
