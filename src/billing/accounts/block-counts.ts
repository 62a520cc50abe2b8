import type { Pool } from 'pg'
import { type VisibleOrganizations, visibleSql } from '../../platform/staff/visible-organizations.ts'

export type BlockCounts = { b_negbal: number; b_admin: number; b_own: number; b_sys: number; blocked: number }

const text = `SELECT count(*) FILTER (WHERE b_negbal)::int4 AS b_negbal, count(*) FILTER (WHERE b_admin)::int4 AS b_admin,
    count(*) FILTER (WHERE b_own)::int4 AS b_own, count(*) FILTER (WHERE b_sys)::int4 AS b_sys, count(*)::int4 AS blocked
  FROM abonents_block JOIN abonents ON abonents.id = abonent_id
  WHERE NOT deleted AND ${visibleSql('organization_id', '$1')}`

/** How many subscribers of these organizations (null: of all) are blocked, in total and by reason. */
export async function readBlockCounts(pool: Pool, organizations: VisibleOrganizations): Promise<BlockCounts> {
  const { rows } = await pool.query<BlockCounts>(text, [organizations])
  return rows[0]!
}
