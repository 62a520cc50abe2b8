import type { StaffId } from '../../domain/ids.ts'
import type { Queries } from './staff-table.ts'

/** How many sessions, those of SOAP among them, and how many API tokens have ended. */
export type EndedCredentials = { readonly sessions: number; readonly tokens: number }

/**
 * Deletes all that lets somebody act as a staff user without the password, and second factors that are being set up.
 * It is one statement, so that a new password ends them in its own transaction. `keptSession` is the hash of the key of
 * a session that goes on.
 */
export async function endCredentials(
  database: Queries,
  staffId: StaffId,
  keptSession: string | null = null,
): Promise<EndedCredentials> {
  const { rows } = await database.query(deleteCredentials, [staffId, keptSession])
  const { sessions, tokens } = rows[0]!
  return { sessions: Number(sessions), tokens: Number(tokens) }
}

/**
 * Ends what a staff user has signed in before a second factor was set up, but the session that set it up. Returns how
 * many sessions have ended, those of SOAP among them, and the key hashes of those of browsers.
 */
export async function endOtherSessions(
  database: Queries,
  staffId: StaffId,
  keptKeyHash: string,
): Promise<{ readonly ended: number; readonly keyHashes: readonly string[] }> {
  const { rows } = await database.query(deleteOtherSessions, [staffId, keptKeyHash])
  const { key_hashes: found, cash_desks: cashDesks } = rows[0]!
  const keyHashes = found as string[]
  return { ended: keyHashes.length + Number(cashDesks), keyHashes }
}

const deleteOtherSessions = `
  WITH browsers AS (DELETE FROM staff_sessions WHERE staff_id = $1 AND key_hash <> $2 RETURNING key_hash),
    cash_desks AS (DELETE FROM soap_sessions WHERE staff_id = $1 RETURNING 1)
  SELECT ARRAY(SELECT key_hash FROM browsers) AS key_hashes, (SELECT count(*) FROM cash_desks) AS cash_desks`

const deleteCredentials = `
  WITH browsers AS (DELETE FROM staff_sessions WHERE staff_id = $1 AND key_hash IS DISTINCT FROM $2 RETURNING 1),
    cash_desks AS (DELETE FROM soap_sessions WHERE staff_id = $1 RETURNING 1),
    waiting AS (DELETE FROM staff_challenges WHERE staff_id = $1),
    proposed AS (DELETE FROM staff_totp_proposals WHERE staff_id = $1),
    passkeys AS (DELETE FROM staff_passkey_challenges WHERE staff_id = $1),
    programs AS (DELETE FROM api_tokens WHERE staff_id = $1 RETURNING 1)
  SELECT (SELECT count(*) FROM browsers) + (SELECT count(*) FROM cash_desks) AS sessions,
    (SELECT count(*) FROM programs) AS tokens`
