import type { Pool } from 'pg'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Change } from '../../platform/storage/changes.ts'

/** By table: which of the subscribers $2 have an account status that depends on the rows $1. */
const queries: Partial<Record<Change['table'], string>> = {
  admin_accounts: 'SELECT id FROM abonents WHERE account_id = ANY($1) AND id = ANY($2)',
  tarifs: 'SELECT id FROM abonents WHERE (tarif_id = ANY($1) OR next_tarif_id = ANY($1)) AND id = ANY($2)',
  uslugas: 'SELECT DISTINCT abonent_id AS id FROM users_uslugas WHERE usluga_id = ANY($1) AND abonent_id = ANY($2)',
}

/**
 * Returns those of `among` whose status may differ after a change that was not made by the ledger. `ids: '*'` means any
 * row of the table.
 */
export async function concernedBy(
  pool: Pick<Pool, 'query'>,
  { table, ids }: Change,
  among: readonly SubscriberId[],
): Promise<readonly SubscriberId[]> {
  const isBySubscriber = table === 'abonents' || table === 'users_uslugas'
  const text = queries[table]
  if (among.length === 0 || (text === undefined && !isBySubscriber)) return []
  if (ids === '*') return among
  if (text === undefined) {
    const changed = new Set<number>(ids)
    return among.filter((id) => changed.has(id))
  }
  const { rows } = await pool.query<{ id: string }>(text, [ids, among])
  return rows.map(({ id }) => subscriberId(id))
}
