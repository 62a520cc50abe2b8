import type { OrganizationId, StaffId } from './ids.ts'

/** What a staff user's role may allow; a door asks for one of them. */
export type Right = 'view' | 'change' | 'money' | 'settings' | 'system'

/** A signed-in staff user. */
export type StaffUser = {
  readonly id: StaffId
  readonly username: string
  readonly isSuperuser: boolean
  /** By role, all of them for a superuser; of a call with an API token only those of its scopes. */
  readonly rights: readonly Right[]
  /** null: all organizations. */
  readonly organizations: readonly OrganizationId[] | null
}
