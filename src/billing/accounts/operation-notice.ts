import type { PoolClient } from 'pg'
import { changesChannel } from '../../platform/storage/database.ts'

/**
 * Notifies everything that shows the account of an operation that the operation's date has changed, such as the last
 * payment in the status of a phone. The balance has not changed, so the debt need not be evaluated (`settled` of
 * storage/changes.ts).
 */
export async function notifyDateChange(client: Pick<PoolClient, 'query'>, operation: number | string): Promise<void> {
  await client.query(
    `SELECT pg_notify('${changesChannel}', format('{"table":"admin_accounts","ids":[%s],"settled":true}', account_id))
      FROM finance_operations WHERE op_id = $1`,
    [operation],
  )
}
