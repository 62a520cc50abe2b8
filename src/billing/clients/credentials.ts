import type { Pool } from 'pg'
import { type LoginId, loginId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { PasswordCheck } from '../../platform/passwords/login-passwords.ts'
import type { User } from '../../platform/storage/entities/network.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Entrance, PasswordTries, Try } from '../../platform/passwords/tries.ts'
import { type Secrets, SecretUnreadable } from '../../platform/secrets/secrets.ts'
import { subscriberByContract } from './contract-numbers.ts'

export type CredentialParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly secrets: Pick<Secrets, 'open'>
  readonly isPassword: PasswordCheck
  readonly tries: PasswordTries
  readonly log: Log
}

/** Where somebody signs in, and from which address. */
export type Caller = { readonly entrance: Entrance; readonly address: string }

/** One login of one subscriber. */
export type KnownLogin = { readonly loginId: LoginId; readonly subscriberId: SubscriberId }

/** A login whose password was right. */
export type ProvenLogin = KnownLogin & {
  /** The password as it was stored when it was checked, sealed. */
  readonly storedPassword: string
}

/** SQL: the login of `provenValues` still is that client's and has the password that was checked. */
export const isProven = 'id = $1 AND abonent_id = $2 AND password = $3'

/** A change ends the sessions that it finds, so none may begin after it: the lock lets it wait, or waits for it. */
export const fromProven = `FROM users WHERE ${isProven} FOR SHARE`

export const provenValues = ({ loginId, subscriberId, storedPassword }: ProvenLogin) =>
  [loginId, subscriberId, storedPassword] as const

type Row = RowOf<typeof User, 'id' | 'abonent_id' | 'password'>
type NamedRow = Row & { readonly has_session: boolean }

/**
 * Finds logins by name (contract section 5): a contract number stands for the subscriber's first login by id, and is
 * compared exactly, then without leading zeros if that is unique; otherwise the name is a login. Deleted subscribers
 * are not found. `$2` is the address that the name comes from. Prepared, because whoever guesses names and passwords
 * asks it again and again, and to plan it costs thirty times as much as to run it.
 */
const byName = `WITH ${subscriberByContract}
  SELECT login.id, login.abonent_id, login.password,
    EXISTS (SELECT FROM phone_sessions WHERE login_id = login.id AND address = $2)
      OR EXISTS (SELECT FROM client_sessions WHERE login_id = login.id AND address = $2) AS has_session
  FROM (
    (SELECT 1 AS turn, id FROM users WHERE abonent_id = (SELECT id FROM meant) ORDER BY id LIMIT 1)
    UNION ALL
    (SELECT 2, users.id FROM users JOIN abonents ON abonents.id = abonent_id WHERE login = $1 AND NOT deleted)
  ) AS found JOIN users AS login USING (id) ORDER BY turn`

const nameMax = 128
/** No login has a longer one, and to hash a megabyte would keep others waiting. */
const passwordMax = 1_024

/**
 * The login with this contract number or login name and this password. Failures count for the client whom the name
 * means, so a contract with and without its zeros and every login of it count together. Rejects Unavailable.
 */
export async function signInClient(
  parts: CredentialParts,
  caller: Caller,
  name: string,
  password: string,
): Promise<Try<ProvenLogin>> {
  const isPossible =
    name !== '' &&
    name.length <= nameMax &&
    password !== '' &&
    password.length <= passwordMax &&
    !`${name}${password}`.includes('\0')
  // Nothing was checked, so nothing is counted.
  if (!isPossible) return { kind: 'made', result: null }
  const values = [name, caller.address]
  const { rows } = await parts.pool.query<NamedRow>({ name: 'client-by-name', text: byName, values })
  // A number may be the contract of one subscriber and the login of another, so the password decides.
  const owners = [...new Set(rows.map((row) => clientOwner(subscriberId(row.abonent_id))))]
  const hasSession = rows.length > 0 && rows.every(({ has_session }) => has_session)
  const tried = { ...caller, owners, name: name.trim().replace(/^0+/, ''), hasSession }
  return parts.tries.attempt(tried, async () => {
    for (const row of rows) if (await isPasswordOf(parts, row, password)) return provenBy(row)
    return null
  })
}

/**
 * Tries the current password of a login, for which a change of password asks. It counts like a sign-in of the client,
 * who is known, because they are signed in.
 */
export async function confirmPassword(
  parts: CredentialParts,
  client: KnownLogin,
  address: string,
  password: string,
): Promise<Try<ProvenLogin>> {
  if (password.length > passwordMax) return { kind: 'made', result: null }
  const owner = clientOwner(client.subscriberId)
  const tried = { entrance: 'password', address, owners: [owner], name: '', hasSession: true } as const
  return parts.tries.attempt(tried, async () => {
    const { rows } = await parts.pool.query<Row>('SELECT id, abonent_id, password FROM users WHERE id = $1', [
      client.loginId,
    ])
    return rows[0] && (await isPasswordOf(parts, rows[0], password)) ? provenBy(rows[0]) : null
  })
}

const provenBy = ({ id, abonent_id, password }: Row): ProvenLogin => ({
  loginId: loginId(id),
  subscriberId: subscriberId(abonent_id),
  storedPassword: password,
})

const clientOwner = (id: SubscriberId): string => `client ${id}`

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
