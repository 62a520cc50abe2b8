import { defaultOrganization } from '../../../domain/ids.ts'
import type { Abonent } from '../../../platform/storage/entities/abonent.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import type { Client } from '../../../platform/storage/sql.ts'

/**
 * The ledger locks an account before its subscribers and logins. A write that begins at the other end could meet it in
 * a deadlock, so the accounts concerned are locked first here too, in id order.
 */
export async function lockAccounts(client: Client, where: string, values: readonly unknown[]): Promise<void> {
  await client.query(`SELECT 1 FROM admin_accounts WHERE id IN (${where}) ORDER BY id FOR UPDATE`, [...values])
}

export async function accountOfSubscriber(client: Client, id: unknown): Promise<number | null> {
  const { rows } = await client.query<RowOf<typeof Abonent, 'account_id'>>(
    'SELECT account_id FROM abonents WHERE id = $1::int8',
    [id],
  )
  return rows[0] ? Number(rows[0].account_id) : null
}

export async function organizationOfSubscriber(client: Client, id: unknown): Promise<number | null> {
  const text = `SELECT coalesce(organization_id, ${defaultOrganization}) AS organization_id FROM abonents WHERE id = $1::int8`
  const { rows } = await client.query<{ organization_id: string }>(text, [id])
  return rows[0] ? Number(rows[0].organization_id) : null
}
