import type { Client } from '../../platform/storage/sql.ts'

/**
 * Whether an operation would lie below itself with this one as its parent (fin_op): because it is that one, or one of
 * its ancestors (specification 4.12 rule 3).
 */
export async function isItsOwnAncestor(client: Client, operation: number, parent: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `WITH RECURSIVE ancestors AS (
        SELECT $1::int8 AS op_id
        UNION SELECT above.fin_op_id FROM ancestors JOIN finance_operations AS above USING (op_id))
      SELECT FROM ancestors WHERE op_id = $2`,
    [parent, operation],
  )
  return rowCount !== 0
}
