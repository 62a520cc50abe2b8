import type { Pool } from 'pg'
import { type LoginId, loginId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { PasswordCheck } from '../../platform/passwords/login-passwords.ts'
import type { User } from '../../platform/storage/entities/network.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { type Secrets, SecretUnreadable } from '../../platform/secrets/secrets.ts'
import { subscriberByContract } from './contract-numbers.ts'

export type CredentialParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly secrets: Pick<Secrets, 'open'>
  readonly isPassword: PasswordCheck
  readonly log: Log
}

/** One login of one subscriber. */
export type KnownLogin = { readonly loginId: LoginId; readonly subscriberId: SubscriberId }

type Row = RowOf<typeof User, 'id' | 'abonent_id' | 'password'>

/**
 * Finds logins by name (contract section 5): a contract number stands for the subscriber's first login by id, and is
 * compared exactly, then without leading zeros if that is unique; otherwise the name is a login. Deleted subscribers
 * are not found.
 */
const byName = `WITH ${subscriberByContract}
  SELECT login.id, login.abonent_id, login.password FROM (
    (SELECT 1 AS turn, id FROM users WHERE abonent_id = (SELECT id FROM meant) ORDER BY id LIMIT 1)
    UNION ALL
    (SELECT 2, users.id FROM users JOIN abonents ON abonents.id = abonent_id WHERE login = $1 AND NOT deleted)
  ) AS found JOIN users AS login USING (id) ORDER BY turn`

const nameMax = 128

/** The login with this contract number or login name and this password. Null: there is none. */
export async function findByCredentials(
  parts: CredentialParts,
  name: string,
  password: string,
): Promise<KnownLogin | null> {
  if (name === '' || name.length > nameMax || password === '' || password.includes('\0') || name.includes('\0'))
    return null
  const { rows } = await parts.pool.query<Row>(byName, [name])
  // A number may be the contract of one subscriber and the login of another, so the password decides.
  for (const row of rows)
    if (await isPasswordOf(parts, row, password))
      return { loginId: loginId(row.id), subscriberId: subscriberId(row.abonent_id) }
  return null
}

/** Whether this is the current password of a login. A change of password asks for it. */
export async function hasPassword(parts: CredentialParts, id: LoginId, password: string): Promise<boolean> {
  const { rows } = await parts.pool.query<Row>('SELECT id, abonent_id, password FROM users WHERE id = $1', [id])
  return rows[0] !== undefined && (await isPasswordOf(parts, rows[0], password))
}

async function isPasswordOf(
  { secrets, isPassword, log }: CredentialParts,
  { id, password }: Row,
  sent: string,
): Promise<boolean> {
  try {
    return await isPassword(secrets.open(password), sent)
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    log.warn('The password of a login cannot be read', { login: id, error })
    return false
  }
}
