import type { OrganizationId, StaffId } from './ids.ts'

/** What the role of a staff user may allow; every endpoint requires one of these rights. */
export type Right = 'view' | 'change' | 'money' | 'settings' | 'system'

/** A signed-in staff user. */
export type StaffUser = {
  readonly id: StaffId
  readonly username: string
  readonly isSuperuser: boolean
  /**
   * The rights of the role; a superuser has all of them, and a call with an API token only those of the token's scopes.
   */
  readonly rights: readonly Right[]
  /** Set where the call carries an API token in place of a session. */
  readonly byToken?: true
  /** null: all organizations. */
  readonly organizations: readonly OrganizationId[] | null
}
