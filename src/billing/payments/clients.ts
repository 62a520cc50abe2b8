import type { Pool } from 'pg'
import { accountId, organizationId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

export type ClientRow = RowOf<
  typeof Abonent,
  'id' | 'account_id' | 'organization_id' | 'contract_number' | 'email' | 'sms' | 'deleted'
>

/** Null: there is no such subscriber. */
export async function findClient(pool: Pick<Pool, 'query'>, id: SubscriberId): Promise<Client | null> {
  const text =
    'SELECT id, account_id, organization_id, contract_number, email, sms, deleted FROM abonents WHERE id = $1'
  const { rows } = await pool.query<ClientRow>({ name: 'payments:client', text, values: [id] })
  return rows[0] ? clientOf(rows[0]) : null
}

export const clientOf = (row: ClientRow) => ({
  id: subscriberId(row.id),
  accountId: accountId(row.account_id),
  organizationId: row.organization_id === null ? null : organizationId(row.organization_id),
  contract: row.contract_number,
  email: row.email ?? '',
  phone: row.sms ?? '',
  deleted: row.deleted,
})

/** The subscriber who pays, with what a payment and its receipt need. */
export type Client = Readonly<ReturnType<typeof clientOf>>
