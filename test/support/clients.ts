import type { ProvenLogin } from '../../src/billing/clients/credentials.ts'
import { type LoginId, loginId, subscriberId } from '../../src/domain/ids.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { Secrets } from '../../src/platform/secrets/secrets.ts'

export const clientSecrets = new Secrets(Buffer.alloc(32, 7))

/** A subscriber with logins, by SQL; the passwords are sealed as the program seals them. */
export async function plantClient(
  database: Database,
  contract: string,
  logins: readonly (readonly [login: string, password: string])[],
  secrets: Pick<Secrets, 'seal'> = clientSecrets,
): Promise<{ subscriber: number; logins: number[] }> {
  const { pool } = database
  const account = await pool.query('INSERT INTO admin_accounts DEFAULT VALUES RETURNING id')
  const abonent = await pool.query(
    'INSERT INTO abonents (name, contract_number, account_id, organization_id) VALUES ($1, $1, $2, 1) RETURNING id',
    [contract, account.rows[0].id],
  )
  const subscriber = Number(abonent.rows[0].id)
  const ids: number[] = []
  for (const [login, password] of logins) {
    const made = await pool.query('INSERT INTO users (abonent_id, login, password) VALUES ($1, $2, $3) RETURNING id', [
      subscriber,
      login,
      secrets.seal(password),
    ])
    ids.push(Number(made.rows[0].id))
  }
  return { subscriber, logins: ids }
}

/** As if the password of the login had just been checked. */
export async function provenLoginOf({ pool }: Database, login: LoginId | number): Promise<ProvenLogin> {
  const { rows } = await pool.query('SELECT abonent_id, password FROM users WHERE id = $1', [login])
  const { abonent_id: subscriber, password: storedPassword } = rows[0]
  return { loginId: loginId(login), subscriberId: subscriberId(subscriber), storedPassword }
}
