import { createHmac, hash, randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { type LoginId, loginId, subscriberId } from '../../domain/ids.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { ClientUser } from '../../platform/http/client-user.ts'
import { isSameText } from '../../platform/same-text.ts'
import { CredentialCache } from '../../platform/staff/credential-cache.ts'
import type { PhoneSession } from '../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { fromProven, type ProvenLogin, provenValues } from './credentials.ts'
import { latePackages } from '../../platform/late-packages.ts'

/** Specification 8: an access token lives 15 minutes, a refresh token 30 days. */
export const phoneTerms = { accessSeconds: 15 * 60, refreshMs: 30 * 24 * 3_600_000, perLoginMax: 50 } as const

export type PhoneTokens = { readonly access: string; readonly refresh: string; readonly expiresIn: number }

/** `reused`: a refresh token was used a second time, so its session has ended (contract section 5). */
export type Refreshed = { kind: 'refreshed'; tokens: PhoneTokens } | { kind: 'unknown' } | { kind: 'reused' }

export type PhoneEnd = 'signed_out' | 'reused' | 'password'

const issuer = 'tollgate'
const audience = 'mobile'
const refreshForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/

/** The sessions that are active at $2. */
const fromActive = `FROM phone_sessions AS session JOIN users AS login ON login.id = session.login_id
    JOIN abonents AS abonent ON abonent.id = login.abonent_id
  WHERE session.ended_at IS NULL AND session.expires_at > $2 AND NOT abonent.deleted`

/** The subscriber of a row of phone_sessions has not been deleted. */
const isOfClient = `EXISTS (SELECT FROM users JOIN abonents ON abonents.id = abonent_id
  WHERE users.id = login_id AND NOT deleted)`

/**
 * Clients signed in to the mobile application: rows of phone_sessions. A session has signed access tokens and a chain
 * of refresh tokens, of which only the latest is valid.
 */
export class PhoneSessions {
  readonly #pool: Pick<Pool, 'query'>
  readonly #key: Uint8Array
  readonly #clock: Clock
  /** A cache of active sessions. An access token alone would stay valid after its session has ended. */
  readonly #cache: CredentialCache<ClientUser>
  readonly #endListeners: ((session: string) => void)[] = []

  constructor(parts: { pool: Pick<Pool, 'query'>; key: Uint8Array; clock: Clock }) {
    this.#pool = parts.pool
    this.#key = parts.key
    this.#clock = parts.clock
    this.#cache = new CredentialCache(parts.clock, (session, nowMs) => this.#read(session, nowMs))
  }

  /** The client of an access token. Null: it is not ours, has expired, or its session has ended. */
  async find(access: string): Promise<ClientUser | null> {
    const session = await this.#sessionOf(access)
    return session === null ? null : this.#cache.find(session)
  }

  /** Whether a session found earlier is still active. */
  async stillHolds(session: string): Promise<boolean> {
    return (await this.#cache.find(session)) !== null
  }

  /** Returns those of the sessions that are still active. */
  async active(sessions: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `SELECT session.id ${fromActive} AND session.id = ANY($1::uuid[])`,
      [sessions, this.#clock.now()],
    )
    return new Set(rows.map(({ id }) => id))
  }

  onEnd(listener: (session: string) => void): void {
    this.#endListeners.push(listener)
  }

  /** Null: the password that was checked has been changed since. */
  async start(login: ProvenLogin, address: string, userAgent: string): Promise<PhoneTokens | null> {
    const id = randomUUID()
    const secret = this.#newSecret(id)
    const now = this.#clock.now()
    const session = [id, hash('sha256', secret), now, this.#refreshEnd(now), address, userAgent.slice(0, 300)]
    const { rowCount } = await this.#pool.query(
      `INSERT INTO phone_sessions (login_id, id, refresh_hash, created_at, refreshed_at, expires_at, address, user_agent)
        SELECT id, $4, $5, $6, $6, $7, $8, $9 ${fromProven}`,
      [...provenValues(login), ...session],
    )
    if (rowCount === 0) return null
    await this.#pool.query(
      `DELETE FROM phone_sessions WHERE expires_at < $1 OR id IN (
        SELECT id FROM phone_sessions WHERE login_id = $2 ORDER BY refreshed_at DESC, id OFFSET $3)`,
      [now, login.loginId, phoneTerms.perLoginMax],
    )
    return this.#tokens(id, secret)
  }

  /** Exchanges a refresh token for new tokens; it cannot be used again. */
  async refresh(token: string): Promise<Refreshed> {
    const [, id, sent] = refreshForm.exec(token) ?? []
    if (id === undefined || sent === undefined) return { kind: 'unknown' }
    const secret = this.#newSecret(id)
    const now = this.#clock.now()
    const { rowCount } = await this.#pool.query(
      `UPDATE phone_sessions SET refresh_hash = $3, refreshed_at = $4, expires_at = $5
        WHERE id = $1 AND refresh_hash = $2 AND ended_at IS NULL AND expires_at > $4 AND ${isOfClient}`,
      [id, hash('sha256', sent), hash('sha256', secret), now, this.#refreshEnd(now)],
    )
    if (rowCount === 1) return { kind: 'refreshed', tokens: await this.#tokens(id, secret) }
    // Whoever only knows the id, which is no secret, must not end the session.
    if (!this.#wasOurs(id, sent)) return { kind: 'unknown' }
    const { rows } = await this.#pool.query<{ spent: boolean }>(
      'SELECT refresh_hash <> $2 AS spent FROM phone_sessions WHERE id = $1 AND ended_at IS NULL AND expires_at > $3',
      [id, hash('sha256', sent), now],
    )
    if (!rows[0]?.spent) return { kind: 'unknown' }
    await this.end(id, 'reused')
    return { kind: 'reused' }
  }

  async end(session: string, reason: PhoneEnd): Promise<void> {
    await this.#pool.query(
      'UPDATE phone_sessions SET ended_at = $2, end_reason = $3 WHERE id = $1 AND ended_at IS NULL',
      [session, this.#clock.now(), reason],
    )
    this.#ended(session)
  }

  /** What was read before may have ended, perhaps by another node. */
  forgetAll(): void {
    this.#cache.forgetAll()
  }

  /** Ends the sessions of a login except `but`, after a change of password. Null: all of them. */
  async endOthers(login: LoginId, but: string | null): Promise<void> {
    const { rows } = await this.#pool.query<RowOf<typeof PhoneSession, 'id'>>(
      `UPDATE phone_sessions SET ended_at = $3, end_reason = 'password'
        WHERE login_id = $1 AND ended_at IS NULL AND id::text IS DISTINCT FROM $2 RETURNING id`,
      [login, but, this.#clock.now()],
    )
    for (const { id } of rows) this.#ended(id)
  }

  #ended(session: string): void {
    this.#cache.forget(session)
    for (const listener of this.#endListeners) listener(session)
  }

  #refreshEnd = (now: Date): Date => new Date(now.getTime() + phoneTerms.refreshMs)

  /** 16 random bytes and a MAC over them, which tells a secret that was ours once from an invented one. */
  #newSecret(session: string): string {
    const random = randomBytes(16).toString('base64url')
    return `${random}${this.#mac(session, random)}`
  }

  #wasOurs(session: string, secret: string): boolean {
    return isSameText(secret.slice(22), this.#mac(session, secret.slice(0, 22)))
  }

  /** 126 bits: the 21 characters that are left of a secret's 43. */
  #mac(session: string, random: string): string {
    return createHmac('sha256', this.#key).update(`refresh ${session} ${random}`).digest('base64url').slice(0, 21)
  }

  async #tokens(session: string, secret: string): Promise<PhoneTokens> {
    const issuedAt = Math.floor(this.#clock.now().getTime() / 1000)
    const { SignJWT } = await latePackages.jose()
    const access = await new SignJWT({ sid: session })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + phoneTerms.accessSeconds)
      .sign(this.#key)
    return { access, refresh: `${session}.${secret}`, expiresIn: phoneTerms.accessSeconds }
  }

  async #sessionOf(access: string): Promise<string | null> {
    const { jwtVerify } = await latePackages.jose()
    try {
      const { payload } = await jwtVerify(access, this.#key, {
        algorithms: ['HS256'],
        issuer,
        audience,
        currentDate: this.#clock.now(),
        requiredClaims: ['exp', 'sid'],
      })
      return typeof payload.sid === 'string' && sessionForm.test(payload.sid) ? payload.sid : null
    } catch {
      return null
    }
  }

  async #read(session: string, nowMs: number) {
    const { rows } = await this.#pool.query<{ login_id: string; abonent_id: string; expires_at: Date }>(
      `SELECT session.login_id, login.abonent_id, session.expires_at ${fromActive} AND session.id = $1`,
      [session, new Date(nowMs)],
    )
    const [row] = rows
    if (!row) return null
    const value: ClientUser = { loginId: loginId(row.login_id), subscriberId: subscriberId(row.abonent_id), session }
    return { value, expiresMs: row.expires_at.getTime() }
  }
}

const sessionForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
