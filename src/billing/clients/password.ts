import type { Author } from '../../domain/author.ts'
import type { LoginId } from '../../domain/ids.ts'
import { storedClearPassword } from '../../domain/login-password.ts'
import type { ClientUser } from '../../platform/http/client-user.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { confirmPassword, type CredentialParts, isProven, provenValues } from './credentials.ts'

type Sessions = { endOthers(login: LoginId, but: string | null): Promise<void> }

export type PasswordParts = CredentialParts & {
  readonly secrets: Pick<Secrets, 'seal'>
  readonly portal: Sessions
  readonly phones: Sessions
  /** Resolves when RADIUS uses the new password. */
  readonly changed: (rows: { readonly table: 'users'; readonly ids: readonly number[] }) => Promise<void>
}

export type PasswordRequest = { readonly current: string; readonly wanted: string; readonly again: string }

export type PasswordFault = 'currentWrong' | 'tooShort' | 'tooLong' | 'unprintable' | 'notRepeated'

export type PasswordChange =
  | { kind: 'changed' }
  | { kind: 'refused'; fault: PasswordFault }
  /** There were too many wrong guesses at the current password. */
  | { kind: 'throttled'; retryAfterSeconds: number }

/** RADIUS carries a password of at most 128 octets (RFC 2865 section 5.2). */
export const passwordTerms = { charactersMin: 6, bytesMax: 128 } as const

/** Changes the password that was checked, and no newer one, and writes the audit in one statement. */
const change = `WITH changed AS (UPDATE users SET password = $4 WHERE ${isProven} RETURNING id, abonent_id)
  INSERT INTO audit_operations (at, user_name, address, table_name, object_id, action, diff, organization_id)
  SELECT now(), $5, $6, 'USERS', changed.id::text, 'change', '{"password": ["***", "***"]}', organization_id
  FROM changed JOIN abonents ON abonents.id = abonent_id`

/**
 * Changes the password of a login, which RADIUS, the portal and the mobile application share. Every other portal and
 * mobile session of that login ends; the session that asked and the network sessions stay.
 */
export async function changePassword(
  parts: PasswordParts,
  client: ClientUser,
  request: PasswordRequest,
  author: Author,
): Promise<PasswordChange> {
  const fault = faultOf(request)
  if (fault) return { kind: 'refused', fault }
  const { pool, secrets, portal, phones, changed, log } = parts
  const { loginId, session } = client
  const attempt = await confirmPassword(parts, client, author.address ?? '', request.current)
  if (attempt.kind === 'throttled') return attempt
  if (attempt.result === null) return { kind: 'refused', fault: 'currentWrong' }
  const sealed = secrets.seal(storedClearPassword(request.wanted))
  const values = [...provenValues(attempt.result), sealed, author.name, author.address]
  // Somebody else's new password came between: the current one is not current any more.
  if ((await pool.query(change, values)).rowCount === 0) return { kind: 'refused', fault: 'currentWrong' }
  await Promise.all([
    changed({ table: 'users', ids: [loginId] }),
    portal.endOthers(loginId, session),
    phones.endOthers(loginId, session),
  ])
  log.info('A client changed a password', { login: loginId, by: author.name })
  return { kind: 'changed' }
}

function faultOf({ wanted, again }: PasswordRequest): PasswordFault | null {
  if ([...wanted].length < passwordTerms.charactersMin) return 'tooShort'
  if (Buffer.byteLength(wanted) > passwordTerms.bytesMax) return 'tooLong'
  if (/\p{Cc}/u.test(wanted)) return 'unprintable'
  return wanted === again ? null : 'notRepeated'
}
