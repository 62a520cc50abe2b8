import { hash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { StaffId } from '../../domain/ids.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { staffColumns, staffUserOf } from '../../platform/staff/staff-table.ts'

/**
 * A session lasts one hour, however often it is used (specification 8). Of a staff user only the latest sessions are
 * kept.
 */
const soapSessionTerms = { lifeMs: 3_600_000, perStaffMax: 1_000 } as const

const keyForm = /^[0-9a-f]{32}$/i

/** Sessions of programs that signed in by get_user_hash. They are rows of soap_sessions, so they survive a restart. */
export class SoapSessions {
  readonly #pool: Pick<Pool, 'query'>
  readonly #clock: Clock

  constructor(pool: Pick<Pool, 'query'>, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
  }

  /**
   * Starts a session and returns its hash_key, 32 hex digits, of which only a hash is stored. `sealed` is the encrypted
   * password as stored, so that a change of the password ends the session.
   */
  async start(staff: StaffId, sealed: string, address: string): Promise<string> {
    const key = randomBytes(16).toString('hex')
    const now = this.#clock.now()
    const expiresAt = new Date(now.getTime() + soapSessionTerms.lifeMs)
    await this.#pool.query(
      `INSERT INTO soap_sessions (key_hash, staff_id, password_mark, created_at, expires_at, address)
        VALUES ($1, $2, $3, $4, $5, $6)`,
      [hash('sha256', key), staff, hash('md5', sealed), now, expiresAt, address],
    )
    await this.#pool.query(
      `DELETE FROM soap_sessions WHERE expires_at < $1 OR key_hash IN (
        SELECT key_hash FROM soap_sessions WHERE staff_id = $2 ORDER BY created_at DESC, key_hash OFFSET $3)`,
      [now, staff, soapSessionTerms.perStaffMax],
    )
    return key
  }

  /** Returns null when the key is unknown or expired, or its owner is disabled or has a new password. */
  async find(key: string): Promise<StaffUser | null> {
    if (!keyForm.test(key)) return null
    const { rows } = await this.#pool.query(
      `SELECT ${staffColumns} FROM soap_sessions AS session JOIN staff ON staff.id = session.staff_id
        WHERE session.key_hash = $1 AND session.expires_at > $2 AND staff.enabled AND staff.soap AND md5(staff.soap_md5) = session.password_mark`,
      [hash('sha256', key.toLowerCase()), this.#clock.now()],
    )
    return rows[0] ? staffUserOf(rows[0]) : null
  }
}
