import type { OrganizationId, StaffId } from '../domain/ids.ts'

/** A signed-in staff user. */
export type StaffUser = {
  readonly id: StaffId
  readonly username: string
  readonly isSuperuser: boolean
  /** null: all organizations. */
  readonly organizations: readonly OrganizationId[] | null
}
