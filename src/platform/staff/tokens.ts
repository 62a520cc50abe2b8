import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../actors/clock.ts'
import type { Log } from '../log.ts'
import { KeyHashes } from './key-hashes.ts'
import { Remembered } from './remembered.ts'
import { rightsOfScopes } from './roles.ts'
import type { Session } from './sessions.ts'
import { type Queries, staffColumns, staffUserOf } from './staff-table.ts'

/** A token of a program: `tg_` and 256 bits. The table has its SHA-256 only. */
export const newToken = (): { token: string; tokenHash: string } => {
  const token = `tg_${randomBytes(32).toString('base64url')}`
  return { token, tokenHash: hash('sha256', token) }
}

const tokenForm = /^tg_[\w-]{43}$/
const bearerForm = /^bearer +(\S+) *$/i
/** The table learns of use at most this often. */
const touchMs = 60_000

/** What stands after `Bearer` in an Authorization header; null: no such header, and other proofs count. */
export const readBearer = (authorization: string): string | null => bearerForm.exec(authorization)?.[1] ?? null

/** API tokens (contract section 3): rows of api_tokens, each acting for the staff user who made it. */
export class Tokens {
  readonly #database: Queries
  readonly #log: Log
  readonly #remembered: Remembered<Session>
  readonly #hashes = new KeyHashes()

  constructor(options: { database: Queries; clock: Clock; log: Log }) {
    this.#database = options.database
    this.#log = options.log
    this.#remembered = new Remembered(options.clock, (tokenHash, nowMs) => this.#read(tokenHash, nowMs))
  }

  /** The owner with the rights of the token; null: unknown, expired, taken back, or the owner is disabled. */
  find(token: string): Session | null | Promise<Session | null> {
    return tokenForm.test(token) ? this.#remembered.find(this.#hashes.of(token)) : null
  }

  findByHash(tokenHash: string): Session | null | Promise<Session | null> {
    return this.#remembered.find(tokenHash)
  }

  /** A token was taken back, or staff rows changed: nothing remembered counts any more. */
  forgetAll(): void {
    this.#remembered.forgetAll()
  }

  async #read(tokenHash: string, nowMs: number) {
    const [row] = (await this.#database.query(selectToken, [tokenHash, new Date(nowMs)])).rows
    if (!row) return null
    const owner = staffUserOf(row)
    const staff = { ...owner, rights: rightsOfScopes(row.scopes as string[], owner.rights) }
    const usedMs = (row.used_at as Date | null)?.getTime() ?? 0
    if (usedMs <= nowMs - touchMs) {
      this.#database
        .query('UPDATE api_tokens SET used_at = $2 WHERE token_hash = $1', [tokenHash, new Date(nowMs)])
        .catch((error: unknown) => this.#log.debug('The use of a token could not be noted', { error }))
    }
    const expiresMs = (row.expires_at as Date | null)?.getTime() ?? Number.POSITIVE_INFINITY
    // No browser sends a token by itself, so it needs no CSRF token, and an empty one matches nothing.
    return { value: { keyHash: tokenHash, staff, csrfToken: '' }, expiresMs }
  }
}

const selectToken = `
  SELECT token.scopes, token.expires_at, token.used_at, ${staffColumns}
  FROM api_tokens token JOIN staff ON staff.id = token.staff_id
  WHERE token.token_hash = $1 AND (token.expires_at IS NULL OR token.expires_at > $2) AND staff.enabled`
