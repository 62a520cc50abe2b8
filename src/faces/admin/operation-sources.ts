import { markedSql } from '../../storage/operation-source.ts'

export { type OperationSource, operationSources } from '../../domain/operation-source.ts'
export { sourceSql } from '../../storage/operation-source.ts'

/** The mark `[bank_op:N]` of a row of finance_operations, in SQL: N as text, else null. */
export const bankRowSql = (row: string): string => markedSql(row, 'bank_op')
