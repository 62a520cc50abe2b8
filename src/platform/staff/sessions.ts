import { hash, randomBytes } from 'node:crypto'
import type { StaffId } from '../../domain/ids.ts'
import type { Clock } from '../actors/clock.ts'
import type { Log } from '../log.ts'
import { KeyHashes } from './key-hashes.ts'
import { Remembered } from './remembered.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import { type Queries, staffColumns, staffUserOf } from './staff-table.ts'

/** A session of a staff user. The key itself is known to the client alone. */
export type Session = {
  /** SHA-256 of the key, hex: names the session in memory and in the table. */
  readonly keyHash: string
  readonly staff: StaffUser
  readonly csrfToken: string
}

export const sessionTerms = {
  idleMs: 12 * 3_600_000,
  lifeMs: 14 * 24 * 3_600_000,
  /** The table learns of use at most this often. */
  touchMs: 60_000,
  perStaffMax: 1000,
} as const

const keyForm = /^[0-9a-f]{64}$/

/** Sessions of staff: rows of staff_sessions. */
export class Sessions {
  readonly #database: Queries
  readonly #clock: Clock
  readonly #log: Log
  readonly #remembered: Remembered<Session>
  readonly #hashes = new KeyHashes()
  readonly #endListeners: ((keyHash: string) => void)[] = []

  constructor(options: { database: Queries; clock: Clock; log: Log }) {
    this.#database = options.database
    this.#clock = options.clock
    this.#log = options.log
    this.#remembered = new Remembered(options.clock, (keyHash, nowMs) => this.#read(keyHash, nowMs))
  }

  /** Answers at once when memory knows the key; rejects Unavailable when only the database could tell and it is away. */
  find(key: string): Session | null | Promise<Session | null> {
    return keyForm.test(key) ? this.findByHash(this.#hashes.of(key)) : null
  }

  findByHash(keyHash: string): Session | null | Promise<Session | null> {
    return this.#remembered.find(keyHash)
  }

  /** Starts a session; the key is returned once and stored nowhere. Expired sessions are swept in passing. */
  async start(staffId: StaffId, address: string, userAgent: string): Promise<{ key: string; csrfToken: string }> {
    const key = randomBytes(32).toString('hex')
    const csrfToken = newCsrfToken()
    const now = this.#clock.now()
    const expires = new Date(now.getTime() + sessionTerms.idleMs)
    await this.#database.query(insertSession, [
      hash('sha256', key),
      staffId,
      csrfToken,
      now,
      expires,
      address,
      userAgent.slice(0, 300),
    ])
    await this.#database.query(sweepSessions, [now, staffId, sessionTerms.perStaffMax])
    return { key, csrfToken }
  }

  /** Ends a session at once: here in memory, elsewhere as soon as their memory is read again. */
  async end(session: Session): Promise<void> {
    await this.#database.query('DELETE FROM staff_sessions WHERE key_hash = $1', [session.keyHash])
    this.#ended(session.keyHash)
  }

  /** Signs a staff user out everywhere. Answers how many sessions that were. */
  async endAllOf(staffId: StaffId): Promise<number> {
    const text = 'DELETE FROM staff_sessions WHERE staff_id = $1 RETURNING key_hash'
    const { rows } = await this.#database.query(text, [staffId])
    for (const { key_hash: keyHash } of rows as { key_hash: string }[]) this.#ended(keyHash)
    return rows.length
  }

  onEnd(listener: (keyHash: string) => void): void {
    this.#endListeners.push(listener)
  }

  /** Staff rows changed (pg_notify): nothing remembered counts any more. */
  forgetAll(): void {
    this.#remembered.forgetAll()
  }

  #ended(keyHash: string): void {
    this.#remembered.forget(keyHash)
    for (const listener of this.#endListeners) listener(keyHash)
  }

  async #read(keyHash: string, nowMs: number) {
    const [row] = (await this.#database.query(selectSession, [keyHash, new Date(nowMs)])).rows
    if (!row) return null
    const value: Session = { keyHash, staff: staffUserOf(row), csrfToken: String(row.csrf_token) }
    return { value, expiresMs: this.#slide(keyHash, row, nowMs) }
  }

  /** Each use moves the end 12 hours ahead, but never past 14 days from the start. Answers the end. */
  #slide(keyHash: string, row: Record<string, unknown>, nowMs: number): number {
    const lastMs = (row.created_at as Date).getTime() + sessionTerms.lifeMs
    const expiresMs = Math.min(nowMs + sessionTerms.idleMs, lastMs)
    if ((row.seen_at as Date).getTime() <= nowMs - sessionTerms.touchMs) {
      this.#database
        .query(touchSession, [keyHash, new Date(nowMs), new Date(expiresMs)])
        .catch((error: unknown) => this.#log.debug('A session could not be prolonged', { error }))
    }
    return expiresMs
  }
}

export const newCsrfToken = (): string => randomBytes(32).toString('hex')

const insertSession = `
  INSERT INTO staff_sessions (key_hash, staff_id, csrf_token, created_at, seen_at, expires_at, address, user_agent)
  VALUES ($1, $2, $3, $4, $4, $5, $6, $7)`

/** An integration that signs in for every call must not fill the table: its oldest sessions go. */
const sweepSessions = `
  DELETE FROM staff_sessions WHERE expires_at < $1 OR key_hash IN (
    SELECT key_hash FROM staff_sessions WHERE staff_id = $2 ORDER BY seen_at DESC, key_hash OFFSET $3)`

const selectSession = `
  SELECT session.csrf_token, session.created_at, session.seen_at, ${staffColumns}
  FROM staff_sessions session JOIN staff ON staff.id = session.staff_id
  WHERE session.key_hash = $1 AND session.expires_at > $2 AND staff.enabled`

const touchSession = 'UPDATE staff_sessions SET seen_at = $2, expires_at = $3 WHERE key_hash = $1 AND seen_at < $2'
