import type { GivenRight, Right } from '../../domain/staff-user.ts'
import type { Client } from '../storage/sql.ts'

/**
 * The rights of each role, as long as nobody has given it others (the table staff_roles). A superuser has all rights,
 * whatever the role is.
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

export const isRole = (name: string): name is RoleName => Object.hasOwn(roles, name)

/** Every right there is; they are those of a superuser. */
export const everyRight: readonly Right[] = roles.admin

export const isRight = (name: string): name is Right => (everyRight as readonly string[]).includes(name)

/** The rights of a role: those that somebody has given it, without such as this version does not know. */
export function rightsOfRole(role: string, changed: readonly string[] | null): readonly Right[] {
  if (!isRole(role)) return []
  return changed?.filter(isRight) ?? roles[role]
}

/** Each is a switch of the staff user, under its own name. */
export const givenRights: readonly GivenRight[] = ['rest', 'personal_data']

/** The rights of a staff user. A role that this version does not know has none. */
export function rightsOf(staff: {
  readonly isSuperuser: boolean
  readonly role: string
  /** The rights that somebody has given the role; null or left out: those of the program. */
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

/** The rights of the roles that somebody has changed, by the name of the role. */
export async function readChangedRoles(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ name: string; rights: string[] }>('SELECT name, rights FROM staff_roles')
  return new Map(rows.map(({ name, rights }) => [name, rights]))
}
