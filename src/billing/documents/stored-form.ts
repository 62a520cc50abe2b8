import type { FinanceOperation } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Sql } from './customers.ts'

/**
 * Stores the PDF of an operation unless one is stored already, and returns the stored one: of two users who print at
 * the same time, both get the first PDF.
 */
export async function storeFirstForm(sql: Sql, operationId: number, form: Buffer): Promise<Buffer> {
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

/** Replaces the stored PDF of an operation. Returns false when the operation no longer exists. */
export async function replaceStoredForm(sql: Sql, operationId: number, form: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query('UPDATE finance_operations SET print_form = $2 WHERE op_id = $1', [
    operationId,
    form,
  ])
  return rowCount !== 0
}
