import type { AbonentFolder } from '../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** The organization of a subscriber in this folder; `otherwise`: of one in none. */
export async function organizationOfFolder(client: Client, folder: number | null, otherwise: number): Promise<number> {
  if (folder === null) return otherwise
  const text = 'SELECT organization_id FROM abonent_folders WHERE id = $1::int8'
  const { rows } = await client.query<RowOf<typeof AbonentFolder, 'organization_id'>>(text, [folder])
  return Number(rows[0]?.organization_id ?? otherwise)
}
