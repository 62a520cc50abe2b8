import type { StaffId } from '../../domain/ids.ts'
import type { Queries } from './staff-table.ts'

/** SQL for a row of staff: the user may sign in, and the password is still the one whose hash was checked. */
export const isProven = (id: string, passwordHash: string): string =>
  `id = ${id} AND enabled AND password_hash = ${passwordHash}`

/** The same where null stands for somebody whose password was checked in an earlier step. */
export const isProvenOrWasBefore = (id: string, passwordHash: string): string =>
  `id = ${id} AND enabled AND (${passwordHash}::text IS NULL OR password_hash = ${passwordHash})`

/**
 * Locks a staff user until the end of the transaction, so that a new password waits for it and then ends what it has
 * made. False: the password whose hash was checked has been changed since, or the user is disabled, so that nothing may
 * follow from it. Null stands for somebody whose password was checked in an earlier step.
 */
export async function lockPassword(client: Queries, staffId: StaffId, passwordHash: string | null): Promise<boolean> {
  const { rows } = await client.query(lockStaff, [staffId, passwordHash])
  return rows.length > 0
}

const lockStaff = `SELECT FROM staff WHERE ${isProvenOrWasBefore('$1', '$2')} FOR NO KEY UPDATE`
