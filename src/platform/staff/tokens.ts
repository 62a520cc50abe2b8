import { hash, randomBytes } from 'node:crypto'
import { type CredentialParts, StaffCredentials } from './credentials.ts'
import { rightsOfScopes } from './roles.ts'
import { factorOf, staffColumns, staffUserOf } from './staff-table.ts'

/** Generates an API token: `tg_` and 256 random bits. The table stores only its SHA-256. */
export const newToken = (): { token: string; tokenHash: string } => {
  const token = `tg_${randomBytes(32).toString('base64url')}`
  return { token, tokenHash: hash('sha256', token) }
}

/** The last use is written to the table at most this often. */
const touchMs = 60_000

/** API tokens (contract section 3), which are rows of api_tokens. Each acts for the staff user who made it. */
export class Tokens extends StaffCredentials {
  constructor(parts: CredentialParts) {
    super(parts, /^tg_[\w-]{43}$/)
  }

  /** The owner with the rights of the token; null when it is unknown, expired or revoked, or its owner is disabled. */
  protected override async read(tokenHash: string, nowMs: number) {
    const [row] = (await this.parts.database.query(selectToken, [tokenHash, new Date(nowMs)])).rows
    if (!row) return null
    const owner = staffUserOf(row)
    const rights = rightsOfScopes(row.scopes as string[], owner.rights)
    const staff = { ...owner, rights, byToken: true as const }
    const usedMs = (row.used_at as Date | null)?.getTime() ?? 0
    if (usedMs <= nowMs - touchMs) {
      this.parts.database
        .query('UPDATE api_tokens SET used_at = $2 WHERE token_hash = $1', [tokenHash, new Date(nowMs)])
        .catch((error: unknown) => this.parts.log.debug('The use of a token could not be noted', { error }))
    }
    const expiresMs = (row.expires_at as Date | null)?.getTime() ?? Number.POSITIVE_INFINITY
    // A browser does not send a token by itself, so no CSRF token is needed; an empty one never matches.
    return { value: { keyHash: tokenHash, staff, csrfToken: '', ...factorOf(row) }, expiresMs }
  }
}

const selectToken = `
  SELECT token.scopes, token.expires_at, token.used_at, ${staffColumns}
  FROM api_tokens token JOIN staff ON staff.id = token.staff_id
  WHERE token.token_hash = $1 AND (token.expires_at IS NULL OR token.expires_at > $2) AND staff.enabled`
