import { createHash, randomBytes } from 'node:crypto'
import { defaultOrganization, type OrganizationId, organizationId, type StaffId, staffId } from '../../domain/ids.ts'
import { StartRefusal } from '../start-refusal.ts'
import { passwordFault, passwordMust } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { givenRights, isRoleThere, type RoleName, rightsOf, roleNames } from './roles.ts'
import type { StaffUser } from '../../domain/staff-user.ts'

/** The part of a `pg` pool that the sign-in needs. */
export type Queries = {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

export type NewStaff = {
  readonly username: string
  readonly password: string
  readonly isSuperuser?: boolean
  /** The role; `operator` when left out. */
  readonly role?: string
  /** Sees every organization, also later ones, without being a superuser. */
  readonly seesAllOrganizations?: boolean
  /** The visible organizations; when empty or left out, the default one. A superuser sees all. */
  readonly organizations?: readonly OrganizationId[]
  /** May sign in by SOAP; left out, `usesSoap` of the role decides. */
  readonly soap?: boolean
  /** Encrypts the MD5 that the SOAP interface needs (contract, SOAP details). Left out, this user cannot use SOAP. */
  readonly seal?: (plain: string) => string
}

type StaffCreation =
  | { kind: 'created'; id: StaffId }
  | {
      kind: 'refused'
      reason: 'usernameTaken' | 'usernameInvalid' | 'passwordInvalid' | 'unknownRole' | 'unknownOrganization'
    }

export const staffRefusalText = {
  usernameTaken: 'A staff user of this name exists.',
  usernameInvalid: 'A user name has 1 to 150 characters, none of them a control character.',
  passwordInvalid: `A password must ${passwordMust}.`,
  unknownRole: `A role is one of ${roleNames.join(', ')}, or the name of one of your own.`,
  unknownOrganization: 'An organization of this id does not exist.',
} as const satisfies Record<Extract<StaffCreation, { kind: 'refused' }>['reason'], string>

export const defaultRole: RoleName = 'operator'
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
export const usernameForm = /^[^\u0000-\u001f\u007f]{1,150}$/

/** Whose password is tried, for PasswordTries. */
export const staffOwner = (id: StaffId): string => `staff ${id}`

/** A single statement, so that nobody ever sees the user without organizations. */
const insertStaff = `
  WITH asked AS (SELECT id FROM organizations WHERE id = ANY($6::int8[])),
  created AS (
    INSERT INTO staff (username, password_hash, is_superuser, role, enabled, soap_md5, all_organizations, soap)
    SELECT $1, $2, $3, $4, true, $5, $8, $9
    WHERE (SELECT count(*) FROM asked) = cardinality($6::int8[]) AND ($7 = false OR NOT EXISTS (SELECT 1 FROM staff))
    ON CONFLICT (username) DO NOTHING
    RETURNING id
  ),
  allowed AS (
    INSERT INTO staff_organizations (staff_id, organization_id) SELECT created.id, asked.id FROM created, asked
  )
  SELECT (SELECT id FROM created) AS id, (SELECT count(*) FROM asked) = cardinality($6::int8[]) AS organizations_known`

/** Whether a new user of this role may use SOAP where nothing else is said. */
export const usesSoap = (staff: { isSuperuser: boolean; role: string }): boolean =>
  !staff.isSuperuser && (staff.role === 'cashier' || staff.role === 'integration')

/** The columns that store a password: its hash, and the sealed MD5 that the SOAP interface needs. */
export async function passwordColumns(
  password: string,
  seal?: (plain: string) => string,
): Promise<{ password_hash: string; soap_md5: string | null }> {
  const soapMd5 = seal ? seal(createHash('md5').update(password).digest('hex')) : null
  return { password_hash: await hashPassword(password), soap_md5: soapMd5 }
}

/**
 * Creates a staff user, or says why it cannot be created; with `onlyFirst` only while there is none. Rejects
 * Unavailable when too many passwords are being hashed.
 */
export async function createStaff(database: Queries, staff: NewStaff, onlyFirst = false): Promise<StaffCreation> {
  const { username, password, isSuperuser = false, role = defaultRole, organizations = [], seal } = staff
  const { seesAllOrganizations = false } = staff
  if (!usernameForm.test(username)) return { kind: 'refused', reason: 'usernameInvalid' }
  if (passwordFault(password) !== null) return { kind: 'refused', reason: 'passwordInvalid' }
  if (!(await isRoleThere(database, role))) return { kind: 'refused', reason: 'unknownRole' }
  const { soap = usesSoap({ isSuperuser, role }) } = staff
  const { password_hash, soap_md5 } = await passwordColumns(password, soap ? seal : undefined)
  const allowed = isSuperuser ? [] : organizations.length > 0 ? [...new Set(organizations)] : [defaultOrganization]
  const values = [username, password_hash, isSuperuser, role, soap_md5, allowed, onlyFirst, seesAllOrganizations, soap]
  const row = (await database.query(insertStaff, values)).rows[0]!
  if (row.organizations_known === false) return { kind: 'refused', reason: 'unknownOrganization' }
  if (row.id === null) return { kind: 'refused', reason: 'usernameTaken' }
  return { kind: 'created', id: Number(row.id) as StaffId }
}

type FirstStaff =
  /** `password` is set when it was generated here. It must be shown once, because only its hash is stored. */
  { kind: 'created'; username: string; password: string | null } | { kind: 'notNeeded' }

/** Creates the first staff user, a superuser, while there is none (TOLLGATE_ADMIN_USER, TOLLGATE_ADMIN_PASSWORD). */
export async function ensureFirstStaff(
  database: Queries,
  { username, password, seal }: Pick<NewStaff, 'username' | 'seal'> & { password?: string | undefined },
): Promise<FirstStaff> {
  const known = await database.query('SELECT 1 FROM staff LIMIT 1')
  if (known.rows.length > 0) return { kind: 'notNeeded' }
  const chosen = password ?? randomBytes(12).toString('base64url')
  const created = await createStaff(
    database,
    { username, password: chosen, isSuperuser: true, ...(seal && { seal }) },
    true,
  )
  if (created.kind === 'created') return { kind: 'created', username, password: password === undefined ? chosen : null }
  // Another program has created the same user in the meantime.
  if (created.reason === 'usernameTaken') return { kind: 'notNeeded' }
  throw new StartRefusal(
    `The first staff user cannot be created: ${staffRefusalText[created.reason]} Correct TOLLGATE_ADMIN_USER or TOLLGATE_ADMIN_PASSWORD.`,
  )
}

export const secondFactorKinds = ['none', 'totp', 'passkey'] as const

/** SQL over a row of staff: one of `secondFactorKinds`. Who has both is told as `passkey`. */
export const secondFactorKind = (table = 'staff'): string =>
  `(CASE WHEN EXISTS (SELECT FROM staff_passkeys WHERE staff_id = ${table}.id) THEN 'passkey'
    WHEN ${table}.totp_secret IS NOT NULL THEN 'totp' ELSE 'none' END)`

/** SQL over a row of staff: something beside the password is needed to sign in. */
export const hasSecondFactor = (table = 'staff'): string => `(${secondFactorKind(table)} <> 'none')`

/** The columns that `staffUserOf` reads, for a SELECT from `staff`. */
export const staffColumns = `staff.id AS staff_id, staff.username, staff.is_superuser, staff.role,
  staff.rest, staff.personal_data, staff.all_organizations, ${hasSecondFactor()} AS has_second_factor,
  (SELECT rights FROM staff_roles WHERE name = staff.role) AS rights_of_role,
  ARRAY(SELECT organization_id FROM staff_organizations WHERE staff_id = staff.id ORDER BY 1) AS organizations`

/** The staff user in a row with the columns `staffColumns`. */
export function staffUserOf(row: Record<string, unknown>): StaffUser {
  const isSuperuser = row.is_superuser === true
  const allowed = (row.organizations as (string | number)[]).map(organizationId)
  return {
    id: staffId(row.staff_id as string),
    username: String(row.username),
    isSuperuser,
    rights: rightsOf({
      isSuperuser,
      role: String(row.role),
      ofRole: (row.rights_of_role as readonly string[] | null) ?? null,
      given: givenRights.filter((right) => row[right] === true),
    }),
    organizations: isSuperuser || row.all_organizations === true ? null : allowed,
  }
}

/** What `staffColumns` say about the second factor. */
export const factorOf = (row: Record<string, unknown>): { role: string; hasSecondFactor: boolean } => ({
  role: String(row.role),
  hasSecondFactor: row.has_second_factor === true,
})

/** Reads a staff user; null when there is no such user or it is disabled. */
export async function readStaffUser(database: Queries, id: StaffId): Promise<StaffUser | null> {
  const { rows } = await database.query(`SELECT ${staffColumns} FROM staff WHERE id = $1 AND enabled`, [id])
  return rows[0] ? staffUserOf(rows[0]) : null
}
