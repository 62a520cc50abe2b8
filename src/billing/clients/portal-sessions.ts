import { hash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { type LoginId, loginId, subscriberId } from '../../domain/ids.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { PortalSession } from '../../platform/http/client-user.ts'
import { CredentialCache } from '../../platform/staff/credential-cache.ts'
import { newCsrfToken } from '../../platform/staff/sessions.ts'
import type { ClientSession } from '../../platform/storage/entities/clients.ts'
import type { User } from '../../platform/storage/entities/network.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { fromProven, type ProvenLogin, provenValues } from './credentials.ts'

export const portalTerms = {
  idleMs: 2 * 3_600_000,
  lifeMs: 14 * 24 * 3_600_000,
  touchMs: 60_000,
  perLoginMax: 50,
} as const

const keyForm = /^[0-9a-f]{64}$/

/** Clients signed in to the portal: rows of client_sessions. */
export class PortalSessions {
  readonly #pool: Pick<Pool, 'query'>
  readonly #clock: Clock
  readonly #cache: CredentialCache<PortalSession>

  constructor(pool: Pick<Pool, 'query'>, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
    this.#cache = new CredentialCache(clock, (keyHash, nowMs) => this.#read(keyHash, nowMs))
  }

  /** The session of a key, mostly from memory. Null: there is none, or it has expired. */
  find(key: string): PortalSession | null | Promise<PortalSession | null> {
    return keyForm.test(key) ? this.#cache.find(hash('sha256', key)) : null
  }

  /**
   * Starts a session. The key is returned only here; the table has its hash. Null: the password that was checked has
   * been changed since.
   */
  async start(
    login: ProvenLogin,
    address: string,
    userAgent: string,
  ): Promise<{ key: string; csrfToken: string } | null> {
    const key = randomBytes(32).toString('hex')
    const csrfToken = newCsrfToken()
    const now = this.#clock.now()
    const expiresAt = new Date(now.getTime() + portalTerms.idleMs)
    const { rowCount } = await this.#pool.query(
      `INSERT INTO client_sessions (login_id, key_hash, csrf_token, created_at, seen_at, expires_at, address, user_agent)
        SELECT id, $4, $5, $6, $6, $7, $8, $9 ${fromProven}`,
      [...provenValues(login), hash('sha256', key), csrfToken, now, expiresAt, address, userAgent.slice(0, 300)],
    )
    if (rowCount === 0) return null
    await this.#pool.query(
      `DELETE FROM client_sessions WHERE expires_at < $1 OR key_hash IN (
        SELECT key_hash FROM client_sessions WHERE login_id = $2 ORDER BY seen_at DESC, key_hash OFFSET $3)`,
      [now, login.loginId, portalTerms.perLoginMax],
    )
    return { key, csrfToken }
  }

  async end({ client }: PortalSession): Promise<void> {
    await this.#pool.query('DELETE FROM client_sessions WHERE key_hash = $1', [client.session])
    this.#cache.forget(client.session)
  }

  /** What was read before may have ended, perhaps by another node. */
  forgetAll(): void {
    this.#cache.forgetAll()
  }

  /** Ends the sessions of a login except `but`, after a change of password. Null: all of them. */
  async endOthers(login: LoginId, but: string | null): Promise<void> {
    const { rows } = await this.#pool.query<RowOf<typeof ClientSession, 'key_hash'>>(
      'DELETE FROM client_sessions WHERE login_id = $1 AND key_hash IS DISTINCT FROM $2 RETURNING key_hash',
      [login, but],
    )
    for (const { key_hash } of rows) this.#cache.forget(key_hash)
  }

  async #read(keyHash: string, nowMs: number) {
    const { rows } = await this.#pool.query<Row>(selectSession, [keyHash, new Date(nowMs)])
    const [row] = rows
    if (!row) return null
    const value: PortalSession = {
      client: { loginId: loginId(row.login_id), subscriberId: subscriberId(row.abonent_id), session: keyHash },
      csrfToken: row.csrf_token,
    }
    return { value, expiresMs: await this.#extend(keyHash, row, nowMs) }
  }

  /** Extends a session by its use, up to its maximum lifetime. Returns the expiry in milliseconds. */
  async #extend(keyHash: string, row: Row, nowMs: number): Promise<number> {
    const expiresMs = Math.min(nowMs + portalTerms.idleMs, row.created_at.getTime() + portalTerms.lifeMs)
    if (row.seen_at.getTime() <= nowMs - portalTerms.touchMs) {
      await this.#pool.query('UPDATE client_sessions SET seen_at = $2, expires_at = $3 WHERE key_hash = $1', [
        keyHash,
        new Date(nowMs),
        new Date(expiresMs),
      ])
    }
    return expiresMs
  }
}

type Row = RowOf<typeof ClientSession, 'login_id' | 'csrf_token' | 'created_at' | 'seen_at'> &
  RowOf<typeof User, 'abonent_id'>

const selectSession = `
  SELECT session.login_id, login.abonent_id, session.csrf_token, session.created_at, session.seen_at
  FROM client_sessions AS session JOIN users AS login ON login.id = session.login_id
    JOIN abonents AS abonent ON abonent.id = login.abonent_id
  WHERE session.key_hash = $1 AND session.expires_at > $2 AND NOT abonent.deleted`
