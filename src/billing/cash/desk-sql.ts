import { operationTypes } from '../../domain/operation.ts'

/** SQL: whether an operation of `deskOperations` moved banknotes. A reversal gives back what its original received. */
export const isCashSql = 'coalesce(original.is_cash, operation.is_cash)'

/**
 * SQL: what staff have received from clients or given back to them, as a FROM with its conditions: receipts by hand,
 * and reversals of such. Banknotes count whatever else is said of them, because they are in the drawer. Otherwise
 * payments that a gateway, a bank or a cash desk outside reported name it and do not count, nor does what is no
 * document of the books.
 */
export const deskOperations = `finance_operations AS operation
    JOIN fin_types AS type ON type.type_id = operation.op_type_id AND type.op_sign = 1
    LEFT JOIN finance_operations AS original ON original.op_id = operation.related_operation_id
  WHERE operation.op_summa <> 0
    AND operation.op_type_id NOT IN (${operationTypes.promise}, ${operationTypes.recalculation})
    AND (${isCashSql} OR coalesce(original.isbuhdoc, operation.isbuhdoc)
      AND CASE WHEN original.op_id IS NULL THEN operation.operator_name ELSE original.operator_name END IS NULL)`
