import { hash, randomBytes } from 'node:crypto'
import type { StaffId } from '../../domain/ids.ts'
import { type CredentialParts, type Session, StaffCredentials } from './credentials.ts'
import { isProven } from './password-lock.ts'
import { factorOf, staffColumns, staffUserOf } from './staff-table.ts'

export const sessionTerms = {
  idleMs: 12 * 3_600_000,
  lifeMs: 14 * 24 * 3_600_000,
  /** The last use is written to the table at most this often. */
  touchMs: 60_000,
  perStaffMax: 1000,
} as const

/** Sessions of staff, which are rows of staff_sessions. */
export class Sessions extends StaffCredentials {
  constructor(parts: CredentialParts) {
    super(parts, /^[0-9a-f]{64}$/)
  }

  /**
   * Starts a session. The key is returned here only; the table has its hash. Expired sessions are deleted on the way.
   * Null: the password whose hash was checked has been changed since, or the user disabled, which ends all sessions, so
   * none may begin after it.
   */
  async start(
    staffId: StaffId,
    passwordHash: string,
    address: string,
    userAgent: string,
  ): Promise<{ key: string; csrfToken: string } | null> {
    const key = randomBytes(32).toString('hex')
    const csrfToken = newCsrfToken()
    const now = this.parts.clock.now()
    const expires = new Date(now.getTime() + sessionTerms.idleMs)
    const { rows } = await this.parts.database.query(insertSession, [
      hash('sha256', key),
      staffId,
      csrfToken,
      now,
      expires,
      address,
      userAgent.slice(0, 300),
      passwordHash,
    ])
    if (rows.length === 0) return null
    await this.parts.database.query(sweepSessions, [now, staffId, sessionTerms.perStaffMax])
    return { key, csrfToken }
  }

  /** Ends a session: at once in this program, in other programs as soon as their cached entry expires. */
  async end(session: Session): Promise<void> {
    await this.parts.database.query('DELETE FROM staff_sessions WHERE key_hash = $1', [session.keyHash])
    this.cache.forget(session.keyHash)
  }

  protected override async read(keyHash: string, nowMs: number) {
    const [row] = (await this.parts.database.query(selectSession, [keyHash, new Date(nowMs)])).rows
    if (!row) return null
    const value: Session = { keyHash, staff: staffUserOf(row), csrfToken: String(row.csrf_token), ...factorOf(row) }
    return { value, expiresMs: this.#slide(keyHash, row, nowMs) }
  }

  /** Moves the end of a session to 12 hours from now, but not past 14 days after its start, and returns it. */
  #slide(keyHash: string, row: Record<string, unknown>, nowMs: number): number {
    const lastMs = (row.created_at as Date).getTime() + sessionTerms.lifeMs
    const expiresMs = Math.min(nowMs + sessionTerms.idleMs, lastMs)
    if ((row.seen_at as Date).getTime() <= nowMs - sessionTerms.touchMs) {
      this.parts.database
        .query(touchSession, [keyHash, new Date(nowMs), new Date(expiresMs)])
        .catch((error: unknown) => this.parts.log.debug('A session could not be prolonged', { error }))
    }
    return expiresMs
  }
}

export const newCsrfToken = (): string => randomBytes(32).toString('hex')

/** The lock lets a change of the password, which deletes sessions after it, wait, or waits for it. */
const insertSession = `
  INSERT INTO staff_sessions (key_hash, staff_id, csrf_token, created_at, seen_at, expires_at, address, user_agent)
  SELECT $1, id, $3, $4, $4, $5, $6, $7 FROM staff WHERE ${isProven('$2', '$8')} FOR SHARE
  RETURNING 1`

/**
 * Deletes expired sessions and the oldest of a staff user, so that a program that signs in for every call does not fill
 * the table.
 */
const sweepSessions = `
  DELETE FROM staff_sessions WHERE expires_at < $1 OR key_hash IN (
    SELECT key_hash FROM staff_sessions WHERE staff_id = $2 ORDER BY seen_at DESC, key_hash OFFSET $3)`

const selectSession = `
  SELECT session.csrf_token, session.created_at, session.seen_at, ${staffColumns}
  FROM staff_sessions session JOIN staff ON staff.id = session.staff_id
  WHERE session.key_hash = $1 AND session.expires_at > $2 AND staff.enabled`

const touchSession = 'UPDATE staff_sessions SET seen_at = $2, expires_at = $3 WHERE key_hash = $1 AND seen_at < $2'
