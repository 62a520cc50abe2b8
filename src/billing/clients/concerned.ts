import type { Pool } from 'pg'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Change } from '../../platform/storage/changes.ts'

/** By table: which of the subscribers $2 have an account status that depends on the rows $1. */
const queries: Partial<Record<Change['table'], string>> = {
  admin_accounts: 'SELECT id FROM abonents WHERE account_id = ANY($1) AND id = ANY($2)',
  tarifs: 'SELECT id FROM abonents WHERE (tarif_id = ANY($1) OR next_tarif_id = ANY($1)) AND id = ANY($2)',
  uslugas: 'SELECT DISTINCT abonent_id AS id FROM users_uslugas WHERE usluga_id = ANY($1) AND abonent_id = ANY($2)',
}

const isBySubscriber = (table: Change['table']): boolean => table === 'abonents' || table === 'users_uslugas'

/**
 * Returns those of `among` whose status may differ after a change that was not made by the ledger. `ids: '*'` means any
 * row of the table.
 */
export async function concernedBy(
  pool: Pick<Pool, 'query'>,
  { table, ids }: Change,
  among: readonly SubscriberId[],
): Promise<readonly SubscriberId[]> {
  if (among.length === 0) return []
  if (isBySubscriber(table) && ids !== '*') {
    const changed = new Set<number>(ids)
    return among.filter((id) => changed.has(id))
  }
  const text = queries[table]
  if (ids === '*') return text === undefined && !isBySubscriber(table) ? [] : among
  if (text === undefined) return []
  const { rows } = await pool.query<{ id: string }>(text, [ids, among])
  return rows.map(({ id }) => subscriberId(id))
}
