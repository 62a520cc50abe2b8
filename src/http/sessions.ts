import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../actors/clock.ts'
import type { OrganizationId, StaffId } from '../domain/ids.ts'
import type { Log } from '../log.ts'
import { asUnavailable } from '../storage/unavailability.ts'
import type { StaffUser } from './staff.ts'
import type { Queries } from './staff-table.ts'

/** A session as the rest of the room sees it. The key itself is known to the client alone. */
export type Session = {
  /** SHA-256 of the key, hex: names the session in memory and in the table. */
  readonly keyHash: string
  readonly staff: StaffUser
  readonly csrfToken: string
}

export const sessionTerms = {
  idleMs: 12 * 3_600_000,
  lifeMs: 14 * 24 * 3_600_000,
  /** How long memory is believed without asking the table: a user disabled in psql is out after this at the latest. */
  cachedMs: 10_000,
  /** With the database away, memory is believed this long, so that operators can watch what still works. */
  cachedUnavailableMs: 5 * 60_000,
  /** The table learns of use at most this often. */
  touchMs: 60_000,
  cachedMax: 10_000,
  perStaffMax: 1000,
} as const

type Cached = { session: Session; readMs: number; expiresMs: number }

const keyForm = /^[0-9a-f]{64}$/

/** Sessions of staff: rows of staff_sessions, remembered for some seconds so that an API call costs no query. */
export class Sessions {
  readonly #database: Queries
  readonly #clock: Clock
  readonly #log: Log
  readonly #cache = new Map<string, Cached>()
  readonly #reading = new Map<string, Promise<Session | null>>()
  readonly #endListeners: ((keyHash: string) => void)[] = []
  /** Counts ends, so that a read begun before one is not remembered after it. */
  #epoch = 0

  constructor(options: { database: Queries; clock: Clock; log: Log }) {
    this.#database = options.database
    this.#clock = options.clock
    this.#log = options.log
  }

  /** Answers at once when memory knows the key; rejects Unavailable when only the database could tell and it is away. */
  find(key: string): Session | null | Promise<Session | null> {
    return keyForm.test(key) ? this.findByHash(hash('sha256', key)) : null
  }

  findByHash(keyHash: string): Session | null | Promise<Session | null> {
    const nowMs = this.#clock.now().getTime()
    const cached = this.#cache.get(keyHash)
    if (cached && nowMs < cached.readMs + sessionTerms.cachedMs) return nowMs < cached.expiresMs ? cached.session : null
    const reading = this.#reading.get(keyHash)
    if (reading) return reading
    const started = this.#read(keyHash, nowMs, cached).finally(() => {
      if (this.#reading.get(keyHash) === started) this.#reading.delete(keyHash)
    })
    this.#reading.set(keyHash, started)
    return started
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
    this.#epoch++
    this.#cache.delete(session.keyHash)
    this.#reading.delete(session.keyHash)
    for (const listener of this.#endListeners) listener(session.keyHash)
  }

  onEnd(listener: (keyHash: string) => void): void {
    this.#endListeners.push(listener)
  }

  /** Staff rows changed (pg_notify): nothing remembered counts any more. */
  forgetAll(): void {
    this.#epoch++
    this.#cache.clear()
    this.#reading.clear()
  }

  async #read(keyHash: string, nowMs: number, stale: Cached | undefined): Promise<Session | null> {
    const epoch = this.#epoch
    let row: Record<string, unknown> | undefined
    try {
      row = (await this.#database.query(selectSession, [keyHash, new Date(nowMs)])).rows[0]
    } catch (error) {
      const believedMs = stale ? Math.min(stale.readMs + sessionTerms.cachedUnavailableMs, stale.expiresMs) : 0
      if (asUnavailable(error) && stale && nowMs < believedMs && epoch === this.#epoch) return stale.session
      throw error
    }
    const session = row ? sessionOf(keyHash, row) : null
    // Something ended while this was read: the answer may be old, so it is not remembered.
    if (epoch !== this.#epoch) return session
    this.#cache.delete(keyHash)
    if (!row || !session) return null
    this.#cache.set(keyHash, { session, readMs: nowMs, expiresMs: this.#slide(keyHash, row, nowMs) })
    if (this.#cache.size > sessionTerms.cachedMax) this.#cache.delete(this.#cache.keys().next().value!)
    return session
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

function sessionOf(keyHash: string, row: Record<string, unknown>): Session {
  const isSuperuser = row.is_superuser === true
  const organizations = (row.organizations as (string | number)[]).map((id) => Number(id) as OrganizationId)
  const staff: StaffUser = {
    id: Number(row.staff_id) as StaffId,
    username: String(row.username),
    isSuperuser,
    organizations: isSuperuser ? null : organizations,
  }
  return { keyHash, staff, csrfToken: String(row.csrf_token) }
}

const insertSession = `
  INSERT INTO staff_sessions (key_hash, staff_id, csrf_token, created_at, seen_at, expires_at, address, user_agent)
  VALUES ($1, $2, $3, $4, $4, $5, $6, $7)`

/** An integration that signs in for every call must not fill the table: its oldest sessions go. */
const sweepSessions = `
  DELETE FROM staff_sessions WHERE expires_at < $1 OR key_hash IN (
    SELECT key_hash FROM staff_sessions WHERE staff_id = $2 ORDER BY seen_at DESC, key_hash OFFSET $3)`

const selectSession = `
  SELECT session.staff_id, session.csrf_token, session.created_at, session.seen_at, staff.username, staff.is_superuser,
    ARRAY(SELECT organization_id FROM staff_organizations WHERE staff_id = staff.id ORDER BY 1) AS organizations
  FROM staff_sessions session JOIN staff ON staff.id = session.staff_id
  WHERE session.key_hash = $1 AND session.expires_at > $2 AND staff.enabled`

const touchSession = 'UPDATE staff_sessions SET seen_at = $2, expires_at = $3 WHERE key_hash = $1 AND seen_at < $2'
