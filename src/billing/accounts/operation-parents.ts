import { advisoryLocks } from '../../platform/storage/advisory-locks.ts'
import type { Client } from '../../platform/storage/sql.ts'

/**
 * Lets one transaction at a time give existing operations a parent, because of two that look at the same time neither
 * sees the circle that they make together. To be called before the operation itself is locked.
 */
export async function lockParents(client: Client): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.operationParents])
}

/**
 * Whether an operation would lie below itself with this parent (fin_op): it is the parent itself or one of its
 * ancestors (specification 4.12 rule 3). To be called under `lockParents`.
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
