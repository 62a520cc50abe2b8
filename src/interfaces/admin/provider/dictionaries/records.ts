import type { PoolClient } from 'pg'
import type { VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import type { Dictionary, Shown } from './description.ts'

/** The record as JSON: PostgreSQL writes ids as numbers and moments as ISO 8601 with the offset of TIME_ZONE. */
export function shownAs({ key, fields }: Dictionary): string {
  const members = [`'id', row.${key}`]
  for (const { name, shown, refersTo, kind } of fields) {
    if (shown === null) continue
    const isTwin = refersTo !== undefined && kind?.cast === 'int8'
    const value = shown ?? (isTwin ? `row.${name}_id` : `row.${name}`)
    members.push(`'${name}', ${value}`)
    if (isTwin) members.push(`'${name}_id', ${value}`)
  }
  return `json_build_object(${members.join(', ')})`
}

const visibleTo = (dictionary: Dictionary, parameter: `$${number}`): string =>
  dictionary.visible?.(parameter) ?? `(${parameter}::int8[] IS NULL OR true)`

/** Null: there is none, or it is out of visible. `isLocked`: nobody else changes it before the transaction ends. */
export async function findRecord(
  client: PoolClient,
  dictionary: Dictionary,
  id: number,
  visible: VisibleOrganizations,
  { isLocked = false } = {},
): Promise<Shown | null> {
  const { table, key } = dictionary
  const { rows } = await client.query<{ record: Shown }>(
    `SELECT ${shownAs(dictionary)} AS record FROM ${table} AS row
      WHERE row.${key} = $1 AND ${visibleTo(dictionary, '$2')}${isLocked ? ' FOR UPDATE OF row' : ''}`,
    [id, visible],
  )
  return rows[0]?.record ?? null
}

export type Page = { readonly q: string; readonly page: number; readonly perPage: number }

export async function listRecords(
  client: PoolClient,
  dictionary: Dictionary,
  { q, page, perPage }: Page,
  visible: VisibleOrganizations,
): Promise<{ items: Shown[]; total: number }> {
  const { table, key, order, searched } = dictionary
  const { rows } = await client.query<{ record: Shown }>(
    `SELECT ${shownAs(dictionary)} AS record FROM ${table} AS row
      WHERE ${visibleTo(dictionary, '$1')} AND (${like(searched)})
      ORDER BY ${order}, row.${key} LIMIT $3 OFFSET $4`,
    [visible, q, perPage, (page - 1) * perPage],
  )
  const { rows: counts } = await client.query<{ total: number }>(
    `SELECT count(*)::int4 AS total FROM ${table} AS row WHERE ${visibleTo(dictionary, '$1')} AND (${like(searched)})`,
    [visible, q],
  )
  return { items: rows.map(({ record }) => record), total: counts[0]!.total }
}

/** Without LIKE: what somebody types is no pattern. */
const like = (searched: string): string => `$2::text = '' OR strpos(lower(${searched}), lower($2::text)) > 0`

export async function insertRecord(
  client: PoolClient,
  { table, key }: Dictionary,
  columns: Readonly<Record<string, unknown>>,
): Promise<number> {
  const names = Object.keys(columns)
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')}) RETURNING ${key} AS id`,
    Object.values(columns),
  )
  return Number(rows[0]!.id)
}

export async function updateRecord(
  client: PoolClient,
  { table, key }: Dictionary,
  id: number,
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.keys(columns)
  if (names.length === 0) return
  const sets = names.map((name, at) => `${name} = $${at + 2}`)
  await client.query(`UPDATE ${table} SET ${sets.join(', ')} WHERE ${key} = $1`, [id, ...Object.values(columns)])
}

/** More are not counted: a type of operation may have millions. */
const countedMax = 100_000

/** Who uses a record: `12 operations, 1 folder`; null: nobody does. */
export async function usesOf(client: PoolClient, { uses }: Dictionary, id: number): Promise<string | null> {
  const found: string[] = []
  for (const { of, rows: text } of uses) {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int4 AS count FROM (${text} LIMIT ${countedMax + 1}) AS users`,
      [id],
    )
    const { count } = rows[0]!
    if (count > 0) found.push(`${of}: ${count > countedMax ? `more than ${countedMax}` : count}`)
  }
  return found.length > 0 ? found.join(', ') : null
}
