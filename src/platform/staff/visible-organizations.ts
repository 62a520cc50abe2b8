import { defaultOrganization, type OrganizationId } from '../../domain/ids.ts'

/** Organizations somebody may see (specification section 1 rule 5); null: all of them. */
export type VisibleOrganizations = readonly OrganizationId[] | null

export const isVisible = (visible: VisibleOrganizations, organization: number | null): boolean =>
  visible === null || visible.some((id) => id === (organization ?? defaultOrganization))

/**
 * A condition of SQL: the organization in `column` is in the visible given as `parameter` (`$2`). A record without one is of
 * the default organization. Written so that an index on the column can serve it.
 */
export const visibleSql = (column: string, parameter: `$${number}`): string =>
  `(${parameter}::int8[] IS NULL OR ${column} = ANY(${parameter}::int8[])
    OR (${column} IS NULL AND ${defaultOrganization} = ANY(${parameter}::int8[])))`

/** Organization of an account, in SQL: that of its main client, the first by id; null for an account of nobody. */
export const accountOrganization = (account: string): string =>
  `(SELECT organization_id FROM abonents WHERE account_id = ${account} ORDER BY abonents.id LIMIT 1)`
