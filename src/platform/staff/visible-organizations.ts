import { defaultOrganization, type OrganizationId } from '../../domain/ids.ts'

/** The organizations that somebody may see (specification section 1 rule 5); null means all of them. */
export type VisibleOrganizations = readonly OrganizationId[] | null

export const isVisible = (visible: VisibleOrganizations, organization: number | null): boolean =>
  visible === null || visible.some((id) => id === (organization ?? defaultOrganization))

/**
 * An SQL condition: the organization in `column` is among the visible ones that are passed as `parameter`, for example
 * `$2`. A record without an organization belongs to the default one. The condition is written so that an index on the
 * column is used.
 */
export const visibleSql = (column: string, parameter: `$${number}`): string =>
  `(${parameter}::int8[] IS NULL OR ${column} = ANY(${parameter}::int8[])
    OR (${column} IS NULL AND ${defaultOrganization} = ANY(${parameter}::int8[])))`

/** The same for records of which those without an organization are shown only to who sees all organizations. */
export const strictlyVisibleSql = (column: string, parameter: `$${number}`): string =>
  `(${parameter}::int8[] IS NULL OR ${column} = ANY(${parameter}::int8[]))`

/**
 * SQL for the organization of an account, which is that of its first subscriber by id; null when it has no subscriber.
 */
export const accountOrganization = (account: string): string =>
  `(SELECT organization_id FROM abonents WHERE account_id = ${account} ORDER BY abonents.id LIMIT 1)`
