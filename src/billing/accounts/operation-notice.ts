import type { PoolClient } from 'pg'
import { changesChannel } from '../../platform/storage/database.ts'

/**
 * Tells whoever shows the account of an operation that its date is another one: the last payment of a phone's status. The balance has
 * not moved, so the debt need not be judged (`settled` of storage/changes.ts).
 */
export async function tellOfDate(client: Pick<PoolClient, 'query'>, operation: number | string): Promise<void> {
  await client.query(
    `SELECT pg_notify('${changesChannel}', format('{"table":"admin_accounts","ids":[%s],"settled":true}', account_id))
      FROM finance_operations WHERE op_id = $1`,
    [operation],
  )
}
