import { type AccountId, accountId, defaultOrganization } from '../../domain/ids.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Client } from '../../platform/storage/sql.ts'

/**
 * Locks the accounts that a write concerns, in the order of their ids. The ledger locks an account before its
 * subscribers and logins; a write that locked them in the opposite order could run into a deadlock with it.
 */
export async function lockAccounts(client: Client, where: string, values: readonly unknown[]): Promise<void> {
  await client.query(`SELECT 1 FROM admin_accounts WHERE id IN (${where}) ORDER BY id FOR UPDATE`, [...values])
}

export async function accountOfSubscriber(client: Client, id: unknown): Promise<AccountId | null> {
  const text = 'SELECT account_id FROM abonents WHERE id = $1::int8'
  const { rows } = await client.query<RowOf<typeof Abonent, 'account_id'>>(text, [id])
  return rows[0] ? accountId(rows[0].account_id) : null
}

export async function organizationOfSubscriber(client: Client, id: unknown): Promise<number | null> {
  const text = `SELECT coalesce(organization_id, ${defaultOrganization}) AS organization_id FROM abonents WHERE id = $1::int8`
  const { rows } = await client.query<{ organization_id: string }>(text, [id])
  return rows[0] ? Number(rows[0].organization_id) : null
}
