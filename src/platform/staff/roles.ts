import { randomBytes } from 'node:crypto'
import type { GivenRight, Right } from '../../domain/staff-user.ts'
import type { Client } from '../storage/sql.ts'

/**
 * The roles that are always there, and their rights as long as nobody has given them others. The table staff_roles has
 * those, and the provider's own roles. A superuser has all rights, whatever the role is.
 */
export const roles = {
  admin: ['view', 'change', 'money', 'money_dates', 'settings', 'system', 'rest', 'personal_data'],
  operator: ['view', 'change', 'money', 'rest'],
  cashier: ['view', 'money'],
  viewer: ['view'],
  /** For programs of the provider, each with a staff user of its own (specification section 1 rule 3). */
  integration: ['view', 'change', 'money', 'money_dates', 'rest'],
} as const satisfies Record<string, readonly Right[]>

export type RoleName = keyof typeof roles

export const roleNames = Object.keys(roles) as RoleName[]

/** Whether it is a role of the program. */
export const isRole = (name: string): name is RoleName => Object.hasOwn(roles, name)

/** The provider's own roles have such names for programs, and titles for people. */
const ownRoleForm = 'role_[0-9a-f]{8}'
export const newRoleName = (): string => `role_${randomBytes(4).toString('hex')}`

/** The name of a role of the program, or of one that the provider may have. */
export const roleForm = new RegExp(`^(${[...roleNames, ownRoleForm].join('|')})$`)

/** Every right there is; they are those of a superuser. */
export const everyRight: readonly Right[] = roles.admin

export const isRight = (name: string): name is Right => (everyRight as readonly string[]).includes(name)

/** The rights of a role: those that somebody has given it, without such as this version does not know. */
export const rightsOfRole = (role: string, stored: readonly string[] | null): readonly Right[] =>
  stored?.filter(isRight) ?? (isRole(role) ? roles[role] : [])

/** Each is a switch of the staff user, under its own name. */
export const givenRights: readonly GivenRight[] = ['rest', 'personal_data']

/** The rights of a staff user. A role that is not there has none. */
export function rightsOf(staff: {
  readonly isSuperuser: boolean
  readonly role: string
  /** The rights that are stored for the role; null or left out: those of the program. */
  readonly ofRole?: readonly string[] | null
  /** Given to the user besides the role. */
  readonly given?: readonly GivenRight[]
}): readonly Right[] {
  if (staff.isSuperuser) return everyRight
  const own = rightsOfRole(staff.role, staff.ofRole ?? null)
  return own.length === 0 ? own : [...new Set([...own, ...(staff.given ?? [])])]
}

/** The rights that each scope of an API token covers. */
const scopes = {
  read: ['view'],
  write: ['change'],
  money: ['money', 'money_dates'],
  system: ['settings', 'system', 'personal_data'],
} as const satisfies Record<string, readonly Right[]>

export type ScopeName = keyof typeof scopes

/** Covered by a scope where its owner has it; who has it not may give the scope all the same. */
const coveredIfOwned: readonly Right[] = ['money_dates']

/** Whether a token of this scope would promise more than its owner may do. */
export const isScopeBeyond = (name: ScopeName, owned: readonly Right[]): boolean =>
  scopes[name].some((right) => !owned.includes(right) && !coveredIfOwned.includes(right))

export const scopeNames = Object.keys(scopes) as ScopeName[]

export const isScope = (name: unknown): name is ScopeName => typeof name === 'string' && Object.hasOwn(scopes, name)

/**
 * The rights of a token: those of its scopes that its owner has now. Tokens are made for programs, so each leads to
 * REST where its owner may use REST.
 */
export const rightsOfScopes = (names: readonly string[], owned: readonly Right[]): readonly Right[] => {
  const granted: readonly Right[] = names.filter(isScope).flatMap((name) => scopes[name])
  return owned.filter((right) => granted.includes(right) || (right === 'rest' && granted.length > 0))
}

/** What is stored of a role; null: what the program says. */
export type StoredRole = { readonly title: string | null; readonly rights: readonly string[] | null }

/** The provider's own roles and those of the program that somebody has changed, by their names. */
export async function readStoredRoles(client: Client): Promise<ReadonlyMap<string, StoredRole>> {
  const { rows } = await client.query<StoredRole & { name: string }>('SELECT name, title, rights FROM staff_roles')
  return new Map(rows.map(({ name, title, rights }) => [name, { title, rights }]))
}

/**
 * Whether a staff user may be given this role. One of the provider's own stays until the end of the transaction, so
 * that nobody is left with a role that is gone.
 */
export async function isRoleThere(
  database: { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> },
  name: string,
): Promise<boolean> {
  if (isRole(name)) return true
  const { rows } = await database.query('SELECT 1 FROM staff_roles WHERE name = $1 FOR SHARE', [name])
  return rows.length > 0
}
