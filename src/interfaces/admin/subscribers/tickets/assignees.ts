import type { PoolClient } from 'pg'
import { recordRights } from '../../../../domain/record-rights.ts'
import { missingRight, type StaffUser } from '../../../../domain/staff-user.ts'
import { isVisible, type VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import { staffColumns, staffUserOf } from '../../../../platform/staff/staff-table.ts'

/** Whoever may answer tickets of one of the organizations (null: of any) may be given one. */
const mayAnswer = (user: StaffUser, organizations: VisibleOrganizations): boolean =>
  missingRight(user, recordRights.usual.change) === null &&
  (organizations === null || organizations.some((id) => isVisible(user.organizations, id)))

/** The staff to whom tickets of these organizations may be given, by name. */
export async function readAssignees(client: PoolClient, organizations: VisibleOrganizations): Promise<StaffUser[]> {
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT ${staffColumns} FROM staff WHERE enabled ORDER BY lower(username)`,
  )
  return rows.map(staffUserOf).filter((user) => mayAnswer(user, organizations))
}
