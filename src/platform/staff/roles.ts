import type { Right } from '../../domain/staff-user.ts'

/** The rights of each role. A superuser has all rights, whatever the role is. */
export const roles = {
  admin: ['view', 'change', 'money', 'settings', 'system'],
  operator: ['view', 'change', 'money'],
  cashier: ['view', 'money'],
  viewer: ['view'],
  /** For programs of the provider, each with a staff user of its own (specification section 1 rule 3). */
  integration: ['view', 'change', 'money'],
} as const satisfies Record<string, readonly Right[]>

export type RoleName = keyof typeof roles

export const roleNames = Object.keys(roles) as RoleName[]

export const isRole = (name: string): name is RoleName => Object.hasOwn(roles, name)

const noRights: readonly Right[] = []

/** The rights of a staff user. A role that this version does not know has none. */
export const rightsOf = (staff: { isSuperuser: boolean; role: string }): readonly Right[] =>
  staff.isSuperuser ? roles.admin : isRole(staff.role) ? roles[staff.role] : noRights

/** The rights that each scope of an API token covers. */
export const scopes = {
  read: ['view'],
  write: ['change'],
  money: ['money'],
  system: ['settings', 'system'],
} as const satisfies Record<string, readonly Right[]>

export type ScopeName = keyof typeof scopes

export const scopeNames = Object.keys(scopes) as ScopeName[]

export const isScope = (name: unknown): name is ScopeName => typeof name === 'string' && Object.hasOwn(scopes, name)

/** The rights of a token: those of its scopes that its owner has now. */
export const rightsOfScopes = (names: readonly string[], owned: readonly Right[]): readonly Right[] => {
  const granted: readonly Right[] = names.filter(isScope).flatMap((name) => scopes[name])
  return owned.filter((right) => granted.includes(right))
}
