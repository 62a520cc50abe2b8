import { createHmac } from 'node:crypto'
import { Client } from 'pg'

const role = 'tollgate_work'

/**
 * The address of our own server for the role that the program works as: it reads and writes rows and is neither
 * superuser nor owner of a table, so that a statement smuggled in would reach no file, no program and no definition.
 * Its password follows from the owner's and tells nothing of it.
 */
export function workingUrlOf(ownerUrl: string): string {
  const url = new URL(ownerUrl)
  url.username = role
  url.password = createHmac('sha256', decodeURIComponent(new URL(ownerUrl).password))
    .update(role)
    .digest('base64url')
  return url.href
}

/**
 * Makes the role and lets it into this database where that is not so yet, as on a cluster from before there was one.
 * Rejects with what PostgreSQL says.
 */
export async function ensureWorkingRole(ownerUrl: string): Promise<void> {
  const workingUrl = workingUrlOf(ownerUrl)
  if (await isReady(workingUrl)) return
  await withClient(ownerUrl, async (client) => {
    const { rows } = await client.query<{ number: string }>(`SELECT current_setting('server_version_num') AS number`)
    const onTables = Number(rows[0]!.number) < 170_000 ? onRows : `${onRows}, MAINTAIN`
    // Statements that are sent together are one transaction.
    await client.query(grants(client.escapeLiteral(new URL(workingUrl).password), onTables))
  })
}

/** The default privileges are the last that is granted: where they are, everything is. */
async function isReady(workingUrl: string): Promise<boolean> {
  try {
    return await withClient(workingUrl, async (client) => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_default_acl WHERE defaclnamespace = to_regnamespace('public') AND defaclacl::text LIKE '%${role}=%'`,
      )
      return rowCount! > 0
    })
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith(notAuthorized)) return false
    throw error
  }
}

/** The class of errors at the sign-in: of a role that is missing, has another password or may not sign in. */
const notAuthorized = '28'

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** MAINTAIN, from PostgreSQL 17 on, is for the ANALYZE after an import. Temporary tables are open to everybody. */
const onRows = 'SELECT, INSERT, UPDATE, DELETE'
const onSequences = 'USAGE, SELECT'

const grants = (password: string, onTables: string): string => `
DO $$ BEGIN IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role}; END IF; END $$;
ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${password};
GRANT USAGE ON SCHEMA public TO ${role};
GRANT ${onTables} ON ALL TABLES IN SCHEMA public TO ${role};
GRANT ${onSequences} ON ALL SEQUENCES IN SCHEMA public TO ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ${onTables} ON TABLES TO ${role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ${onSequences} ON SEQUENCES TO ${role}`
