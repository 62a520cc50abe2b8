import type { Pool, PoolClient } from 'pg'
import { defaultOrganization, type OrganizationId, readId } from '../../domain/ids.ts'
import type { Call, Reply } from '../http/call.ts'
import { refusal, refusalText } from '../http/errors.ts'
import { accountOrganization, isVisible, type VisibleOrganizations, visibleSql } from './visible-organizations.ts'

/**
 * Which records a staff user may see in the web admin (specification section 1 rule 5, section 7 case 5). A record of
 * another organization is answered like one that does not exist, with 404. A bulk request that names one is refused as
 * a whole, with 403. Lists use `visibleSql` of visible-organizations.ts.
 */

/** The organizations that a caller may see; null means all of them. A caller who is not signed in sees none. */
export const visibleTo = ({ staff }: Pick<Call, 'staff'>): VisibleOrganizations => (staff ? staff.organizations : [])

/**
 * The organization of a new record that names none: the default one if the caller may see it, else the first that they
 * may.
 */
export const defaultOrganizationAmong = (visible: VisibleOrganizations): OrganizationId =>
  isVisible(visible, defaultOrganization) ? defaultOrganization : (visible?.[0] ?? defaultOrganization)

/** The kinds of records that belong to an organization, with the SQL that finds it. */
const scoped = {
  subscriber: { from: 'abonents', key: 'id', organization: 'organization_id' },
  account: { from: 'admin_accounts', key: 'id', organization: accountOrganization('admin_accounts.id') },
  message: {
    from: 'notifications',
    key: 'id',
    organization: '(SELECT organization_id FROM abonents WHERE abonents.id = notifications.subscriber_id)',
  },
  operation: { from: 'finance_operations', key: 'op_id', organization: 'organization_id' },
  videoObject: { from: 'video_objects', key: 'id', organization: accountOrganization('video_objects.account_id') },
} as const

export type Scoped = keyof typeof scoped

type Sql = Pick<Pool | PoolClient, 'query'>

/**
 * The id of a record if the caller may see it. Returns null both when there is no such record and when it belongs to
 * another organization; answer both with `notFoundReply()`.
 */
export async function findVisible(
  sql: Sql,
  kind: Scoped,
  id: unknown,
  visible: VisibleOrganizations,
): Promise<number | null> {
  const numbers = await findAllVisible(sql, kind, [id], visible)
  return numbers?.[0] ?? null
}

/**
 * The ids of a bulk request without repeats. Returns null when one of them is not an id, does not exist or belongs to
 * another organization; answer that with `bulkForbiddenReply()`.
 */
export async function findAllVisible(
  sql: Sql,
  kind: Scoped,
  ids: readonly unknown[],
  visible: VisibleOrganizations,
): Promise<number[] | null> {
  const found = new Set(ids.map(readId))
  const numbers = [...found].filter((id) => id !== null)
  return !found.has(null) && (await findAll(sql, kind, numbers, visible)) ? numbers : null
}

async function findAll(
  sql: Sql,
  kind: Scoped,
  ids: readonly number[],
  visible: VisibleOrganizations,
): Promise<boolean> {
  const { from, key, organization } = scoped[kind]
  const { rows } = await sql.query<{ count: string }>(
    `SELECT count(*) AS count FROM (SELECT ${organization} AS organization FROM ${from} WHERE ${key} = ANY($1::int8[])) AS found
      WHERE ${visibleSql('organization', '$2')}`,
    [ids, visible],
  )
  return Number(rows[0]?.count) === ids.length
}

/** Whether the caller sees several organizations, so that a list needs a column for the organization. */
export async function seesSeveralOrganizations(sql: Sql, visible: VisibleOrganizations): Promise<boolean> {
  const text = `SELECT FROM organizations WHERE ${visibleSql('id', '$1')} LIMIT 2`
  const { rowCount } = await sql.query(text, [visible])
  return rowCount === 2
}

export const notFoundReply = (): Reply => refusal('admin', 404, refusalText.notFound)

export const bulkForbiddenReply = (): Reply =>
  refusal('admin', 403, 'Some of the records do not exist or are not yours.')
