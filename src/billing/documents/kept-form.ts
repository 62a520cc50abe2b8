import type { FinanceOperation } from '../../platform/storage/entities/finance-operation.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Sql } from './customers.ts'

/** Keeps what was printed first; of two that print at once the first counts. Answers the form that is kept. */
export async function keepFirst(sql: Sql, operationId: number, form: Buffer): Promise<Buffer> {
  const { rowCount } = await sql.query(
    'UPDATE finance_operations SET print_form = $2 WHERE op_id = $1 AND print_form IS NULL',
    [operationId, form],
  )
  if (rowCount !== 0) return form
  const { rows } = await sql.query<RowOf<typeof FinanceOperation, 'print_form'>>(
    'SELECT print_form FROM finance_operations WHERE op_id = $1',
    [operationId],
  )
  return rows[0]?.print_form ?? form
}

/** False: the operation is gone. */
export async function replaceKept(sql: Sql, operationId: number, form: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query('UPDATE finance_operations SET print_form = $2 WHERE op_id = $1', [
    operationId,
    form,
  ])
  return rowCount !== 0
}
