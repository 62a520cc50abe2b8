/**
 * SQL: whether the operation `row`, of the type `type`, is a reversal; what it has reversed is marked as storno, too.
 * It names that one, unless the record is gone or was never known. Then its amount goes against the sign of its type,
 * as that of no other operation does.
 */
export const isReversalSql = (row: string, type: string): string =>
  `(${row}.storno AND (${row}.related_operation_id IS NOT NULL OR sign(${row}.op_summa) * ${type}.op_sign < 0))`
