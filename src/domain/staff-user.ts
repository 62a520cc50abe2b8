import type { OrganizationId, StaffId } from './ids.ts'

/**
 * What the role of a staff user may allow. Every endpoint requires one of these rights or several; record-rights.ts
 * says which. `money_dates` allows to give a posting a date in the future or before its account was opened, `rest` to
 * use REST at all, where nothing is limited by organization, and `personal_data` to export personal documents. The last
 * two may be given to a user besides the role.
 */
export type Right = 'view' | 'change' | 'money' | 'money_dates' | 'settings' | 'system' | GivenRight

/** The rights that a staff user may be given besides those of the role. */
export type GivenRight = 'rest' | 'personal_data'

/** A signed-in staff user. */
export type StaffUser = {
  readonly id: StaffId
  readonly username: string
  readonly isSuperuser: boolean
  /**
   * The rights of the role and those given to the user; a superuser has all of them, and a call with an API token only
   * those of the token's scopes.
   */
  readonly rights: readonly Right[]
  /** Set where the call carries an API token in place of a session. */
  readonly byToken?: true
  /** null: all organizations. */
  readonly organizations: readonly OrganizationId[] | null
}

/** The first of the needed rights that somebody lacks; null when they have all. Who is not signed in has none. */
export const missingRight = (staff: Pick<StaffUser, 'rights'> | null, needed: Right | readonly Right[]): Right | null =>
  [needed].flat().find((right) => !staff?.rights.includes(right)) ?? null
